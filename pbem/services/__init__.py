"""Use cases: plain functions that open a transaction, load, ask the core, and commit.

site      what every use case needs          tokens    links that act for one seat or one player
store     the append path and loading        players   addresses, suppression, "send me my links"
matches   create, confirm, accept, start …   moves     submit an answer
clocks    deadlines and lapses               outbox    send what is due
views     what one viewer may see            menus     legal moves, step by step
"""
