"""The matches of a season, from its start to its end.

The tasks, pages and API of leagues call `seasons` and `bulk`. Begin with `starting`.

seasons   the sweep over seasons, and how one is closed on its date
            sweep_seasons, close_season_early, close_season, cancel_matches_of_shared_deals, scores_as_they_stand
starting  divisions, pairings, and the matches of a season, made in slices
            divide_entrants, all_pairings_of_season, create_missing_matches, let_season_run, create_tables, start_match
pairing   who meets whom at which table, and on which seat: without a database
bulk      what an organiser does by program: starting a season, making many matches at once
            begin_season_early, start_tables
"""
