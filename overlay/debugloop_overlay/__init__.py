"""The DEBUG LOGS panel."""
