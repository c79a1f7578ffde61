"""The replay of a match, step by step, at the step and through the eyes that an address or a feature's form names.

Every control is a link; a script only makes it faster.
"""

from collections.abc import Mapping
from typing import Any, cast

from flask import Blueprint, Response, g, request, url_for

from pbem.errors import Problem
from pbem.kit.logs import logfile
from pbem.services.views import match_views, replays, seats
from pbem.services.views.replays import MatchReplay
from pbem.web.features import ReplayPage, parts_of
from pbem.web.protocol.assets import drawing_version
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import also, claim_of, page, seat_of_link, site
from pbem.web.protocol.requests import accepts_gzip, pack
from pbem.web.protocol.security import keep_private, keep_unlisted
from pbem.web.views import share, viewer
from pbem.web.views.match_page import ending, headline

bp = Blueprint("replay", __name__)

_YEAR_S = 365 * 86_400


@bp.get("/replay/<match_id>")
def public(match_id: str) -> Response:
    """Shows the replay to anyone who has its address."""
    return show(match_id, None, request.args)


@bp.get("/replay/<match_id>/frames.json")
def public_frames(match_id: str) -> Response:
    """Returns the boards of the steps, for the script."""
    return _frames(replays.read_replay(site(), match_id, None, page_language(), _eyes()))


@bp.get("/play/<token>/replay")
def own(token: str) -> Response:
    """Shows the replay to the player who holds a link to a seat."""
    return show(None, token, request.args)


@bp.get("/play/<token>/replay/frames.json")
def own_frames(token: str) -> Response:
    """Returns the boards of the steps, for the script."""
    seated = seat_of_link(token)
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
    keep(seen)
    response = viewer.frames(seen)
    if seen.sheet.open:
        # Weak: the compressed answer has the same tag.
        response.add_etag(weak=True)
        current = request.args.get("drawn") == drawing_version(seen.names) and "lang" in request.args
        response.cache_control.max_age = _YEAR_S if current else 0
        response.cache_control.immutable = current
    compress_frames(response)
    return cast(Response, response.make_conditional(request))


def compress_frames(response: Response) -> None:
    """Compresses the frames for clients that accept it: one board is much like the next."""
    if accepts_gzip():
        response.set_data(pack(response.get_data()))
        response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")


def show(
    match_id: str | None, token: str | None, said: Mapping[str, str], refused: Problem | None = None
) -> Response:  # fmt: skip
    """Renders the replay: for anyone who has the address of the match, or for the player who holds this play link.

    `said` has the viewer and the step, as the address or a feature's form has them; `refused` is why that form was
    refused.
    """
    if token is None:
        of, seat = match_id or "", None
    else:
        seated = seat_of_link(token)
        of, seat = seated.sheet.id, seated.seat
    seen = replays.read_replay(site(), of, seat, page_language(), viewer.read_eyes(said.get("viewer", "")))
    keep(seen)
    sheet, last, eyes = seen.sheet, len(seen.steps), viewer.word(seen.eyes)
    at = viewer.read_step(said.get("step", ""), last, 1 if sheet.over else last)
    is_public = sheet.open and sheet.spectators  # then the step has an address without a token
    path, links = _links(seen, of, token, is_public)
    if refused is not None:  # the form's own address has no page
        g.path, g.query = path, {"viewer": eyes, "step": str(at)}
    whole = not seen.steps or (sheet.over and "step" not in said)
    return page(
        "views/replay.html", game=sheet.game, refused=refused, sheet=sheet, headline=headline(sheet, seat),
        ending=ending(sheet), own=seat is not None and not is_public,
        here=url_for("replay.public", match_id=sheet.id, viewer=eyes, step=at) if is_public else also(step=str(at)),
        card=share.replay_card(seen, None if whole else at) if seat is None else None,
        picture=url_for(
            "share.step", match_id=sheet.id, viewer=eyes, step=at, lang=page_language(),
            drawn=drawing_version(sheet.names),
        ) if seat is None else None,
        features=parts_of("replay_page", ReplayPage(seen, at, said, seat, token, refused)), **links,
        **viewer.step_variables(seen, at, replays.choices(sheet, seat)),
    )  # fmt: skip


def _links(seen: MatchReplay, match_id: str, token: str | None, is_public: bool) -> tuple[str, dict[str, Any]]:
    """Returns the address of the replay, and those to which its page leads."""
    eyes, lang = viewer.word(seen.eyes), page_language()
    if token is None or is_public:  # the same frames for everybody, and without a token, so they may be cached
        drawn = drawing_version(seen.names)
        frames = url_for("replay.public_frames", match_id=seen.sheet.id, viewer=eyes, lang=lang, drawn=drawn)
    else:
        frames = url_for("replay.own_frames", token=token, viewer=eyes, lang=lang)
    if token is None:
        return url_for("replay.public", match_id=match_id), {
            "frames": frames, "back": url_for("watch.match", match_id=match_id),
            "log": f"/api/v1/matches/{seen.sheet.id}/log", "luck": url_for("luck.public", match_id=match_id),
        }  # fmt: skip
    return url_for("replay.own", token=token), {
        "frames": frames, "back": url_for("play.show", token=token), "log": url_for("replay.own_log", token=token),
        "luck": url_for("luck.own", token=token),
    }  # fmt: skip


def keep(seen: MatchReplay) -> None:
    """Keeps replays with secrets out of caches, and those of open matches out of search engines."""
    if seen.sheet.open:
        keep_unlisted()
    else:
        keep_private()
