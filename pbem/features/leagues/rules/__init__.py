"""Seasons of a league as pure computation: nothing here knows players, dates or a database.

pairing    who meets whom at which table, and on which seat
points     what the places of a table are worth
duplicate  scores of tables that play the same deal
standings  the order of a division, and who moves up or down
"""
