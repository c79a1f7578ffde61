"""The ways by which mail comes in, each of which calls `take_in_mail`; begin with `intake`.

intake    keeps a mail before it is acknowledged; the mails that are kept, for the host
            take_in_mail, list_kept_mails, read_kept_mail, make_due_again
imap      takes what is for the site out of a mailbox, once a minute
            sort_of_mail_with_head, is_report_on_our_mail
lmtp      takes mail from a mail server of this machine
local     answers that are written on the page of this machine's own mailbox
canary    the mail by which the site sees that mail comes in
            send_canary_if_due, is_our_canary
arrivals  whether mail comes in and is read
serving   `pbem inbound`: takes mail in by LMTP and IMAP
"""
