"""Mails: from an outbox row to a letter, and out.

sender          sends what is due, at least once
                  transport_for, drain, draft_mail, deliver_mail, resend
claims          claims what is due, and reads it with all that its letter is made of
                  is_due, claim_mail, read_row, claim_and_read
closing         closes the rows of mails, and starts the clocks that waited for them
                  end_row
alarms          alarms that stand in the database, no matter who raises them
                  raise_alarm, renew_alarm, end_alarms, raise_picture_alarm, end_picture_alarms, end_past_alarms
letter_context  from an outbox row to its reader and its letter
board_letters   parts that several letters share: the board, the clock, the result, what orders did
                  note_told
kinds/          the kinds of mails, a module each: its letter, and who writes it
digests         the daily digest: who gets it, and what it replaces
                  sweep_digests, set_preferences, read_stop, mute_all
reminders       reminders of open turns
                  tick, sweep_reminders, queue_reminders
"""
