"""Use cases: functions that open a transaction, load, call the core, and commit.

Each room is a package about one subject and imports only rooms listed above it; this is the contract "Rooms of the
services" in pyproject.toml, read from the bottom. What all rooms need is in the modules beside them. In a room's own
list, each module is followed by its use cases, the functions whose first argument is the site.

calendar     When a player's clock runs, and when an ask's time is up. Nothing here knows about matches.
log          A match's log: appending entries and updating everything derived from them.
players      Players and their addresses: where mail may go, and how much of it.
access       Authentication: by the link of a seat, or by a personal access token.
clock        The clock of a match: when it starts, stops and is moved.
results      How matches ended, seat by seat; ratings, and how fast somebody answers.
views        What a viewer may see of matches: as a page, a list, a replay or a log.
lobby        A match before it starts.
play         A match in progress.
mail         Mails: from an outbox row to a letter, and out.
privacy      What a player changes about themselves, and what is deleted.
monitoring   Whether the service works, and the alarm if it does not.

hooks        what features add to use cases
kinds        the kinds of mails, found by discovery: their flags, and who writes them
findings     what those who watch the site are told: what is overdue, what a check has found
site         what every use case needs: settings, database, clock, entropy, tokens, caches; and its transaction
database_time  the present moment: the database's, whatever the machine's clock says
tokens       links that act for one seat or one player
who          the organiser's seat, and callers that are neither a seat nor a player
versions     the versions of forms, by which an older form overwrites nothing
statements   the statements of every move, mail and page, compiled once
shards       shares of all matches, so that several workers sweep side by side
counters     counts of events, shared by all processes
wakeup       wakes the worker after a commit
"""
