"""A match's log: appending to it, and what follows from it at once.

store           loading a match and appending to its log; nothing else writes entries, asks or snapshots
locks           the order in which rows are locked, and who locks players and matches
ask_projection  which questions close and open after new entries
match_bundle    who sits at a match, what is asked, who is on holiday: read at once
outbox          mails put into the outbox under unique keys
banks           a seat's bank of time: what a turn takes and adds
vote_count      who may vote on a late seat, and how the vote stands
leases          claiming open questions that somebody other than their player answers
                  claim
cancellation    ending a match before its end
                  cancel
rebuilding      open questions set right after a game was corrected under running matches
                  rebuild
"""
