"""Leagues.

feed    the results of a season, in the order in which they became public
          publish_results, read_page
"""
