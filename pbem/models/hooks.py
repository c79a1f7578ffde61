"""Webhooks, how far each has been told of a match, and the calls that are due."""
