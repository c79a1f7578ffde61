"""What a viewer may see of matches: as a page, a list, a replay or a log.

Pages, API, mails and features show a match by these views and by nothing else. Begin with `match_views`.

match_views    what one viewer may see of a match: read once, redacted once
                 read_sheet, read_view, read_now, read_whole, read_events, read_log
seats          the pages behind a seat's links, muting, and renewing links
                 read_seat, read_play, watch, play_token, own_seat, latest_name, language_and_zone,
                 how_closed, mute, renew_link, write_to_owner
menus          legal moves as a tree of choices
talk           messages at the table, and a seat's notes
                 read_talk, read_id_of_newest_message, post_message, post_message_within, write_note, write_note_within,
                 add_to_note_within
replays        a match step by step, from any seat
                 read_replay, read_perspective
luck           what the log of a match that is over proves, and whether a word or a mail agrees with it
                 read_verdict_and_fortunes, read_heads_of_chain
match_list     a player's matches: all at once for pages and mails, page by page for programs
                 my_matches, read_my_matches, read_navigation, read_next_turn, page_of_own_matches,
                 read_own_match_standings
waiting        what those who wait for news know, and which of them there is news for
                 read_game_and_head_if_unchanged, find_outdated_among_known, read_places_of_players
"""
