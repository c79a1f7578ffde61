"""How matches ended, seat by seat, and what follows from it: ratings, and how fast somebody answers.

A task calls `tallying`; pages, API and features read `sharing` and `ratings`. Begin with `tallying`.

tallying  writes down how matches that are over ended, and rates their players
            tally_matches
ratings   a player's rating in a game, and the scale on which it is shown
sharing   what others see of players, and what a player chooses to show
            read_shared, choose_what_to_share
"""
