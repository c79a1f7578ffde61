"""Mails: from an outbox row to a letter, and out.

sender          sends what is due, at least once
                  transport_for, drain, claim_mail, deliver_mail, resend
alarms          alarms that stand in the database, no matter who raises them
                  raise_alarm, renew_alarm, end_alarms
undrawn         the alarm for mails that leave without their picture
                  raise_alarm, end_alarm, end_alarms
letters         builds the letter of an outbox row
                  letter_for
kinds/          builds each kind of mail from the database, one module per kind
letter_context  what every letter takes from the database and the settings
board_letters   parts that several letters share: the board, the clock, the result
order_news      what a mail tells of its reader's orders, once
                  note_told
digests         the daily digest: who gets it, and what it replaces
                  sweep_digests, set_preferences, read_stop, mute_all
reminders       reminders of open turns
                  tick, sweep_reminders, queue_reminders
"""
