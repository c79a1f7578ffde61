"""Mails: from an outbox row to a letter, and out.

Workers call `sender`, `digests` and `reminders`; kinds of mails are written with `letter_context` and `board_letters`.
Begin with `sender`.

sender          sends what is due, at least once
                  transport_for, drain, make_mail_due_again
claims          claims what is due, and reads it with all that its letter is made of
                  is_any_mail_due, claim_longest_due_mail, read_claimed_row, claim_and_read
closing         closes the rows of mails, and starts the clocks that waited for them
                  close_row, note_order_news_told
alarms          alarms that stand in the database, no matter who raises them
                  raise_alarm, raise_or_renew_alarm, end_alarms, raise_picture_alarm, end_picture_alarms_without_reason
letter_context  from an outbox row to its reader and its letter; the parts that several letters share
kinds/          the kinds of mails, a module each: its letter, and who writes it
digests         the daily digest: who gets it, and what it replaces
                  queue_digests_and_reopen_mails, set_preferences, read_language_and_mute_of_stop_link, mute_all_matches
reminders       reminders of open turns
                  beat_and_sweep_reminders_if_web_up, sweep_reminders, queue_reminders
"""
