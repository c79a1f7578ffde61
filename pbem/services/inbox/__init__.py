"""Mail that comes back: moves by reply, bounces, complaints, unsubscribing.

imap           takes what is for the site out of a mailbox, once a minute
sorting        which mails of a mailbox are for the site
                 sort_mail, reports_ours
lmtp           takes mail from a mail server of this machine
intake         keeps a mail before it is acknowledged
                 take_in
canary         the mail by which the site sees that mail comes in
                 send_when_due, is_ours
reading        reads what was kept, each mail exactly once
                 read_inbox, read_row
whose          the seat that a mail names, and the question that it answers
                 is_own_address, comes_back, find_token, answered_row, find_seat
dns            looks up TXT records
judging        whether a mail may act for its sender
                 judge, note_several
understanding  what a reply says, and its moves as the game writes them
acting         does what a reply says: all of it or nothing
                 act
closing        closes a row with what it has led to
                 may_answer, queue_answer, close_within, close, close_for
returns        bounces, complaints, and mails that unsubscribe
                 note_report, unsubscribe
outcomes       what became of each line, as it is kept for the answer
transcripts    what became of each line, in words
                 transcript_of
verdicts       what became of a mail, in a word
listing        the mails that are kept, for the host
                 list_kept, show_kept, read_again
"""
