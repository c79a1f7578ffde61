"""What all pages share.

page            making a page: its template, its symbols, what every page knows
errors          pages for problems
stale           the page for a form that was opened before another one was saved
language        in which language a page speaks
theme           whether a page is light or dark
lucky_words     the field for a lucky word
time_zones      the time zones that forms offer
sign_in         who is signed in on this browser
known_browsers  on which browser a player has signed in before
origin          from which site a form was sent
security        what every answer carries so that links stay secret
limits          which pages are capped per network
nearby          whether a request comes from this machine
etags           ETags of a match's pages
compression     gzip for answers
assets          static files, under addresses that change with their content
inlining        static files within a page that stands alone
requests        one line of the log and one count for each request
logs            request logs without links
bot_names       the names of bots
"""
