"""Mails: from a row of the outbox to a letter, and out.

sender                  sending what is due, at least once
                          transport_for, drain, resend
letters                 which letter a row of the outbox stands for
                          letter_for, quotas_of
letter_context          what every letter takes from the database and the settings
board_letters           letters with a board: started, your turn, reminder, over
digest_letters          the letter of a day
address_change_letters  the letter that asks a mailbox about a new address
                          quotas_of
digests                 one mail a day: who wants it, and what it replaces
                          sweep_digests, prefer, read_stop, mute_all
reminders               your turn is still open
                          tick, sweep_reminders
"""
