"""Leagues: their seasons, from the first entrant to the standings at the end.

tables          leagues, seasons, entrants, matches of seasons, and the marks of webhooks in seasons
claims          what the links in mails of leagues claim
terms           what is played, how long, who moves up, and what counts
                  check_and_complete_terms, check_start
lookups         finds leagues and seasons, and checks who may change them
news            mails to the entrants of a season, and their rows in the next one
founding        founds leagues, opens seasons, ends leagues
                  found_league, change_league, open_season, add_following_season_with_entrants,
                  open_following_season_if_repeated, end_league, cancel_season, change_start_of_season
reading         leagues and seasons as their viewer may see them, and what of them is a player's own
                  list_current_leagues, list_all_leagues, read_league, read_league_and_season,
                  read_open_following_season, read_shared_deals, read_own_matches, read_own_current_seasons
weekly          the one mail a week, and how to do without it
                  queue_weekly_mails, read_language_and_weekly_setting, set_weekly_setting
season_letters  what the letters about seasons have in common
webhooks        what webhooks know of leagues
                  queue_calls_for_season_news
hooks           what this adds to results, erasure, retention and the clock
                  end_leagues
tasks           lets seasons begin and end on their dates, and queues the weekly mails

entry/ holds how a season is entered; running/ its matches, from its start to its end; scores/ its standings and the
feed of its results; letters/ the mails; pages/ and api/ what people and programs see and do.
"""
