"""Calls of webhooks about leagues.

cursors   how far each webhook of a league has been told about each season
            sweep_seasons
payloads  the content of a call about a league
"""
