"""The links of public records: what follows this path is the key of one, kept in the player's row."""

LINKS = ("record",)
