"""Tables of scores and labels: from files, frames and run folders."""
