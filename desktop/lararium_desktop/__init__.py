"""The desktop shell: hub, window and later tray, each a process of its own."""
