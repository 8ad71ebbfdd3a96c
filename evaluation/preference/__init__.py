"""Which of two outputs of a case is better: judges are asked in both orders, in an ordinary run folder."""
