"""What a player changes about themselves, and what is deleted.

Pages, API and `pbem address` call the use cases below; features say by `Hooks.personal` what they store. Begin with
`erasure`.

address_change  a new address, once both mailboxes have agreed
                  request_change, pending_change, withdraw_change, read_change, agree_to_change, confirm_first_address,
                  refuse_change
export          what is stored about a player, for the player
                  export_player
erasure         erases a player; the logs, which name seats only, stay; moves what a guest has to a player
                  find_player_to_erase, erase_player, erase_rest_of_player, move_guest_to_player
fates           what becomes of every column that points to a player
retention       deletes what is past its retention period, once an hour
                  delete_old_rows
"""
