"""Use cases: functions that open a transaction, load, ask the core, and commit.

Each room is a package of one subject, and imports only rooms that stand above it in this list, which is the contract
"Rooms of the services" in pyproject.toml, read from the bottom. What all rooms need stands beside them. Below a module
of a room's list stand its use cases, the functions whose first argument is the site.

calendar     When a player's time counts, and when a question's time is up. Nothing here knows a match.
log          A match's log: appending to it, and what follows from it at once.
players      Players and their addresses: whom mail may go to, and how much of it.
access       Who acts: by the link of a seat, or by a personal token.
clock        The clock of a match: when it starts, stands still and moves.
views        What somebody may see of matches: as a page, a list, a replay or a log.
lobby        A match until it begins.
play         A match while it is played.
webhooks     Webhooks: addresses that are called when something happens.
mail         Mails: from a row of the outbox to a letter, and out.
privacy      What a player changes about themselves, and what is not kept.
monitoring   Whether the service does its work, and the alarm where it does not.
lab          Matches that bots play among themselves.

site         what every use case needs: settings, database, clock, luck, tokens, the bell
work         the transaction of a use case, and what is done when it has committed
tokens       links that act for one seat or one player
who          callers that are neither a seat nor a player
statements   the statements that every move, mail and page sends, compiled once
state_cache  the states of matches at their heads, as this process last left them
view_cache   what viewers know of matches, as this process last showed it
counters     counts of what happens, for all processes together
wakeup       wakes the worker after a commit
"""
