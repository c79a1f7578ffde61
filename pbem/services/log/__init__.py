"""A match's log: appending entries and updating everything derived from them.

Other rooms read a match by `store`, lock it by `table` and write only through the locked table. Begin with `store` and
`table`.

store           reads a match: its row, seats, open asks, log and state; `Table` is what was read of one
table           a locked match, the value that all use cases hand on: appends to its log, opens and closes its asks
folds           what everybody knew after some entries, kept beside the log
keeping         keeps the folds that matches in play lack
                  keep_folds, sweep_folds
undoing         takes back what was played; with `table` the only ones that write entries or asks
kept            the rows of matches as this process has left them, from which it plays the next move in one batch
one_batch       that batch, and the transaction that it is
locks           the lock order, and the functions that lock players and matches
deals           the deal that several tables share, and until when each of them keeps its secrets
                  new_deal
proofs          the key of a match's luck, and the chain over its log
windows         silent windows: when they close, and the answers that are sealed until then
outbox          queues mails in the outbox under unique keys
consent         the people at a table: who is active, may vote on a late seat, must agree to take something back
leases          claims open asks that are answered by somebody other than their player
                  claim_asks, read_unclaimed_asks
cancellation    ends a match before its regular end
                  cancel_match_for_host
archive         the form in which the log and the asks of a finished match are archived; reads them, for others
archiving       moves the log and the asks of matches that ended a week ago from their rows into archives
                  archive_matches
waits           how long the owners of seats took to answer
rebuilding      repairs open asks after a game was corrected under running matches
                  rebuild_asks
"""
