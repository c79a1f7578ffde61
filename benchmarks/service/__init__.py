"""How fast the service is: every bar that was promised, measured in one run on a PostgreSQL with fsync.

make bench                      all rows
make bench ARGS='moves pages'   some of them
"""
