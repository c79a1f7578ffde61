"""Leagues: their seasons, from the first entrant to the standings at the end.

terms      what is played, how long, who moves up, and what counts
             checked_terms, checked_start
lookups    finds leagues and seasons, and checks who may change them
news       mails to the entrants of a season, and their rows in the next one
founding   founds leagues, opens seasons, ends leagues
             found_league, change_league, open_season, follow, announce_next, add_season,
             end_league, end, cancel, put_off
admission  who may still enter: room, names, open matches, quotas
             check_bots, count_asked, count_invited, check_may_play, withdraw_former_members
entering   entering by a signed-in player or by mail, invitations, withdrawing, bots
             enter, ask_to_enter, invite, enter_bots, add_bots, read_entry, confirm, withdraw, decline,
             withdraw_own, remove
tables     the matches of a season, made in slices
             known_tables, make_tables, start_match
starting   divisions, pairings, and the start of a season
             place_entrants, pairings_of, make_matches, begin_running
standings  the standings of a season, live and at its end
             read_divisions
comparing  the deals that tables share: sealed, or open and how they went on each seat
             read_deals
entrants   who plays in a season, as a viewer may see them
             list_entrants, read_entrant, own_entrant
reading    leagues and seasons as their viewer may see them, and what of them is a player's own
             list_leagues, list_all_leagues, read_league, read_season, following_season, shared_deals,
             own_matches, own_seasons
cutoff     matches of a season that are not over on its date
             call_off_shared, scores_as_they_stand
closing    closes a season on its date
             close_now, close_season
weekly     the one mail a week, and how to do without it
             queue_weeks, read_weekly, set_weekly
erasing    what a league keeps of a player who is erased
             end_leagues
seasons    the sweep over seasons
             sweep_seasons
bulk       what an organiser does by program: starting a season, making many matches at once
             begin, start_tables
feed       the results of a season, in the order in which they became public
             publish_results, read_results
"""
