"""What the caller may see of matches.

match_views  state, events, story and log, as the caller may see them; entries as they happen, as server-sent events
sheets       a match's sheet, as schema and as JSON
match_list   the matches of a player, also as server-sent events that say how each stands
talk         table talk, and the caller's own note
"""
