"""Authentication: a seat by its token, a spectator without one, a player by the token of their account link or by an
access token. In a match, an access token acts for the seat which its player has taken there, within its scopes."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from typing import Any, TypeVar, cast

from flask import Response, after_this_request, current_app, g, request

from pbem.errors import N_, Busy, Forbidden, InsufficientScope, NoMatch, Unauthorized
from pbem.kit.texts import LANGS, Lang
from pbem.limits import network
from pbem.origins import origin_own_other_or_unsaid
from pbem.render.i18n import language_of_wishes
from pbem.services.access import access_tokens
from pbem.services.access.access_tokens import Scope
from pbem.services.access.seat_links import language_of_link_holder
from pbem.services.players.players import read_account
from pbem.services.site import Site
from pbem.services.tokens import PlayClaim, SeatClaim
from pbem.services.who import STRANGER

_LATE, NOBODY = "confirms_late", "nobody"
_SIT = N_("This needs the token of a seat: send “Authorization: Bearer <token>”. It is the last part of the play link.")
_SIGN_IN = N_(
    "This needs the token of your account: send “Authorization: Bearer <token>”. It is the last part of the link "
    "that signs you in, in the email with your links, and is valid for half an hour."
)
_ACCOUNT_ONLY = N_(
    "This needs the token of your account, from the link that signs you in; an access token is not enough."
)
_MEANWHILE = N_("Somebody else is writing to this just now. Please try again.")
_FROM_ELSEWHERE = N_("A page of another site may do this with a token only: send “Authorization: Bearer <token>”.")
_LACKING = N_("This token may not do that: it needs the scope “%(needs)s”.")
_MATCH_ID = re.compile("[0-9a-f]{1,32}")

View = TypeVar("View", bound=Callable[..., Any])
SCOPES: frozenset[str] = frozenset(access_tokens.SCOPES)


@dataclass(frozen=True)
class Bearer:
    """The player whose token came with the request, and its scopes; `token_id` is None for an account link's token."""

    player_id: int
    token_id: int | None
    scopes: frozenset[str]
    expires_at: datetime | None = None


@dataclass
class Credentials:
    """As whom the request comes, and what it has shown of itself: one value a request.

    `claim` is what the token of a seat says, whose signature has been checked.
    """

    claim: SeatClaim | None = None
    confirmed: bool = False
    """Whether the token is still that of its seat, as far as this was looked at."""
    bearer: Bearer | None = None
    language: Lang | None = None
    """That of the player; None: it is not known, or was not looked at."""
    seen: Response | None = None
    """What the caller has seen, confirmed by `If-Match`."""

    @property
    def id(self) -> str:
        """The caller's stable id: “player:7”, “seat:<match>.<seat>.<epoch>” or “nobody”."""
        if self.bearer is not None:
            return f"player:{self.bearer.player_id}"
        seat = self.claim
        return f"seat:{seat.match_id}.{seat.seat}.{seat.epoch}" if seat is not None else NOBODY

    def use_language(self, wanted: str | None) -> None:
        """Remembers the language of the player, if it is one of the site's."""
        self.language = next((lang for lang in LANGS if wanted == lang), None)

    def confirm(self) -> None:
        """Checks once that the token, if any, is still that of its seat. Raises Unauthorized."""
        if self.claim is not None and not self.confirmed:
            self.confirmed = True
            self.use_language(language_of_link_holder(site(), self.claim))


def caller() -> Credentials:
    """Returns as whom the request comes."""
    if "caller" not in g:
        g.caller = Credentials()
    return cast(Credentials, g.caller)


def site() -> Site:
    """Returns the site that this application serves."""
    return cast(Site, current_app.extensions["pbem"])


