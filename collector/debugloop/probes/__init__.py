"""Instrumentation in the code under test: what a probe looks like, how it is removed, and what may be left of it."""
