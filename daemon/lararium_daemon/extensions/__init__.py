"""What a person or a project adds to the agent; the parts do not know each other.

Each offers `would_run(root)`, which executes nothing: what it would start or obey in a folder once
the person trusts it.
"""
