"""The standings of a season, and the feed of its results.

standings  the standings of a season, live and at its end
             read_divisions
comparing  the deals that tables share: sealed, or open and how they went on each seat
             read_deals
feed       the results of a season, in the order in which they became public
             publish_results, read_results
"""
