"""The mails of circles.

circle      an invitation, or a request of somebody who has the link
circlenews  a page that was opened, or another founder
occasion    a standing table that meets: are you in?
toofew      a standing table without a seat for somebody who had said yes
"""
