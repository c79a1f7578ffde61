"""Matches that bots play among themselves.

paces         when simulated people look, and what a match took
planners      the lines that a scripted person leaves
ordered       plays matches of people who leave orders
simulations   plays matches without checking the laws, and only counts the results
distribution  chunks of a simulation as tasks for the workers
"""
