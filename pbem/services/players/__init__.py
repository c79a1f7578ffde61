"""Players and their addresses: where mail may go, and how much of it.

All rooms that know an address call `players`; `quotas` and `bounces` say whether a mail may leave. Begin with
`players`.

players       addresses and their comparison, accounts, "send me my links"
                is_suppressed, suppress_address, block_address, request_links, sign_up, queue_requested_links,
                queue_links, player_at_address, read_account, verify_and_read_account, sign_out, suppress_by_link,
                read_language_and_use_of_never_link
bounces       refused mails, and what they mean for an address
                result_if_given_up, was_any_later_mail_sent, is_mail_withheld, check_mail_not_withheld
mailboxes     whether two addresses lead to the same mailbox
suppressions  the addresses that get no mail, for the host to list and change
                list_suppressed_addresses, note_bounce, clear_all_bounces, unblock_address
guests        players without an address, whom only the cookie of one browser knows
                note_visit, ids_of_guests_long_away, end_session_of_overdue_guest
open_matches  how many matches a player may have open
                read_open_matches, check_may_start, open_matches_with_limit
quotas        how much strangers can cause within a day
                count_action, quotas_of_unverified, quotas_of_mail, count_mail
first_names   the names with which a match began, for the subjects of its mails
digest_day    the days of a player's daily digest
"""
