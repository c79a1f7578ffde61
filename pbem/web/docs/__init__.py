"""Documentation for players and programmers.

rules       the rules of a game and its other texts as HTML, with anchors, citations and figures; help and privacy
reference   the API reference, made from its OpenAPI document
"""
