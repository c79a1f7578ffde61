"""Remembers browsers in which a player signed in: strangers who enter the address cannot use up the quota there.

The cookie grants nothing. It outlives the session, and ends with the player's epoch: when they sign out, renew all
links, or change their address.
"""

from flask import request
from werkzeug.wrappers import Response

from pbem.errors import Unauthorized
from pbem.services.players import players
from pbem.services.players.players import Account
from pbem.services.tokens import PlayerClaim
from pbem.web.protocol.page import site

COOKIE = "known"
_LIFE_S = 400 * 86_400


def remember(response: Response, player: Account) -> Response:
    """Returns the response with the cookie that remembers the player."""
    token = site().tokens.sign(PlayerClaim(player.id, player.epoch))
    secure = site().config.url.startswith("https:")
    response.set_cookie(COOKIE, token, _LIFE_S, path="/", secure=secure, httponly=True, samesite="Lax")
    return response


def forget(response: Response) -> Response:
    """Returns the response, which deletes the cookie."""
    if COOKIE in request.cookies:
        response.delete_cookie(COOKIE, path="/")
    return response


def known_player() -> int | None:
    """Returns the id of the player who has signed in on this browser before; None if nobody has."""
    if (token := request.cookies.get(COOKIE)) is None:
        return None
    try:
        return players.read_account(site(), site().tokens.read(PlayerClaim, token)).id
    except Unauthorized:
        return None
