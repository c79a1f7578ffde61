"""Text <-> mail: what a letter says, how it is put together, how it leaves, where it lands. No database."""
