"""What a player changes about themselves, and what is deleted.

address_change  a new address, once both mailboxes have agreed
                  ask, pending, withdraw, read, confirm, keep_matches, stop
export          what is stored about a player, for the player
                  export
erasure         erases a player; the logs, which name seats only, stay; moves what a guest has to a player
                  find, erase, forget_rest, take_along
fates           what becomes of every column that points to a player
retention       deletes what is past its retention period, once an hour
                  tidy
"""
