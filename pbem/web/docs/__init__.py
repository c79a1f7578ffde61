"""Documentation for players and programmers.

guide       help, and what is kept about players
rules       the rules of a game and its other texts as HTML, with anchors, citations and figures
reference   the API reference, made from its OpenAPI document
"""
