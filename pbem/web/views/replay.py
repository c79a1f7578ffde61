"""The replay of a match, step by step. Every control is a link; a script only makes it faster."""

from typing import cast

from flask import Blueprint, Response, request

from pbem.kit.logs import logfile
from pbem.services.views import match_views, replays, seats
from pbem.services.views.replays import MatchReplay
from pbem.web.protocol.assets import drawing_version
from pbem.web.protocol.language import page_language, speak
from pbem.web.protocol.page import claim_of, site
from pbem.web.protocol.requests import accepts_gzip, packed
from pbem.web.views import replay, viewer

bp = Blueprint("replay", __name__)

_YEAR_S = 365 * 86_400


@bp.get("/replay/<match_id>")
def public(match_id: str) -> Response:
    """Shows the replay to anyone who has its address."""
    return replay.show_public(match_id, request.args)


@bp.get("/replay/<match_id>/frames.json")
def public_frames(match_id: str) -> Response:
    """Returns the boards of the steps, for the script."""
    return _frames(replays.read_replay(site(), match_id, None, page_language(), _eyes()))


@bp.get("/play/<token>/replay")
def own(token: str) -> Response:
    """Shows the replay to the player who holds a link to a seat."""
    return replay.show_own(token, request.args)


@bp.get("/play/<token>/replay/frames.json")
def own_frames(token: str) -> Response:
    """Returns the boards of the steps, for the script."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    return _frames(replays.read_replay(site(), seated.sheet.id, seated.seat, page_language(), _eyes()))


@bp.get("/play/<token>/replay/log")
def own_log(token: str) -> Response:
    """Returns the portable log: redacted for the seat, and complete once the match is open."""
    seated = seats.read_seat(site(), claim_of(token))
    log = match_views.read_log(site(), seated.sheet.id, seated.seat)
    return Response(logfile.write(log), mimetype="application/json")


def _eyes() -> replays.Eyes | str:
    """Returns the viewer that the query asks for; "" for the default."""
    return viewer.read_eyes(request.args.get("viewer", ""))


def _frames(seen: MatchReplay) -> Response:
    """Returns the frames, compressed, and cacheable for ever once the match is open."""
    replay.keep(seen)
    response = viewer.frames(seen)
    if seen.sheet.open:
        # Weak: the compressed answer has the same tag.
        response.add_etag(weak=True)
        current = _is_current(seen)
        response.cache_control.max_age = _YEAR_S if current else 0
        response.cache_control.immutable = current
    compress_frames(response)
    return cast(Response, response.make_conditional(request))


def compress_frames(response: Response) -> None:
    """Compresses the frames for clients that accept it: one board is much like the next."""
    if accepts_gzip():
        response.set_data(packed(response.get_data()))
        response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")


def _is_current(seen: MatchReplay) -> bool:
    """True if the address names the current version of the drawings."""
    return request.args.get("drawn") == drawing_version(seen.names) and "lang" in request.args
