"""What a player changes about themselves, and what is deleted.

address_change  a new address, once both mailboxes have agreed
                  ask, pending, withdraw, read, confirm, stop
erasure         erases a player; the logs, which name seats only, stay
                  find, erase, forget_rest
retention       deletes what is past its retention period, once an hour
                  tidy
"""
