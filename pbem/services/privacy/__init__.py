"""What a player changes about themselves, and what is not kept.

address_change  a new address, once both mailboxes have said yes
                  ask, pending, withdraw, read, confirm, stop
erasure         a player goes; the logs, which name seats, stay
                  find, erase, forget_rest
retention       what is past its time is removed once an hour
                  tidy
"""
