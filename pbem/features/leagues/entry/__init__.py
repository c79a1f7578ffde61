"""Entering a season.

The pages, API and tasks of leagues call it. Begin with `entering`.

entering  entering by a signed-in player or by mail, invitations, withdrawing, bots
            enter_player, send_entry_link, invite_to_season, enter_bots, add_bot_entrants, read_entry, enter_by_link,
            withdraw_by_link, decline_by_link, withdraw_player, remove_entrant
entrants  who plays in a season, as a viewer may see them; who may still enter: room, names, open matches
            list_entrants, read_entrant, check_number_of_bots, check_limit_of_open_matches, withdraw_former_members
"""
