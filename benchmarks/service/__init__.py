"""How fast the service is: every bar of the host's promise, measured in one run on a PostgreSQL that keeps its word.

make bench                      all rows
make bench ARGS='moves pages'   some of them
"""
