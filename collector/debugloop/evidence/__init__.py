"""What the rows of a run say: shown to people and agents as plain, harmless text."""
