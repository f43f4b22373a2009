"""The widgets of the panel, one for each area."""
