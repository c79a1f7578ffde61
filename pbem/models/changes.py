"""Addresses that players have asked to change."""
