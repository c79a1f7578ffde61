"""Pictures of a replay, or a page of it, made by a worker: the form asks for one, and a page shows how far it is.

The page of a seat leads to its own pictures, the public page to public ones. Asking for one needs no token against
forgery: it does nothing in anybody's name, and other sites may not post here.
"""

from collections.abc import Mapping
from typing import cast, get_args

from babel.numbers import format_decimal
from flask import Blueprint, Response, current_app, redirect, request, url_for

from pbem.errors import N_, Invalid, Problem, TooMany
from pbem.features.pictures import pictures, saved_page
from pbem.features.pictures.limits import DRAWINGS, FILES
from pbem.features.pictures.pictures import Kind, Pace, Wanted
from pbem.limits import Limit
from pbem.render.pictures import Theme
from pbem.render.problems import problem_sentence
from pbem.web.features import Parts, ReplayPage, rendered
from pbem.web.protocol.errors import problem_page
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, page_theme, site
from pbem.web.protocol.security import keep_private, keep_unlisted
from pbem.web.views import viewer
from pbem.web.views.watch import render_replay

bp = Blueprint("replay_pictures", __name__)

PARTS = (bp,)
FORMS = "features/pictures/replay_page.html"
_MEGABYTE = 1_000_000
PROPOSED = 20
"""How many steps the form proposes."""
_LONGEST = 20
"""How many letters of what was typed into a number's field are shown again."""


# --- asking ----------------------------------------------------------------------------------------------------


@bp.post("/replay/<match_id>/pictures")
@bp.post("/play/<token>/replay/pictures")
def ask(match_id: str | None = None, token: str | None = None) -> Response:
    """Takes on a picture for those who may see the replay, and leads to its page; a refused form is shown again."""
    match, seat = viewer.match_and_reader(match_id, token)
    try:
        eyes = viewer.read_viewer(request.form.get("viewer", ""))
        made = pictures.request_picture(site(), match, seat, page_language(), eyes, read_form(request.form))
    except (Invalid, TooMany) as problem:
        return _show_form_again(problem, match_id, token)
    address = url_for("replay_pictures.look", **viewer.match_id_or_token(match_id, token), picture_id=made)
    return cast(Response, redirect(address, 303))


def _show_form_again(problem: Problem, match_id: str | None = None, token: str | None = None) -> Response:
    return render_replay(match_id, token, request.form, problem)


def refuse(problem: Problem) -> Response:
    """Shows the form again to a caller who has had too many pictures drawn. Never raises: the limiter calls it."""
    if not isinstance(problem, TooMany):
        return problem_page(problem)
    try:
        return _show_form_again(problem, **(request.view_args or {}))
    except Exception as error:  # noqa: BLE001 - it is answered as any error of a view
        return current_app.make_response(current_app.handle_user_exception(error))


LIMITS = (Limit("replay_pictures.ask", DRAWINGS, refuse), Limit("replay_pictures.send", FILES))


def replay_page(replay: ReplayPage) -> Parts:
    """Returns the forms that ask for a picture or a page, under the story."""
    seen = replay.seen
    if not seen.steps:
        return Parts()
    save = url_for("replay_pictures.ask", **viewer.match_id_or_token(seen.sheet.id, replay.token))
    shown = rendered(
        FORMS, form=_values_of_form(replay), save=save, at=replay.at, last=len(seen.steps),
        eye=viewer.viewer_in_address(seen.eyes),
        most=pictures.MOST, open=seen.sheet.open,
    )  # fmt: skip
    return Parts(under_story=shown)


# --- looking ---------------------------------------------------------------------------------------------------


