"""Mail that comes back.

dns          looks up TXT records
imap         empties a mailbox, once a minute
lmtp         takes mail from a mail server of this machine
intake       keeps a mail before it is acknowledged
               take_in
"""
