"""The session directory: the protocol between all processes. Nothing here knows a server or a terminal."""
