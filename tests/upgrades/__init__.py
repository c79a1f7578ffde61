"""Databases of earlier schemas with their players' mails: each upgrades, and everything in those mails still works."""
