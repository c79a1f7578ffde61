"""Circles: named groups of players who start matches with each other by names.

A circle's members know each other's names, never the addresses. A member who acts presents a `MemberClaim`: it comes
from the link in a mail of the circle, or from `claim_of_player` for a player who is signed in.

A circle is locked after players and matches: see `pbem.services.log.locks`. Its holder may write its members, its
standing tables and their answers.

tables     circles, their members, their matches, their standing tables
claims     what its links claim
rows       the circle and the membership of a claim, locked; names within a circle; who belongs to it
founding   founding a circle, its name, its page, its invitation link
             found_circle, change_circle, renew_link
sheets     what members see of a circle, and strangers if its page is open
             claim_of_player, read_circle_briefly, read_circle, read_open_page, read_invitation, read_circles_of_player
joining    joining by the invitation link, inviting by mail; leaving, who is the founder next, less mail
             send_join_link, invite_address, join_signed_in, accept_invitation, decline_invitation, leave_circle,
             remove_member, leave_all_circles, set_member_muted_or_listed
starting   a match with members, by their names
             create_match_and_invite_members, create_circle_match
standing   tables that meet every week: setting one up, stopping it, saying yes or no
             set_up_table, stop_table, answer_occasion, answer_next_occasion
occasions  the weeks of the standing tables: asking, and starting their matches
             run_standing_tables
scores     the standings of a circle
             read_scores
circle_letters  what the letters of circles have in common, and what the one mail a week says of circles
             query_of_players_with_circle_mails
hooks      what this adds to erasure, retention, a change of address and the clock
tasks      asks for the standing tables, and starts their matches
"""
