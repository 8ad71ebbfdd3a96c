"""Statistics over verdicts: arrays and tables in, numbers out; knows no judge and no network."""
