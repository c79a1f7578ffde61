"""Mail that comes back: moves by reply, bounces, complaints, unsubscribing.

The ways in call `take_in_mail`, the workers `read_inbox`: it does what each mail asks for, exactly once. Begin there.

tables        mails that have come in
settings      how mail comes in, and the address that answers go to
reply_tokens  the tokens in the addresses that mail comes back to
back          the addresses in a mail that it comes back to
reading       reads what was kept, each mail exactly once
                read_inbox, read_and_act_on_claimed_row
whose         the seat that a mail names, and the question that it answers
                read_mail_of_row, is_own_address, is_own_reply_address, meaning_of_first_token, row_of_mail_answered,
                seat_named_in_mail
answers       what may be typed for a question, as its mail shows it
judging       whether a mail may act for its sender; looks up TXT records
                judge_mail, note_several_results
acting        what a reply says, and doing it: all of it or nothing
                act_on_letter
closing       closes a row with what it has led to
                queue_answer, close_mail_within, close_mail
returns       bounces, complaints, and mails that unsubscribe
                note_report, mute_or_unsubscribe
outcomes      what became of each line, as it is kept for the answer
transcripts   what became of each line, in words
                transcript_of_mail
verdicts      what became of a mail, in a word
forgetting    the text of mails that have come in and name a player, and what is past its retention period
                erase_unowned_texts_with_addresses
hooks         what this adds to mails, erasure, retention, the clock, metrics and `/readyz`
doctor        what `pbem doctor` says about mail that comes in
tasks         has the mails read that have come in
commands      `pbem inbox` and `pbem inbound`
pages         mail that a relay posts, answers on the page of the local mailbox, and help with replies

ways/ holds the ways by which mail comes in; incoming/ what a mail says, without a database; letters/ the answer to a
reply.
"""
