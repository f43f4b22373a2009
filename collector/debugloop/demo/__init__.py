"""The whole loop on a real program with a real bug, for a person who wants to see it work."""
