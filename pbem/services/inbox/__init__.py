"""Mail that comes back: moves by reply, bounces, complaints, unsubscribing.

The ways in call `take_in`, the workers `read_inbox`: it does what each mail asks for, exactly once. Begin there.

imap           takes what is for the site out of a mailbox, once a minute
                 sort_mail, reports_ours
lmtp           takes mail from a mail server of this machine
intake         keeps a mail before it is acknowledged; the mails that are kept, for the host
                 take_in, list_kept, show_kept, read_again
canary         the mail by which the site sees that mail comes in
                 send_when_due, is_ours
reading        reads what was kept, each mail exactly once
                 read_inbox, read_row
whose          the seat that a mail names, and the question that it answers
                 read_kept, is_own_address, comes_back, find_token, row_it_answers, find_seat
judging        whether a mail may act for its sender; looks up TXT records
                 judge, note_several
acting         what a reply says, and doing it: all of it or nothing
                 act
closing        closes a row with what it has led to
                 may_answer, queue_answer, close_within, close, close_for
returns        bounces, complaints, and mails that unsubscribe
                 note_report, unsubscribe
outcomes       what became of each line, as it is kept for the answer
transcripts    what became of each line, in words
                 transcript_of
verdicts       what became of a mail, in a word
"""
