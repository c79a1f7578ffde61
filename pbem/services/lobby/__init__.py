"""A match before it starts.

match_request  what a new match is created from, and its validation
lucky_words    the seats' lucky words until the match begins
                 read_own_word, read_proposed_word
seating        setting up the table, inviting, taking seats, starting the match once all seats are taken
                 set_up_match, tell_displaced
offers         one way into a place: a seat, one that was left, a circle, a season
                 asking, verify_player
matches        creating, confirming, accepting, declining, replacing invitees, withdrawing; against bots at once
                 create, confirm, accept, decline, name_another, withdraw, play_now
joining        open seats, for anybody with the link
                 read_opening, join, sit_down, open_seat, fill, join_tokens
reminding      the same mail once more: to confirm, and an invitation
                 read_sent, was_sent_first_mail, send_again, remind, read_reminders
rematches      the same match again
                 read_rematch, takes_word, play_again, sit_down_again
"""
