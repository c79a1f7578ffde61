"""The matches of a season, from its start to its end.

The tasks, pages and API of leagues call `seasons` and `bulk`. Begin with `starting`.

seasons   the sweep over seasons, and how one is closed on its date
            sweep_seasons, end_season_early, close_season, cancel_matches_of_shared_deals, scores_as_they_stand
starting  divisions, pairings, and the matches of a season, made in slices
            fill_up_and_divide_entrants, all_pairings_of_season, create_missing_matches,
            let_season_run_and_mail_entrants, create_tables, create_and_start_match
pairing   who meets whom at which table, and on which seat: without a database
bulk      what an organiser does by program: starting a season, making many matches at once
            begin_season_early, create_and_start_tables
"""
