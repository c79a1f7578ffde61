"""The matches of a season, from its start to its end.

seasons   the sweep over seasons
            sweep_seasons
starting  divisions, pairings, and the start of a season
            place_entrants, pairings_of, make_matches, begin_running
making    the matches of a season, made in slices
            known_tables, make_tables, start_match
bulk      what an organiser does by program: starting a season, making many matches at once
            begin, start_tables
cutoff    matches of a season that are not over on its date
            call_off_shared, scores_as_they_stand
closing   closes a season on its date
            close_now, close_season
"""
