"""The system's notifications: what is shown, and the ways to show it."""
