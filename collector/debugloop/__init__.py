"""Debug mode for any coding agent: collector, session files, instrumentation and the agent's loop."""

__version__ = "0.1.0"
