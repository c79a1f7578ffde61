"""A match before it starts.

Pages, API and features may call the use cases below; a feature that starts matches builds on `match_request` and
`seating`. Begin with `matches`.

match_request  what a new match is created from, and its validation
lucky_words    the seats' lucky words until the match begins
                 read_typed_lucky_word, read_proposed_word
seating        setting up the table, inviting, taking seats, starting the match once all seats are taken
                 set_up_match, end_other_invitations
offers         one way into a place: a seat, one that was left, a circle, a season
                 transaction_with_player_of_address, verify_player_and_set_zone
matches        creating, confirming, accepting, declining, replacing invitees, withdrawing; against bots at once
                 create_match, confirm_match, accept_invitation, decline_invitation, invite_to_untaken_seat,
                 cancel_or_leave_match, start_match_against_bots
joining        open seats, for anybody with the link
                 read_open_seat, claim_seat, take_seat_at_once, open_seat, fill_with_bot, join_tokens_for_organiser
reminding      the same mail once more: to confirm, and an invitation
                 read_sent_confirmation, was_sent_first_mail, resend_confirmation, remind_invited_player, read_reminders
rematches      the same match again
                 read_rematch_id, may_bring_word_to_rematch, find_or_create_rematch, sit_down_in_rematch
"""
