"""The operating system: environment, paths, locks, files, processes, the guardian."""
