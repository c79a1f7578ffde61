"""The standings of a season, and the feed of its results.

The pages, API, tasks and webhooks of leagues call it. Begin with `standings`.

standings  the standings of a season, live and at its end; the deals that tables share
             read_divisions, read_compared_deals
ranking    what places are worth, the order of a division, and who moves: without a database
feed       the results of a season, in the order in which they became public
             publish_results, read_results
"""
