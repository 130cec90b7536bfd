"""The daemon that guards one workspace: sessions, agent, tools, permissions, journal, page."""

__version__ = "0.1.0"
