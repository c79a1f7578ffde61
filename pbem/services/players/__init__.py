"""Players and their addresses: where mail may go, and how much of it.

players       addresses and their comparison, accounts, "send me my links"
                is_suppressed, suppress, block_address, send_links, sign_up, serve_requests, queue_links,
                player_at, read_account, open_account, sign_out, never_again, read_never
bounces       refused mails, and what they mean for an address
                verdict, later_mail_left, is_withheld, check_proof
mailboxes     whether two addresses lead to the same mailbox
suppressions  the addresses that get no mail, for the host to list and change
                read_unwanted, note_bounce, forget_bounces, unblock_address
guests        players without an address, whom only the cookie of one browser knows
                note_visit, overdue_guests, claim_overdue
open_matches  how many matches a player may have open
                read_open_matches, check_may_start, count_open
quotas        how much strangers can cause within a day
                count, quotas_of_unverified, of_mail, count_mail
first_names   the names with which a match began, for the subjects of its mails
digest_day    the days of a player's daily digest
"""
