"""Matches that bots play among themselves.

simulations   plays matches without checking the laws, and only counts the results
distribution  chunks of a simulation as tasks for the workers
"""
