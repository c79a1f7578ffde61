"""On which browser a player has signed in before: strangers who type their address cannot use up what is asked there.

The cookie opens nothing. It lasts longer than the session, and ends with the player's epoch: with signing out, with a
renewal of all links, and with a new address.
"""

from flask import request
from werkzeug.wrappers import Response

from pbem.errors import Unauthorized
from pbem.services.players import players
from pbem.services.players.players import Account
from pbem.web.protocol.page import site

COOKIE = "known"
_LIFE_S = 400 * 86_400


def remember(response: Response, player: Account) -> Response:
    """The response, by which the browser remembers who has signed in on it."""
    token = site().tokens.for_browser(player.id, player.epoch)
    secure = site().config.url.startswith("https:")
    response.set_cookie(COOKIE, token, _LIFE_S, path="/", secure=secure, httponly=True, samesite="Lax")
    return response


def forget(response: Response) -> Response:
    """The response, by which the browser forgets it."""
    if COOKIE in request.cookies:
        response.delete_cookie(COOKIE, path="/")
    return response


def known_player() -> int | None:
    """The id of the player who has signed in on this browser; None where nobody has."""
    if (token := request.cookies.get(COOKIE)) is None:
        return None
    try:
        return players.read_account(site(), site().tokens.read_browser(token)).id
    except Unauthorized:
        return None
