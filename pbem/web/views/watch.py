"""A match for spectators, and again, step by step: at the step and through the eyes that an address or a form names.

Every control of a replay is a link; a script only makes it faster.
"""

from collections.abc import Mapping
from typing import Any, cast

from flask import Blueprint, Response, g, request, url_for

from pbem.errors import Problem
from pbem.kit.logs import logfile
from pbem.services.lobby import rematches
from pbem.services.views import match_views, replays, seats
from pbem.services.views.match_views import Sheet
from pbem.services.views.replays import MatchReplay
from pbem.web.features import ReplayPage, head_of, parts_of
from pbem.web.protocol.assets import drawing_version
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import claim_of, page, site, tag_of, this_page, unless_known
from pbem.web.protocol.requests import accepts_gzip, gzip_bytes
from pbem.web.protocol.security import keep_private, keep_unlisted
from pbem.web.views import viewer
from pbem.web.views.match_page import (
    SHOWN_LINES,
    board_extent_in_query,
    ending_sentence,
    seat_lines,
    status_line_of_match,
    table_on_page,
)
from pbem.web.views.result import result_of_match
from pbem.web.views.strip import strip_of_items

bp = Blueprint("watch", __name__)

_YEAR_S = 365 * 86_400


@bp.get("/match/<match_id>")
def show_match(match_id: str) -> Response:
    """Shows the match as a spectator sees it; 304 if they have it already."""
    keep_private()
    sheet = match_views.read_sheet(site(), match_id, None)
    if same := unless_known(_page_tag_and_rematch_id(sheet)[0]):
        return same
    view = seats.watch(site(), match_id, page_language(), SHOWN_LINES)
    sheet, path = view.sheet, url_for("watch.show_match", match_id=match_id)
    tag, again = _page_tag_and_rematch_id(sheet)
    shown = table_on_page(view, (), path, board_extent_in_query()) if view.fold is not None else None
    ended = result_of_match(view, lambda step: url_for("watch.show_replay", match_id=match_id, step=step))
    return page(
        "views/match.html", etag=tag, game=sheet.game, sheet=sheet, table=shown,
        headline=status_line_of_match(sheet, None),
        ending=ending_sentence(sheet), who=seat_lines(sheet, None), zone="UTC", now=site().now(), path=path, tag=tag,
        result=ended, in_head=head_of(sheet), again=again, strip=strip_of_items(shown),
    )  # fmt: skip


def _page_tag_and_rematch_id(sheet: Sheet) -> tuple[str, str | None]:
    """Returns the tag of the page, and the match that plays this one again, if any."""
    again = rematches.read_rematch_id(site(), sheet.id) if sheet.over else None
    return tag_of(sheet, None, sidebar=again), again


# --- again, step by step ----------------------------------------------------------------------------------------


@bp.get("/replay/<match_id>")
@bp.get("/play/<token>/replay")
def show_replay(match_id: str | None = None, token: str | None = None) -> Response:
    """Shows the replay, to anyone who has the address of the match or to the holder of a link to a seat."""
    return render_replay(match_id, token, request.args)


@bp.get("/replay/<match_id>/frames.json")
@bp.get("/play/<token>/replay/frames.json")
def show_frames(match_id: str | None = None, token: str | None = None) -> Response:
    """Returns the boards of the steps, for the script: compressed, and cacheable for ever once the match is open."""
    of, seat = viewer.match_and_reader(match_id, token)
    eyes = viewer.read_viewer(request.args.get("viewer", ""))
    seen = replays.read_replay(site(), of, seat, page_language(), eyes)
    set_replay_caching(seen)
    response = viewer.frames_response(seen)
    if seen.sheet.open:
        # Weak: the compressed answer has the same tag.
        response.add_etag(weak=True)
        current = request.args.get("drawn") == drawing_version(seen.names) and "lang" in request.args
        response.cache_control.max_age = _YEAR_S if current else 0
        response.cache_control.immutable = current
    compress_frames(response)
    return cast(Response, response.make_conditional(request))


@bp.get("/play/<token>/replay/log")
def own_log(token: str) -> Response:
    """Returns the portable log: redacted for the seat, and complete once the match is open."""
    seated = seats.read_seat(site(), claim_of(token))
    log = match_views.read_log(site(), seated.sheet.id, seated.seat)
    return Response(logfile.log_to_bytes(log), mimetype="application/json")


def compress_frames(response: Response) -> None:
    """Compresses the frames for clients that accept it: one board is much like the next."""
    if accepts_gzip():
        response.set_data(gzip_bytes(response.get_data()))
        response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")


def render_replay(
    match_id: str | None, token: str | None, said: Mapping[str, str], refused: Problem | None = None
) -> Response:  # fmt: skip
    """Renders the replay: for anyone who has the address of the match, or for the player who holds this play link.

    `said` has the viewer and the step, as the address or a feature's form has them; `refused` is why that form was
    refused.
    """
    of, seat = viewer.match_and_reader(match_id, token)
    seen = replays.read_replay(site(), of, seat, page_language(), viewer.read_viewer(said.get("viewer", "")))
    set_replay_caching(seen)
    sheet, last, eyes = seen.sheet, len(seen.steps), viewer.viewer_in_address(seen.eyes)
    at = viewer.read_step(said.get("step", ""), last, 1 if sheet.over else last)
    is_public = sheet.open and sheet.spectators  # then the step has an address without a token
    path = url_for("watch.show_replay", **viewer.match_id_or_token(match_id, token))
    if refused is not None:  # the form's own address has no page
        g.path, g.query = path, {"viewer": eyes, "step": str(at)}
    replay = ReplayPage(seen, at, said, seat, token, refused)
    return page(
        "views/replay.html", game=sheet.game, refused=refused, sheet=sheet, headline=status_line_of_match(sheet, seat),
        ending=ending_sentence(sheet), own=seat is not None and not is_public,
        here=(
            url_for("watch.show_replay", match_id=sheet.id, viewer=eyes, step=at)
            if is_public
            else this_page(step=str(at))
        ),
        for_all=seat is None, in_head=head_of(replay) if seat is None else "",
        features=parts_of("replay_page", replay), **_replay_links(seen, token, is_public),
        **viewer.replay_step_variables(seen, at, replays.perspectives_of_reader(sheet, seat)),
    )  # fmt: skip


def _replay_links(seen: MatchReplay, token: str | None, is_public: bool) -> dict[str, Any]:
    """Returns the addresses to which the page of the replay leads."""
    of = seen.sheet.id
    # Without a token they are the same frames for everybody, so they may be cached.
    whose = viewer.match_id_or_token(of, None if is_public else token)
    drawn = drawing_version(seen.names) if "match_id" in whose else None
    eyes, lang = viewer.viewer_in_address(seen.eyes), page_language()
    frames = url_for("watch.show_frames", **whose, viewer=eyes, lang=lang, drawn=drawn)
    if token is None:
        back, luck = url_for("watch.show_match", match_id=of), url_for("luck.show_match_luck", match_id=of)
        return {"frames": frames, "back": back, "log": f"/api/v1/matches/{of}/log", "luck": luck}
    return {
        "frames": frames, "back": url_for("play.show_seat", token=token), "log": url_for("watch.own_log", token=token),
        "luck": url_for("luck.show_own_luck", token=token),
    }  # fmt: skip


def set_replay_caching(seen: MatchReplay) -> None:
    """Keeps replays with secrets out of caches, and those of open matches out of search engines."""
    if seen.sheet.open:
        keep_unlisted()
    else:
        keep_private()
