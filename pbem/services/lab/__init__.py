"""Matches that bots play among themselves.

simulations   matches without the checks of the laws, only counted
distribution  chunks of a simulation as tasks for the workers
"""
