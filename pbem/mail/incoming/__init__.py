"""Reads mails that come in: what they are, who wrote them, and what they say. No database."""
