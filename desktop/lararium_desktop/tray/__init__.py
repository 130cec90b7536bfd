"""The tray process: one icon, one menu, and the hub on the other end of its stdio."""
