"""What the caller may see of matches.

Others may use the schemas of `match_views`. Begin with `match_views`.

match_views  a match's sheet; state, events, story and log, as the caller may see them; entries as they happen
match_list   the matches of a player, also as server-sent events that say how each stands
"""
