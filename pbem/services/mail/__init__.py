"""Mails: from a row of the outbox to a letter, and out.

sender          sending what is due, at least once
                  transport_for, drain, claim_mail, deliver_mail, resend
letters         which letter a row of the outbox stands for
                  letter_for
kinds/          how each kind of mails is written from the database, a module a kind
letter_context  what every letter takes from the database and the settings
board_letters   what several letters say of a match: the board, the clock, the result
digests         one mail a day: who wants it, and what it replaces
                  sweep_digests, prefer, read_stop, mute_all
reminders       your turn is still open
                  tick, sweep_reminders, queue_reminders
"""
