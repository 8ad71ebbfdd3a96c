"""Tables of any tool: rows of files and frames, columns, grades and labels."""
