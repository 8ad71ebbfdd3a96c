"""BFCL result trees scored: score files, CSV files and summaries as BFCL writes them."""
