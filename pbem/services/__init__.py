"""Use cases: plain functions that open a transaction, load, ask the core, and commit.

site      what every use case needs          tokens    links that act for one seat or one player
store     the append path and loading        players   addresses, suppression, "send me my links"
wanted    what a match is asked for          matches   create, confirm, accept, start …
cancelling         a match that is not over ends before its time
moves     submit an answer                   bots      answer for seats that programs fill
clocks    deadlines and lapses               claims    asks that somebody else answers
outbox    send what is due                   letters   what a mail says, when it is sent
views     what one viewer may see            menus     legal moves, step by step
seats     what a seat's links open           replays   steps, eyes, boards
bell      wakes the worker after a commit    simulations, distribution   play by programs alone
"""