def recognise() -> None:
    """Finds out as whom the request looks at the match in its address.

    Raises Unauthorized for a token that is not valid, Forbidden for one of another match or without the scope that is
    needed, NoMatch for an address that cannot be a match's. In an operation for SEAT_UNDER_LOCK only the
    signature of a seat's token is looked at.
    """
    who = g.caller = Credentials()
    match_id = (request.view_args or {}).get("match_id")
    if match_id is None:
        return
    known = _MATCH_ID.fullmatch(match_id) is not None
    if (header := request.headers.get("Authorization")) is not None:
        token = _bearer_token(header)
        if token.startswith(access_tokens.PREFIX):
            found = _authenticate_by_access_token(token, match_id if known else None)
            if found.seat is not None and found.epoch is not None:
                who.claim, who.confirmed = PlayClaim(match_id, found.seat, found.epoch), True
        else:
            claim = who.claim = site().tokens.read(PlayClaim, token)
            if claim.match_id != match_id or not getattr(
                current_app.view_functions[request.endpoint or ""], _LATE, False
            ):
                who.confirm()
            if claim.match_id != match_id:
                raise Forbidden(N_("This token is for another match."))
    if not known:
        raise NoMatch


def _authenticate_by_access_token(token: str, match_id: str | None = None) -> access_tokens.Found:
    """Authenticates the request by an access token, and finds its player's seat in the match, if any.

    Raises Unauthorized, and InsufficientScope if the token may not do this.
    """
    here, who = site(), caller()
    found = access_tokens.authenticate(here, token, match_id)
    who.use_language(found.language)
    who.bearer = Bearer(found.player_id, found.token_id, found.scopes, found.expires_at)

    @after_this_request
    def record_use_afterwards(response: Response) -> Response:
        response.call_on_close(
            lambda: access_tokens.record_use(here, found)
        )  # runs after the answer was sent, so it must not wait
        return response

    for scope in scopes_needed(current_app.view_functions[request.endpoint or ""], request.method):
        if scope not in found.scopes:
            raise InsufficientScope(_LACKING, needs=scope)
    return found


def scopes_needed(view: Any, method: str) -> tuple[Scope, ...]:
    """Returns the scopes that an access token must have for this view, all of them: its own, else one by its method."""
    said: tuple[Scope, ...] = getattr(view, "scopes", ())
    return said or (("read",) if method in ("GET", "HEAD") else ("play",))


def _bearer_token(header: str) -> str:
    """Returns the token in the header. Raises Unauthorized."""
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Unauthorized(N_("Send the token as “Authorization: Bearer <token>”."))
    return token.strip()


def key_owner() -> str:
    """Returns the owner of the request's Idempotency-Keys: the caller, or without a token their network.

    The network is a keyed hash, so that the database holds no address.
    """
    who = caller().id
    if who != NOBODY:
        return who
    return f"{NOBODY}:{site().tokens.request_digest(network(request.remote_addr).encode())[:32]}"


def _seat_required(view: View, *, late: bool = False) -> View:
    """Returns the view for callers with a seat only, looked at before anything else of the request.

    In place of the address's `match_id` the view gets `claim`: what the token says, whose signature has been checked.

    If `late`, the service alone looks at the caller's link, under the match's lock: whatever else it refuses is told to
    those alone whose link is valid. Raises Unauthorized, and Forbidden for a player who does not sit there. Services
    look at the link once more, under the match's lock (`seat_links.seat_of_link`), and an access token outlives its
    seat's links: if these were renewed meanwhile, what changes something is refused as Busy, not as Unauthorized.
    """

    @wraps(view)
    def wrapper(*args: Any, match_id: object = None, **kwargs: Any) -> Any:
        who: Credentials = g.caller
        if who.claim is None:
            raise Unauthorized(_SIT) if who.bearer is None else Forbidden(N_("You have no seat in this match."))
        try:
            try:
                return view(*args, claim=who.claim, **kwargs)
            except Exception:
                if late:
                    who.confirm()
                raise
        except Unauthorized:
            if who.bearer is not None and request.method not in ("GET", "HEAD"):
                raise Busy(_MEANWHILE, retry_after=1) from None
            raise

    setattr(wrapper, _LATE, late)
    return cast(View, wrapper)


def _pass_caller(find: Callable[[], dict[str, Any]]) -> Callable[[View], View]:
    """Returns a decorator for views that get what `find` finds of the caller, before anything else of the request."""

    def admit(view: View) -> View:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return view(*args, **find(), **kwargs)

        return cast(View, wrapper)

    return admit


