"""The matches of a season, from its start to its end.

seasons   the sweep over seasons, and how one is closed on its date
            sweep_seasons, close_now, close_season, call_off_shared, scores_as_they_stand
starting  divisions, pairings, and the matches of a season, made in slices
            place_entrants, pairings_of, make_matches, begin_running, make_tables, start_match
pairing   who meets whom at which table, and on which seat: without a database
bulk      what an organiser does by program: starting a season, making many matches at once
            begin, start_tables
"""