@bp.get("/replay/<match_id>/pictures/<picture_id>")
@bp.get("/play/<token>/replay/pictures/<picture_id>")
def look(picture_id: str, match_id: str | None = None, token: str | None = None) -> Response:
    """Returns how far the picture is."""
    picture = pictures.read_picture(site(), *viewer.match_and_reader(match_id, token), picture_id)
    file = url_for("replay_pictures.send", **viewer.match_id_or_token(match_id, token), picture_id=picture_id)
    if token is None:
        _keep_private_or_unlisted(picture.open)
    back = url_for("watch.show_replay", **viewer.match_id_or_token(match_id, token), viewer=picture.eyes)
    return page("features/pictures/picture.html", game=picture.game, picture=picture, file=file, back=back,
                size=_size_in_words(picture.size))  # fmt: skip


def _size_in_words(count: int) -> str:
    lang = page_language()
    if count < _MEGABYTE:
        return _("%(number)s kB", number=format_decimal(max(1, round(count / 1000)), locale=lang))
    return _("%(number)s MB", number=format_decimal(count / _MEGABYTE, "0.0", locale=lang))


def _keep_private_or_unlisted(over: bool) -> None:
    """Keeps pictures of running matches out of caches, and those of finished ones out of search engines."""
    if over:
        keep_unlisted()
    else:
        keep_private()


@bp.get("/replay/<match_id>/pictures/<picture_id>/file")
@bp.get("/play/<token>/replay/pictures/<picture_id>/file")
def send(picture_id: str, match_id: str | None = None, token: str | None = None) -> Response:
    """Returns the finished picture or page, or 304 to those who have it.

    Browsers ask for it each time, since the right to see it may end.
    """
    match, seat = viewer.match_and_reader(match_id, token)
    found = pictures.read_file(site(), match, seat, picture_id)
    _keep_private_or_unlisted(found.open)
    if found.kind == "htm":
        response = Response(saved_page.page_with_boards(match, seat, found), mimetype="text/html")
        response.headers.set("Content-Disposition", "attachment", filename=f"{found.game}-{match}.html")
    else:
        response = Response(found.data, mimetype=f"image/{found.kind}")
        response.headers.set("Content-Disposition", "inline", filename=f"{found.game}.{found.kind}")
    response.add_etag()
    response.cache_control.no_cache = True
    return cast(Response, response.make_conditional(request))


# --- the form ----------------------------------------------------------------------------------------------------


def _values_of_form(replay: ReplayPage) -> dict[str, str]:
    """Returns the values of the form: as it was sent, with the `trouble` in words and the name of the `wrong` field.

    If none was refused, it proposes the step shown and those after it, or the last ones.
    """
    typed, problem, last = replay.said, replay.refused, len(replay.seen.steps)
    if problem is None:
        first = max(1, min(replay.at, last - PROPOSED + 1))
        steps = {"first": str(first), "last": str(min(last, first + PROPOSED - 1))}
        return {**steps, "pace": "normal", "theme": page_theme(), "trouble": "", "wrong": ""}
    values = {name: typed.get(name, "")[:_LONGEST] for name in ("first", "last", "pace", "theme")}
    # The step of a single picture is in no field that the reader sees.
    wrong = str(problem.extra.get("field", "")) if typed.get("kind") == "gif" else ""
    return {**values, "trouble": problem_sentence(problem, page_language()), "wrong": wrong}


def read_form(typed: Mapping[str, str]) -> Wanted:
    """Returns the picture that the form asks for. Raises Invalid."""
    kind, pace, theme = (typed.get(name, "") for name in ("kind", "pace", "theme"))
    if kind == "htm":
        return Wanted("htm")
    if kind not in get_args(Kind) or pace not in get_args(Pace) or theme not in get_args(Theme):
        raise Invalid(N_("This form was sent incomplete. Please send it again."))
    first = _step_number_in(typed, "step" if kind == "png" else "first")
    return Wanted(cast(Kind, kind), first, _step_number_in(typed, "last"), cast(Pace, pace), cast(Theme, theme))


def _step_number_in(typed: Mapping[str, str], field: str) -> int:
    """Returns the step in a field; 0, which is none, for anything else."""
    said = typed.get(field, "").strip()
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 6 else 0
