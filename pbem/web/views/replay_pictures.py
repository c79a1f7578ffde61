"""Pictures of a replay, or a page of it, made by a worker: the form asks for one, and a page shows how far it is.

The page of a seat leads to its own pictures, the public page to public ones. Asking for one needs no token against
forgery: it does nothing in anybody's name, and other sites may not post here.
"""

import hashlib
from typing import cast

from babel.numbers import format_decimal
from flask import Blueprint, Response, current_app, redirect, request, url_for

from pbem.errors import Invalid, TooMany
from pbem.services.views import replay_pictures, seats
from pbem.services.views.replay_pictures import Picture
from pbem.web.protocol.language import _, page_language, speak
from pbem.web.protocol.page import claim_of, page, site
from pbem.web.protocol.security import keep_private, keep_unlisted
from pbem.web.views import replay_page, saved_page, viewer
from pbem.web.views.picture_form import read_form

bp = Blueprint("replay_pictures", __name__)

_MEGABYTE = 1_000_000


# --- asking ----------------------------------------------------------------------------------------------------


@bp.post("/replay/<match_id>/pictures")
def public_request(match_id: str) -> Response:
    """Takes on a picture for anyone who may watch, and leads to its page; a refused form is shown again."""
    try:
        made = _request(match_id, None)
    except (Invalid, TooMany) as problem:
        return replay_page.show_public(match_id, request.form, problem)
    return _to(url_for("replay_pictures.public", match_id=match_id, picture_id=made))


@bp.post("/play/<token>/replay/pictures")
def own_request(token: str) -> Response:
    """Takes on a picture for the player who holds a link to a seat, and leads to its page, as `public_request` does."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    try:
        made = _request(seated.sheet.id, seated.seat)
    except (Invalid, TooMany) as problem:
        return replay_page.show_own(token, request.form, problem)
    return _to(url_for("replay_pictures.own", token=token, picture_id=made))


def _request(match_id: str, seat: int | None) -> str:
    eyes = viewer.read_eyes(request.form.get("viewer", ""))
    return replay_pictures.request_picture(site(), match_id, seat, page_language(), eyes, read_form(request.form))


def _to(address: str) -> Response:
    return cast(Response, redirect(address, 303))


def refuse(problem: TooMany) -> Response:
    """Shows the form again to a caller who has had too many pictures drawn. Never raises: the limiter calls it."""
    known = request.view_args or {}
    try:
        if "token" in known:
            return replay_page.show_own(known["token"], request.form, problem)
        return replay_page.show_public(known["match_id"], request.form, problem)
    except Exception as error:  # noqa: BLE001 - it is answered as any error of a view
        return current_app.make_response(current_app.handle_user_exception(error))


# --- looking ---------------------------------------------------------------------------------------------------


@bp.get("/replay/<match_id>/pictures/<picture_id>")
def public(match_id: str, picture_id: str) -> Response:
    """Shows how far the picture is, to anyone who may watch."""
    picture = replay_pictures.read_picture(site(), match_id, None, picture_id)
    _keep(picture.open)
    file = url_for("replay_pictures.public_file", match_id=match_id, picture_id=picture_id)
    return _show(picture, file, url_for("replay.public", match_id=match_id, viewer=picture.eyes))


@bp.get("/play/<token>/replay/pictures/<picture_id>")
def own(token: str, picture_id: str) -> Response:
    """Shows how far the picture is, to the player who holds a link to a seat."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    picture = replay_pictures.read_picture(site(), seated.sheet.id, seated.seat, picture_id)
    file = url_for("replay_pictures.own_file", token=token, picture_id=picture_id)
    return _show(picture, file, url_for("replay.own", token=token, viewer=picture.eyes))


def _show(picture: Picture, file: str, back: str) -> Response:
    return page("views/replay_picture.html", game=picture.game, picture=picture, file=file, back=back,
                size=_size(picture.size))  # fmt: skip


def _size(count: int) -> str:
    """Returns the size of a file in words."""
    lang = page_language()
    if count < _MEGABYTE:
        return _("%(number)s kB", number=format_decimal(max(1, round(count / 1000)), locale=lang))
    return _("%(number)s MB", number=format_decimal(count / _MEGABYTE, "0.0", locale=lang))


@bp.get("/replay/<match_id>/pictures/<picture_id>/file")
def public_file(match_id: str, picture_id: str) -> Response:
    """Returns the finished picture or page, to anyone who may watch."""
    return _send(match_id, None, picture_id)


@bp.get("/play/<token>/replay/pictures/<picture_id>/file")
def own_file(token: str, picture_id: str) -> Response:
    """Returns the finished picture or page, to the player who holds a link to a seat."""
    seated = seats.read_seat(site(), claim_of(token))
    speak(seated.language)
    return _send(seated.sheet.id, seated.seat, picture_id)


def _keep(over: bool) -> None:
    """Keeps pictures of running matches out of caches, and those of finished ones out of search engines."""
    if over:
        keep_unlisted()
    else:
        keep_private()


def _send(match_id: str, seat: int | None, picture_id: str) -> Response:
    """Returns the file, or 304 to those who have it. It is asked for each time: its access may end."""
    found = replay_pictures.read_file(site(), match_id, seat, picture_id)
    _keep(found.open)
    if found.kind == "htm":
        return saved_page.send(match_id, seat, found)
    response = Response(found.data, mimetype=f"image/{found.kind}")
    response.set_etag(hashlib.sha256(found.data).hexdigest()[:24])
    response.cache_control.no_cache = True
    response.headers.set("Content-Disposition", "inline", filename=f"{found.game}.{found.kind}")
    return cast(Response, response.make_conditional(request))
