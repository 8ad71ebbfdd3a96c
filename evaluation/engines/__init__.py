"""Where work is done: in this process, in forked ones, or on Ray."""
