"""What there is to read.

rules      the rules of a game
reference  the reference of the API, made from its own document
"""
