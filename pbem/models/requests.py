"""Requests that are not done twice, and logs that were sent here."""
