"""The mail to those who have written one.

reply  what was done of it, or why nothing was, and what is asked now
"""
