"""The replay of a match, step by step. Every control is a link; a script only makes it faster."""

import gzip
from typing import cast

from flask import Blueprint, Response, request, url_for

from pbem.kit.logs import logfile
from pbem.services.views import match_views, replays, seats
from pbem.services.views.replay_pictures import MOST
from pbem.services.views.replays import MatchReplay
from pbem.web.protocol.assets import drawing_version
from pbem.web.protocol.compression import accepts_gzip
from pbem.web.protocol.language import page_language, speak
from pbem.web.protocol.page import also, claim_of, page, site
from pbem.web.protocol.security import keep_private, keep_unlisted
from pbem.web.views import replay_pictures, share, viewer
from pbem.web.views.match_page import ending, headline

bp = Blueprint("replay", __name__)

_YEAR_S = 365 * 86_400


@bp.get("/replay/<match_id>")
def public(match_id: str) -> Response:
    """Shows the replay to anyone who has its address."""
    seen = replays.read_replay(site(), match_id, None, page_language(), _eyes())
    log = f"/api/v1/matches/{seen.sheet.id}/log"
    save = url_for("replay_pictures.public_request", match_id=match_id)
    return _show(seen, None, _public(seen), url_for("watch.match", match_id=match_id), log, save)


def _public(seen: MatchReplay) -> str:
    """Returns the address of the public frames, which changes when they would be drawn differently."""
    return url_for(
        "replay.public_frames", match_id=seen.sheet.id, viewer=viewer.word(seen.eyes), lang=page_language(),
        drawn=drawing_version(seen.names),
    )  # fmt: skip


@bp.get("/replay/<match_id>/frames.json")
def public_frames(match_id: str) -> Response:
    """Returns the boards of the steps, for the script."""
    return _frames(replays.read_replay(site(), match_id, None, page_language(), _eyes()))


@bp.get("/play/<token>/replay")
def own(token: str) -> Response:
    """Shows the replay to the player who holds a link to a seat."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    seen = replays.read_replay(site(), seated.sheet.id, seated.seat, page_language(), _eyes())
    if _is_public(seen):
        frames = _public(seen)  # the same for everybody, and without a token, so it may be cached
    else:
        frames = url_for("replay.own_frames", token=token, viewer=viewer.word(seen.eyes), lang=page_language())
    back, log = url_for("play.show", token=token), url_for("replay.own_log", token=token)
    return _show(seen, seated.seat, frames, back, log, url_for("replay_pictures.own_request", token=token))


@bp.get("/play/<token>/replay/frames.json")
def own_frames(token: str) -> Response:
    """Returns the boards of the steps, for the script."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    return _frames(replays.read_replay(site(), seated.sheet.id, seated.seat, page_language(), _eyes()))


@bp.get("/play/<token>/replay/log")
def own_log(token: str) -> Response:
    """Returns the portable log: redacted for the seat, and complete once the match is over."""
    seated = seats.read_seat(site(), claim_of(token))
    log = match_views.read_log(site(), seated.sheet.id, seated.seat)
    return Response(logfile.write(log), mimetype="application/json")


def _eyes() -> replays.Eyes | str:
    """Returns the viewer that the query asks for; "" for the default."""
    return viewer.read_eyes(request.args.get("viewer", ""))


def _show(seen: MatchReplay, seat: int | None, frames: str, back: str, log: str, save: str) -> Response:
    sheet = seen.sheet
    _keep(seen)
    last = len(seen.steps)
    at = viewer.read_step(request.args.get("step", ""), last, 1 if sheet.over else last)
    return page(
        "views/replay.html", game=sheet.game, sheet=sheet, headline=headline(sheet, seat), ending=ending(sheet),
        frames=frames, back=back, log=log, own=seat is not None and not _is_public(seen), here=_here(seen, at),
        card=_card(seen, at) if seat is None else None,
        picture=share.step_address(seen, at) if seat is None else None,
        save=save, stretch=replay_pictures.stretch(seen, at), most=MOST,
        **viewer.step_variables(seen, at, replays.choices(sheet, seat)),
    )  # fmt: skip


def _card(seen: MatchReplay, at: int) -> share.Card:
    """Returns the card of the step; of the whole match where the address names none and it is over."""
    return share.replay_card(seen, None if not seen.steps or (seen.sheet.over and "step" not in request.args) else at)


def _is_public(seen: MatchReplay) -> bool:
    """True if everybody may see this viewer's replay, so that the step has an address without a token."""
    return seen.sheet.over and seen.sheet.spectators


def _here(seen: MatchReplay, at: int) -> str:
    """Returns the address of the step, for sharing."""
    if not _is_public(seen):
        return also(step=str(at))
    return url_for("replay.public", match_id=seen.sheet.id, viewer=viewer.word(seen.eyes), step=at)


def _keep(seen: MatchReplay) -> None:
    """Keeps replays of running matches out of caches, and those of finished ones out of search engines."""
    if seen.sheet.over:
        keep_unlisted()
    else:
        keep_private()


def _frames(seen: MatchReplay) -> Response:
    """Returns the frames, compressed, and cacheable for ever once the match is over."""
    _keep(seen)
    response = viewer.frames(seen)
    if seen.sheet.over:
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
        response.set_data(gzip.compress(response.get_data(), compresslevel=6, mtime=0))
        response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")


def _is_current(seen: MatchReplay) -> bool:
    """True if the address names the current version of the drawings."""
    return request.args.get("drawn") == drawing_version(seen.names) and "lang" in request.args
