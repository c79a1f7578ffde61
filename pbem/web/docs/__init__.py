"""Documentation for players and programmers.

rules      the rules of a game
reference  the API reference, made from its OpenAPI document
"""
