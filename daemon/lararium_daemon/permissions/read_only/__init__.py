"""Commands that only read inside the project: they need no rule. One grammar for each program."""
