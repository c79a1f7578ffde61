"""What the caller may see of matches.

match_views  state, events, story and log, as the caller may see them
streams      entries as they happen, as server-sent events
own_stream   how the caller's matches stand, as server-sent events
sheets       a match's sheet, as schema and as JSON
match_list   the matches of a player
talk         table talk, and the caller's own note
"""
