"""Entering a season.

entering  entering by a signed-in player or by mail, invitations, withdrawing, bots
            enter, ask_to_enter, invite, enter_bots, add_bots, read_entry, confirm, withdraw, decline,
            withdraw_own, remove
entrants  who plays in a season, as a viewer may see them; who may still enter: room, names, open matches
            list_entrants, read_entrant, own_entrant, check_bots, check_may_play, withdraw_former_members
"""
