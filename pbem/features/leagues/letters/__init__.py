"""The mails of leagues, a module each.

calledoff  a season does not take place
callup     asks whether somebody plays in a season
entry      asks to enter a season, at an address that somebody has typed
finish     a season is over: the standings, who moves, and the next season
kickoff    a season has begun: the reader's matches
week       the one mail a week
"""
