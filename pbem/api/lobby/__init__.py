"""A match until it begins.

matches      starting a match, and looking at its sheet
invitations  confirming, accepting, declining, joining, standing in for somebody
seating      seats before the start, leaving before it, playing the match again
"""
