"""Leagues and their seasons: the list, the page of a season, entering, and the organiser's forms.

showing     the list of leagues, a league, a season with its standings
entering    entering a season and withdrawing, on its page and by the link of a mail; no weekly mail
organising  founding a league, its seasons, inviting, bots, ending it
"""

from pbem.errors import N_
from pbem.features.leagues import reading
from pbem.features.leagues.pages import entering, organising, showing
from pbem.limits import JOINS, Limit, matches
from pbem.services.players.players import Account
from pbem.web.features import Parts, rendered
from pbem.web.protocol.page import site

PARTS = (showing.bp, entering.bp, organising.bp)
LIMITS = (
    Limit("entry.enter", JOINS),
    Limit("organising.make", matches),
    Limit("organising.invite", JOINS),
    Limit("organising.enter_bots", JOINS),
)
NAV = (("leagues.show_list", N_("Leagues")),)


def home_page(player: Account) -> Parts:
    """Returns the player's seasons, if they have any."""
    seasons = reading.read_own_current_seasons(site(), player.id) if player.address is not None else ()
    return (
        Parts(sections=rendered("features/leagues/home.html", seasons=seasons, player=player)) if seasons else Parts()
    )
