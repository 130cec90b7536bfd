"""The tool registry and one file per tool."""
