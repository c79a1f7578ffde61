"""What somebody may see of matches: as a page, a list, a replay or a log.

match_views    what one viewer may see of a match: read once, redacted once
                 read_sheet, read_view, read_log
seats          what a seat's links open, mute and renew
                 read_seat, read_play, read_page, watch, my_matches, open_invitations, read_my_matches,
                 unconfirmed_matches, play_token, own_seat, known_name, language_and_zone, how_closed,
                 mute, renew_link, write_to_owner
menus          legal moves as a tree of choices
talk           what is said at the table, and a seat's notes
                 read_talk, read_newest, say, write_note
replays        a match step by step, from any seat
                 read_replay
match_list     the matches of a player, page by page
                 page
log_replay     a log from elsewhere, replayed from itself alone
stored_logs    logs from elsewhere, kept for a day or a month
                 keep, read, open_kept, delete_for, throw_away
waiting        waiting until a match goes on
                 news_of
"""