def _viewer_argument() -> dict[str, Any]:
    """Returns the seat whose token came with the request as `viewer`: None for a spectator."""
    claim = caller().claim
    return {"viewer": claim.seat if claim is not None else None}


def _account_owner_argument() -> dict[str, Any]:
    """Returns the player whose account link has the token of this request, as the view's argument `player_id`.

    Raises Unauthorized, and InsufficientScope for a personal token, which can neither make others nor go further.
    """
    token = _bearer_token(_authorization_header())
    if token.startswith(access_tokens.PREFIX):
        access_tokens.authenticate(site(), token, None)
        raise InsufficientScope(_ACCOUNT_ONLY, needs="account")
    return {"player_id": _player_of_account_link(token)}


def _authorization_header() -> str:
    if (header := request.headers.get("Authorization")) is None:
        raise Unauthorized(_SIGN_IN)
    return header


def _player_or_stranger_argument() -> dict[str, Any]:
    """Returns `who` calls: the id of the player by either kind of token, or STRANGER.

    Raises Unauthorized for any other token, InsufficientScope where a personal one may not do this, and Forbidden where
    a page of another site has it done without a token.
    """
    header = request.headers.get("Authorization")
    if header is None and request.method != "GET" and origin_own_other_or_unsaid(request, site().config.url) != "own":
        raise Forbidden(_FROM_ELSEWHERE)
    return {"who": STRANGER if header is None else _player_of_header(header)}


def _player_of_header(header: str) -> int:
    """Returns the player's id, by either kind of token. Raises Unauthorized, InsufficientScope."""
    token = _bearer_token(header)
    return (
        _authenticate_by_access_token(token).player_id
        if token.startswith(access_tokens.PREFIX)
        else _player_of_account_link(token)
    )


def _player_of_account_link(token: str) -> int:
    """Returns the id of the player whose account link has this token; from now on the request is theirs."""
    who, claim = caller(), site().tokens.read_account(token, site().now())
    who.use_language(read_account(site(), claim).language)
    who.bearer = Bearer(claim.player_id, None, SCOPES, claim.until)
    return claim.player_id


@dataclass(frozen=True)
class Who:
    """Who may call an operation.

    `security` is what the document says of it, `admit` makes a view look at the caller before anything else of the
    request, and `refuses` are the statuses with which it refuses.
    """

    security: list[dict[str, list[str]]] | None = None
    admit: Callable[[Any], Any] = lambda view: view
    refuses: tuple[int, ...] = (401, 403)


_SEATS: list[dict[str, list[str]]] = [{"seat": []}, {"token": []}]
_PLAYERS: list[dict[str, list[str]]] = [{"account": []}, {"token": []}]
EVERYBODY = Who(refuses=())
"""No token is looked at."""
LINK = Who(refuses=(401, 409))
"""Anyone who holds the link of a mail: its token is in the address. 409 where the match no longer takes it."""
ANYBODY = Who([*_SEATS, {}], _pass_caller(_viewer_argument))
"""A seat of the match, by its own token or by an access token of the player who sits there, or a spectator.

The view gets `viewer`.
"""
SEAT = Who(_SEATS, _seat_required)
"""A seat of the match: the view gets `claim` in place of `match_id`."""
SEAT_UNDER_LOCK = Who(_SEATS, partial(_seat_required, late=True))
"""The same, whose link nobody but the service looks at, under the match's lock."""
ACCOUNT = Who([{"account": []}], _pass_caller(_account_owner_argument))
"""A player whom a link of their mails has signed in: the view gets `player_id`."""
PLAYER = Who(_PLAYERS, _pass_caller(lambda: {"player_id": _player_of_header(_authorization_header())}))
"""A player: the view gets `player_id`."""
SOMEONE = Who([*_PLAYERS, {}], _pass_caller(_player_or_stranger_argument))
"""A player or nobody: the view gets `who`."""


def language() -> Lang:
    """Returns the language of `?lang=`, else that of the token's player, else that of Accept-Language, else French."""
    for lang in LANGS:
        if request.args.get("lang") == lang:
            return lang
    who = caller()
    who.confirm()
    if who.language is not None:
        return who.language
    return language_of_wishes(request.accept_languages) or LANGS[0]
