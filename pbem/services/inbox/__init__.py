"""Mail that comes back.

canary       the mail by which the site sees that mail comes in
               send_when_due, is_ours
dns          looks up TXT records
imap         empties a mailbox, once a minute
lmtp         takes mail from a mail server of this machine
intake       keeps a mail before it is acknowledged
               take_in
"""
