"""Seasons of a league as pure computation: nothing here knows players, dates or a database.

pairing    who meets whom at which table, and on which seat
standings  what places are worth, also of tables that play the same deal; the order of a division, and who moves
"""
