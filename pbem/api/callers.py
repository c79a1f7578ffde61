"""Who asks: a seat by its token, a spectator without one; or a player by the token of his account link."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeVar, cast

from flask import current_app, g, request

from pbem.errors import N_, Forbidden, NotFound, Unauthorized
from pbem.rules.contract import LANGS, Viewer
from pbem.services.callers import confirmed_language
from pbem.services.players import player_of
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim

_LATE, _SCOPE = "confirms_late", "needs_scope"
_MATCH_ID = re.compile("[0-9a-f]{1,32}")

View = TypeVar("View", bound=Callable[..., Any])
Scope = Literal["read", "play", "create"]
SCOPES: frozenset[str] = frozenset(("read", "play", "create"))

Security = list[dict[str, list[str]]]
SEAT: Security = [{"seat": []}, {"token": []}]
"""What the document says of an endpoint for a seat: its own token, or a personal one of who sits there."""
ANYBODY: Security = [*SEAT, {}]
"""The same where spectators may look, too."""
ACCOUNT: Security = [{"account": []}]
"""What it says of an endpoint for a player whom a link of his mails has signed in."""
PLAYER: Security = [*ACCOUNT, {"token": []}]
"""What it says of an endpoint for a player."""
SOMEONE: Security = [*PLAYER, {}]
"""The same where nobody need say who he is."""


@dataclass(frozen=True)
class Bearer:
    """A player whose token came with the request, and what it may do; without `token_id` it is his account link's."""

    player_id: int
    token_id: int | None
    scopes: frozenset[str]


def site() -> Site:
    """The site this application serves."""
    return cast(Site, current_app.extensions["pbem"])


def recognise() -> None:
    """Puts into `g.viewer` as whom the request looks at the match in its address.

    Raises Unauthorized for a token that is not valid, Forbidden for one of another match, NotFound for an
    address that cannot be a match's. Where the endpoint asks `late`, only the token's signature is looked at.
    """
    match_id = (request.view_args or {}).get("match_id")
    if match_id is None:
        return
    g.viewer = None
    header = request.headers.get("Authorization")
    if header is not None:
        claim = g.claim = _claim(header)
        g.viewer = claim.seat
        if claim.match_id != match_id or not getattr(_endpoint(), _LATE, False):
            confirm()
        if claim.match_id != match_id:
            raise Forbidden(N_("This token is for another match."))
    if not _MATCH_ID.fullmatch(match_id):
        raise NotFound(N_("There is no such match."))


def _bearer(header: str) -> str:
    """The token in the header. Raises Unauthorized."""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized(N_("Send the token as “Authorization: Bearer <token>”."))
    return token.strip()


def _claim(header: str) -> SeatClaim:
    return site().tokens.read_seat("play", _bearer(header))


def _endpoint() -> Any:
    return current_app.view_functions[request.endpoint or ""]


def confirm() -> None:
    """Returns when the token that came, if any, is that of a seat as it stands. Raises Unauthorized, the first time."""
    claim = g.get("claim")
    if claim is not None and not g.get("confirmed"):
        g.confirmed = True
        language = confirmed_language(site(), claim)
        g.language = next((lang for lang in LANGS if language == lang), None)


def late(view: View) -> View:
    """The view for those that look at the caller's link themselves, under the match's lock, by `claimed`.

    Whatever else they refuse is told to those alone whose link is valid.
    """

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return view(*args, **kwargs)
        except Exception:
            confirm()
            raise

    setattr(wrapper, _LATE, True)
    return cast(View, wrapper)


def scope(name: Scope) -> Callable[[View], View]:
    """A decorator that says what a personal token must be allowed; without it GET needs “read”, all else “play”."""

    def decorate(view: View) -> View:
        setattr(view, _SCOPE, name)
        return view

    return decorate


def claimed() -> SeatClaim:
    """What the token says that came with the request, its signature being right."""
    return cast(SeatClaim, g.claim)


def play_token() -> str:
    """The play token of the caller's seat, for what takes one."""
    claim = claimed()
    return site().tokens.for_seat("play", claim.match_id, claim.seat, claim.epoch)


def caller_id() -> str:
    """The caller's own word, the same at each request: “player:7”, “seat:<match>.<seat>.<epoch>” or “nobody”."""
    bearer: Bearer | None = g.get("bearer")
    if bearer is not None:
        return f"player:{bearer.player_id}"
    claim: SeatClaim | None = g.get("claim")
    return f"seat:{claim.match_id}.{claim.seat}.{claim.epoch}" if claim is not None else "nobody"


def viewer() -> Viewer:
    """The seat whose token came with the request; None for a spectator."""
    return cast(Viewer, g.viewer)


def seated(view: View) -> View:
    """The view for callers with a seat only, looked at before anything else of the request. Raises Unauthorized."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if g.viewer is None:
            message = N_(
                "This needs the token of a seat: send “Authorization: Bearer <token>”. "
                "It is the last part of the play link."
            )
            raise Unauthorized(message)
        return view(*args, **kwargs)

    return cast(View, wrapper)


def account(view: View) -> View:
    """The view for a player with the token of his account link: it gets his `player_id`. Raises Unauthorized."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        header = request.headers.get("Authorization")
        if header is None:
            message = N_(
                "This needs the token of your account: send “Authorization: Bearer <token>”. "
                "It is the last part of the link that signs you in, in the mail with your links, and holds good for "
                "half an hour."
            )
            raise Unauthorized(message)
        return view(*args, player_id=_of_account(header), **kwargs)

    return cast(View, wrapper)


def player(view: View) -> View:
    """The view for a player: it gets his `player_id`. Raises Unauthorized."""
    return account(view)


def someone(view: View) -> View:
    """The view for a player or nobody: it gets a `player_id`, or None. Raises Unauthorized for any other token."""

    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        header = request.headers.get("Authorization")
        return view(*args, player_id=None if header is None else _of_account(header), **kwargs)

    return cast(View, wrapper)


def _of_account(header: str) -> int:
    """The id of the player whose account link's token this is; the request is his from now on."""
    claim = site().tokens.read_account(_bearer(header), site().now())
    with site().reading() as session:
        found = player_of(session, claim)
        g.language = next((lang for lang in LANGS if found.language == lang), None)
    g.bearer = Bearer(claim.player_id, None, SCOPES)
    return claim.player_id
