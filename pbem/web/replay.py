"""A match for those who look on, and again step by step. Every control is a link; a script only makes it quick."""

import gzip
from typing import Any, cast

from flask import Blueprint, Response, jsonify, request, url_for
from markupsafe import Markup

from pbem.errors import N_, NotFound
from pbem.faces import phrases, pictures
from pbem.rules import logfile
from pbem.services import replays, seats, views
from pbem.services.replays import Eyes, Replay, Step
from pbem.web.assets import drawing_version
from pbem.web.language import _, speak, spoken
from pbem.web.page import also, page, site
from pbem.web.security import keep_private, keep_unlisted
from pbem.web.table import ending, headline, table, who

bp = Blueprint("replay", __name__)

_YEAR_S = 365 * 86_400


@bp.get("/match/<match_id>")
def match(match_id: str) -> Response:
    """The match as a spectator sees it."""
    view = seats.watch(site(), match_id)
    sheet = view.sheet
    keep_private()
    shown = table(view, (), request.path) if view.fold is not None else None
    return page(
        "match.html", game=sheet.game, sheet=sheet, table=shown, headline=headline(sheet, None),
        ending=ending(sheet), who=who(sheet, None), zone="UTC", now=site().now(),
    )  # fmt: skip


@bp.get("/replay/<match_id>")
def public(match_id: str) -> Response:
    """The match step by step for whoever has its address."""
    seen = replays.read_replay(site(), match_id, spoken(), None, _eyes())
    log = f"/api/v1/matches/{seen.sheet.id}/log"
    return _show(seen, None, _public(seen), url_for("replay.match", match_id=match_id), log)


def _public(seen: Replay) -> str:
    """Where the frames are that everybody may see; the address changes when they would be drawn differently."""
    return url_for(
        "replay.public_frames", match_id=seen.sheet.id, viewer=_word(seen.eyes), lang=spoken(),
        drawn=drawing_version(),
    )  # fmt: skip


@bp.get("/replay/<match_id>/frames.json")
def public_frames(match_id: str) -> Response:
    """All steps at once, for the script."""
    return _frames(replays.read_replay(site(), match_id, spoken(), None, _eyes()))


@bp.get("/play/<token>/replay")
def own(token: str) -> Response:
    """The match step by step for the one who holds a link to a seat."""
    seated = seats.read_seat(site(), "play", token)
    speak(seated.language)
    seen = replays.read_replay(site(), seated.sheet.id, spoken(), seated.seat, _eyes())
    if seen.sheet.over and seen.sheet.spectators:
        frames = _public(seen)  # the same for everybody, and what holds no token may be kept
    else:
        frames = url_for("replay.own_frames", token=token, viewer=_word(seen.eyes), lang=spoken())
    return _show(seen, seated.seat, frames, url_for("play.show", token=token), url_for("replay.own_log", token=token))


@bp.get("/play/<token>/replay/frames.json")
def own_frames(token: str) -> Response:
    """All steps at once, for the script."""
    seated = seats.read_seat(site(), "play", token)
    speak(seated.language)
    return _frames(replays.read_replay(site(), seated.sheet.id, spoken(), seated.seat, _eyes()))


@bp.get("/play/<token>/replay/log")
def own_log(token: str) -> Response:
    """The match as a portable log: what the seat may know, and all once it is over; at private tables, too."""
    seated = seats.read_seat(site(), "play", token)
    log = views.read_log(site(), seated.sheet.id, seated.seat)
    return Response(logfile.write(log), mimetype="application/json")


def _eyes() -> Eyes | str:
    """Whose eyes the query asks for; "" for the usual ones."""
    word = request.args.get("viewer", "")
    if word in ("", "all"):
        return word
    if word == "none":
        return None
    if not word.isdecimal() or len(word) > 2:
        raise NotFound(N_("There is no such seat."))
    return int(word)


def _word(eyes: Eyes) -> str:
    return "none" if eyes is None else str(eyes)


def _show(seen: Replay, seat: int | None, frames: str, back: str, log: str) -> Response:
    sheet = seen.sheet
    _keep(seen)
    wish = request.args.get("step", "")
    last = len(seen.steps)
    at = min(max(int(wish), 1), last) if wish.isdecimal() and len(wish) < 6 else (1 if sheet.over else last)
    board = _board(seen, seen.steps[at - 1]) if seen.steps else Markup("")
    return page(
        "replay.html", game=sheet.game, sheet=sheet, headline=headline(sheet, seat),
        ending=ending(sheet), board=board, at=at, last=last, frames=frames, back=back, log=log,
        lines=[(step.n, _line(seen, step), also(step=str(step.n))) for step in seen.steps],
        ticks=[step.n for step in seen.steps if step.opens], to=lambda n: also(step=str(min(max(n, 1), last))),
        eyes=[(_word(e), _eyes_name(seen, e), also(viewer=_word(e)), e == seen.eyes)
              for e in replays.choices(sheet, seat)],
    )  # fmt: skip


def _eyes_name(seen: Replay, eyes: Eyes) -> str:
    if eyes == "all":
        return _("everybody")
    return _("a spectator") if eyes is None else seen.sheet.names[int(eyes)]


def _board(seen: Replay, step: Step) -> Markup:
    return pictures.page_svg(seen.board(step), seen.sheet.names)


def _line(seen: Replay, step: Step) -> Markup:
    return phrases.html(step.text, seen.sheet.names, seen.sheet.game.meta)


def _keep(seen: Replay) -> None:
    """Sees to it that what still runs is stored by nobody, and what is over is listed by no search engine."""
    if seen.sheet.over:
        keep_unlisted()
    else:
        keep_private()


def _frames(seen: Replay) -> Response:
    """All steps, and the symbols that their boards use; packed, and kept by the browser once the match is over."""
    _keep(seen)
    told: list[dict[str, Any]] = [
        {"n": step.n, "svg": _board(seen, step), "line": _line(seen, step)} for step in seen.steps
    ]
    symbols = pictures.symbols(seen.sheet.game, *(frame["svg"] for frame in told))
    response = jsonify({"symbols": symbols, "frames": told})
    if seen.sheet.over:
        # Weak: the packed answer has the same tag.
        response.add_etag(weak=True)
        response.cache_control.max_age = _YEAR_S if _current() else 0
        response.cache_control.immutable = _current()
    if request.accept_encodings.quality("gzip") > 0 and "gzip" in request.accept_encodings.values():
        response.set_data(gzip.compress(response.get_data(), compresslevel=6, mtime=0))
        response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")
    return cast(Response, response.make_conditional(request))


def _current() -> bool:
    """Whether the address says by which version of the drawings its frames are drawn, and that is the present one."""
    return request.args.get("drawn") == drawing_version() and "lang" in request.args
