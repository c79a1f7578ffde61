"""Records: what a player's matches that are over add up to, and a page of it that they may publish.

Begin with `records`.

records     the results by game and against others, and how fast they answer
              read_own_record, read_public_record, publish_record, unpublish_record
pages       the player's own page, and the public one
claims      the path of public pages, whose keys no log shows
"""
