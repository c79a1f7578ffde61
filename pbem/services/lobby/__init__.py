"""A match until it begins.

match_request  what a match is asked for, and whether it can be
seating        laying the table, inviting, sitting down, beginning with the last one
                 lay, count_match, open_doors, invite, check_invitations, find_or_meet, meet, start_if_full
matches        creating, confirming, accepting, declining, naming another, withdrawing
                 create, confirm, accept, decline, leave, name_another, withdraw
joining        open seats, for whoever holds the link
                 read_opening, join, sit_down, open_seat, fill, join_tokens
rematches      the same match once more
                 read_rematch, play_again
"""
