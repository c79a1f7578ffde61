"""How matches ended, seat by seat, and what follows from it: ratings, and how fast somebody answers.

tallying     writes down how matches that are over ended, and rates their players
               tally
ratings      a player's rating in a game, and how it is shown
               ratings_of, rating_of_seats
"""
