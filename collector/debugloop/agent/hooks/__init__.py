"""What an agent host runs by itself: when the person sends a prompt, when a turn ends, before a shell command.

A program of its own that imports the standard library only, so that it answers before anybody notices it. It writes
nothing, and whatever goes wrong it lets the host go on.
"""
