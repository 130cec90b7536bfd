"""AGENTS.md and its kin: what the person and the project tell every agent.

The person's own files first, then those from the workspace's root down to the working folder, one
a folder; nearer ones come later. Those of the project are loaded only in a trusted folder.
Source: https://agents.md, and the imports of CLAUDE.md.
"""
