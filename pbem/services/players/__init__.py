"""Players and their addresses: whom mail may go to, and how much of it.

players       addresses and how they compare, accounts, "send me my links"
                suppressed, suppress, block_address, send_links, queue_links, read_account, open_account, sign_out,
                never_again, read_never
bounces       mails that are refused, and what that means for their address
                verdict, later_mail_left, withheld, check_proof
suppressions  the addresses that get no mail, as the host sees and changes them
                read_unwanted, note_bounce, forget_bounces, unblock_address
quotas        how much strangers can cause within a day
                unverified, of_mail, count_mail
digest_day    the days of a player's one mail a day
"""
