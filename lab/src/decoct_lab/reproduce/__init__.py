"""Published tables, run again: conditions and figures in a TOML file, ours beside theirs."""
