"""Leagues and their seasons: the list, the page of a season, entering, and the organiser's forms.

showing     the list of leagues, a league, a season with its standings
entering    entering a season and withdrawing, on its page and by the link of a mail; no weekly mail
organising  founding a league, its seasons, inviting, bots, ending it
"""
