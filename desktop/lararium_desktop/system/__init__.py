"""What the shell needs of the operating system: single instance, per-OS files."""
