"""Bots that think: they imagine what their seat does not see, and play on from there to find out what is good.

quick      luck for imagined matches, fast and repeatable
playouts   imagined matches played to their end, and what a position is worth by them
search     a tree over what may come, from what one seat knows
levels     named budgets, and the bots that have them
"""
