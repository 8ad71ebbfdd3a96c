"""Turn replies into call texts, and evaluate call texts without executing the model's code."""
