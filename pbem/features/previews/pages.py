"""What a link shows where it is passed on: title, description and picture, all as a spectator sees the match.

Only public pages have them: a program that fetches a preview must not open anything of a seat.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, cast

import structlog
from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Undrawable
from pbem.features.previews import share_pictures
from pbem.features.previews.share_pictures import HEIGHT, WIDTH, Player, SharePicture
from pbem.games import all_games
from pbem.kit.contract import AnyGame, Outcome
from pbem.kit.endings import endings_of, ranks_of
from pbem.kit.words import signed
from pbem.limits import Account, Limit
from pbem.render import phrases, pictures
from pbem.render.i18n import join_and
from pbem.render.table_story import sentence_case
from pbem.services.views import match_views, replays
from pbem.services.views.match_views import Sheet
from pbem.services.views.replays import MatchReplay
from pbem.web.features import Parts, ReplayPage, rendered
from pbem.web.protocol.assets import drawing_version
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import game_at, how_long, how_many, site
from pbem.web.protocol.security import keep_unlisted
from pbem.web.views import viewer
from pbem.web.views.match_page import SHOWN_LINES, ending_sentence, status_line_of_match

bp = Blueprint("previews", __name__)
PARTS = (bp,)

PICTURES = Account(
    "pictures", 600, N_("Too many pictures were requested from your network within the hour. Please wait.")
)
"""How often one place may look at pictures of links: drawing one takes longer than a page."""
LIMITS = tuple(Limit(f"previews.{view}", PICTURES) for view in ("home", "game", "game_of_rules", "match", "step"))

_RETRY_S = 600
"""When to ask again for a picture that cannot be drawn: it takes somebody to mend it."""
_YEAR_S = 365 * 86_400
_MOSAIC = 4

log = structlog.get_logger()


@dataclass(frozen=True)
class Card:
    """What stands in the head of a public page, for programs that show a preview of its link."""

    title: str
    description: str
    url: str
    image: str
    alt: str
    width: int = WIDTH
    height: int = HEIGHT


# --- cards ---------------------------------------------------------------------------------------------------


def head(shown: Sheet | ReplayPage | AnyGame | None) -> Parts:
    """Returns the card of a page for everybody."""
    match shown:
        case None:
            card = home_card()
        case Sheet():
            card = match_card(shown)
        case ReplayPage(seen=seen):
            whole = not seen.steps or (seen.sheet.over and "step" not in shown.said)
            card = replay_card(seen, None if whole else shown.at)
        case _:
            card = game_card(shown, rules=request.endpoint == "docs.show_rules")
    return Parts(head=rendered("features/previews/head.html", card=card))


def replay_page(replay: ReplayPage) -> Parts:
    """Returns the link to the picture of the step, on a page for everybody."""
    sheet, step = replay.seen.sheet, {"viewer": viewer.viewer_in_address(replay.seen.eyes), "step": replay.at}
    if replay.seat is not None:
        return Parts()
    picture = _path_of_picture("previews.step", sheet.names, match_id=sheet.id, **step)
    return Parts(links=rendered("features/previews/replay_page.html", sheet=sheet, picture=picture))


def match_card(sheet: Sheet) -> Card:
    """Returns the card of a match's page for spectators."""
    image = _url_of_image("previews.match", match_id=sheet.id, at=sheet.version)
    if sheet.over:
        more = _("Replay it step by step, through any player’s eyes.")
    else:
        more = _("Anyone with the link can watch.")
    said = ending_sentence(sheet) or _("%(headline)s.", headline=status_line_of_match(sheet, None))
    return _card_of_match(sheet, f"{said} {more}", url_for("watch.show_match", match_id=sheet.id), image)


def replay_card(seen: MatchReplay, at: int | None) -> Card:
    """Returns the card of a public replay at this step; None is the whole match."""
    sheet = seen.sheet
    step: dict[str, Any] = {} if at is None else {"viewer": viewer.viewer_in_address(seen.eyes), "step": at}
    if at is None:
        said = " ".join(
            part for part in (ending_sentence(sheet), _("Watch the whole match again, step by step.")) if part
        )
    else:
        # Not what the step tells: the address may have the eyes of somebody who saw more than a spectator.
        said = _("Replay, step %(at)s of %(last)s: watch on from here.", at=at, last=len(seen.steps))
    path = url_for("watch.show_replay", match_id=sheet.id, **step)
    return _card_of_match(sheet, said, path, _url_of_image("previews.step", sheet.names, match_id=sheet.id, **step))


def game_card(game: AnyGame, *, rules: bool = False) -> Card:
    """Returns the card of a game's page, or of its rules: the goal, and the picture of the game."""
    meta, lang = game.meta, page_language()
    said = {"game": meta.title[lang]}
    title = _("%(game)s: the rules", **said) if rules else meta.title[lang]
    path = url_for("docs.show_rules" if rules else "start.show_game", slug=meta.slug)
    image = _url_of_image("previews.game", slug=meta.slug)
    return Card(title, meta.blurb[lang], site().url(path), image, _("%(game)s: the cover", **said))


def home_card() -> Card:
    """Returns the card of the home page."""
    return Card(
        _("Board games by email"), _description_of_site(), site().url(url_for("start.show_home")),
        _url_of_image("previews.home"),
        _("Covers of some games"),
    )  # fmt: skip


def _card_of_match(sheet: Sheet, description: str, path: str, image: str) -> Card:
    game = sheet.game.meta.title[page_language()]
    names = join_and([seat.name for seat in sheet.seats if seat.name], page_language())
    title = f"{game} · {names}" if names else game
    return Card(title, description, site().url(path), image, _("%(game)s: the board as a spectator sees it", game=game))


def _url_of_image(endpoint: str, names: Sequence[str] = (), **where: Any) -> str:
    """Returns the address of a picture; it changes when the picture would be drawn differently."""
    return site().url(_path_of_picture(endpoint, names, **where))


def _path_of_picture(endpoint: str, names: Sequence[str] = (), **where: Any) -> str:
    return url_for(endpoint, **where, lang=page_language(), drawn=drawing_version(names))


def _description_of_site() -> str:
    return _("An email says “your turn”, its links open the board, and one button plays. No account needed.")


# --- pictures ------------------------------------------------------------------------------------------------


@bp.get("/picture.png")
def home() -> Response:
    """Returns the picture of the home page: covers of some games."""
    with _refuse_if_drawing_fails():
        covers = tuple(_cover_document(game) for game in islice(all_games().values(), _MOSAIC))
    return _picture_response(
        SharePicture("pbem", _("Board games by email"), _description_of_site(), (), "", covers), drawing_version()
    )


@bp.get("/games/<slug>/picture.png")
def game(slug: str) -> Response:
    """Returns the picture of a game, for its page and its rules: its cover and its goal."""
    game, lang = game_at(slug), page_language()
    length = _("%(seats)s players", seats=how_many(game.meta.seats))
    with _refuse_if_drawing_fails():
        shown = (_cover_document(game),)
    over, foot = _("Board games by email"), f"{length} · {how_long(game)}"
    return _picture_response(
        SharePicture(over, game.meta.title[lang], game.meta.blurb[lang], (), foot, shown), drawing_version()
    )


@bp.get("/rules/<slug>/picture.png")
def game_of_rules(slug: str) -> AnyResponse:
    """Leads to the picture of the game: an old address."""
    lang, drawn = request.args.get("lang"), request.args.get("drawn")
    return redirect(url_for("previews.game", slug=slug, lang=lang, drawn=drawn), 308)


@bp.get("/match/<match_id>/picture.png")
def match(match_id: str) -> Response:
    """Returns the picture of a match for spectators."""
    keep_unlisted()
    return _picture_response(_match_picture(match_id))


@bp.get("/replay/<match_id>/picture.png")
def step(match_id: str) -> Response:
    """Returns the picture of a step of the replay, or of the whole of it."""
    keep_unlisted()
    lang, said = page_language(), request.args.get("step", "")
    seen = replays.read_replay(site(), match_id, None, lang, viewer.read_viewer(request.args.get("viewer", "")))
    if not seen.steps or not said:
        return _picture_response(_match_picture(match_id))
    at = viewer.read_step(said, len(seen.steps), 1)
    return _picture_response(
        share_picture_of_step(seen, at), drawing_version(seen.sheet.names) if seen.sheet.open else None
    )


def _match_picture(match_id: str) -> SharePicture:
    lang = page_language()
    view = match_views.read_now(site(), match_id, None, lambda seen: seen.has_lines(lang, SHOWN_LINES))
    sheet, game = view.sheet, view.game
    title = game.meta.title[lang]
    if view.fold is None:
        with _refuse_if_drawing_fails():
            board = _cover_document(game)
    else:
        scene = view.scene(enumerate(view.news(lang).lines[-SHOWN_LINES:], 1))
        with _refuse_if_drawing_fails():
            board = pictures.board_document(game, game.draw(view.fold, None, lang, scene), sheet.names)
    if sheet.outcome is None:
        said = ending_sentence(sheet) or f"{status_line_of_match(sheet, None)}."
        return SharePicture(
            _("A match by email"), title, said, _players_to_show(sheet), _board_hidden_sentence(), (board,), game
        )
    winners, who = [sheet.names[seat] for seat in sheet.outcome.winners], title
    if len(winners) > 1:
        who = _("%(names)s win", names=join_and(winners, lang))
    elif winners:
        who = _("%(name)s wins", name=winners[0])
    reason = endings_of(game)[sheet.outcome.reason][lang]
    return SharePicture(
        _("%(game)s: the whole match", game=title), who, f"{sentence_case(reason)}.",
        _players_to_show(sheet, sheet.outcome), _("All hands are open in the replay."), (board,), game,
    )  # fmt: skip


def share_picture_of_step(seen: MatchReplay, at: int) -> SharePicture:
    """Returns the picture of a step, numbered as in `seen` and drawn as a spectator saw it, even after the end."""
    sheet, lang = seen.sheet, page_language()
    entry = seen.steps[at - 1].entry
    public = seen if seen.eyes is None else replays.read_replay(site(), sheet.id, None, lang, None)
    shown = next((step for step in reversed(public.steps) if step.entry <= entry), public.steps[0])
    with _refuse_if_drawing_fails():
        board = pictures.board_document(sheet.game, public.board(replace(shown, n=at)), sheet.names)
    return SharePicture(
        _("Replay, step %(at)s of %(last)s", at=at, last=len(seen.steps)),
        sheet.game.meta.title[lang],
        phrases.phrase_text(shown.text, sheet.names),
        _players_to_show(sheet),
        _("Watch on from here, through any player’s eyes.") if sheet.open else _board_hidden_sentence(),
        (board,),
        sheet.game,
    )


def _board_hidden_sentence() -> str:
    return _("What is hidden stays hidden.")


def _players_to_show(sheet: Sheet, outcome: Outcome | None = None) -> tuple[Player, ...]:
    """Returns those at the table; once it is over, in the order of their places."""
    if outcome is None:
        return tuple(Player(seat.seat, seat.name or _("Free seat")) for seat in sheet.seats)
    places, scores = ranks_of(outcome, len(sheet.seats)), outcome.scores
    ranked = sorted(sheet.seats, key=lambda one: (places[one.seat] or len(places), one.seat))
    return tuple(Player(one.seat, one.name, signed(scores[one.seat]) if scores else "") for one in ranked)


def _cover_document(game: AnyGame) -> str:
    """Returns the cover of the game as a whole document."""
    return pictures.board_document(game, pictures.cover_svg(game, page_language()), ())


@contextmanager
def _refuse_if_drawing_fails() -> Iterator[None]:
    """Raises Undrawable if a picture cannot be drawn; logs that without a traceback, which may quote the board."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever it is, the one who asks for the picture is told
        log.error("picture.undrawn", endpoint=request.endpoint, fault=pictures.error_kind_and_place(error))
        raise Undrawable(N_("This picture cannot be drawn at the moment."), retry_after=_RETRY_S) from None


def _picture_response(picture: SharePicture, drawn: str | None = None) -> Response:
    """Returns the picture, or 304 to those who have it.

    A picture that lasts may be kept by browsers under the address that has its version, `drawn`.
    """
    with _refuse_if_drawing_fails():
        svg = share_pictures.svg_document(picture)
    response = Response(mimetype="image/png")
    response.set_etag(hashlib.sha256(svg.encode()).hexdigest()[:24])
    if drawn is not None and request.args.get("drawn") == drawn and "lang" in request.args:
        response.cache_control.public, response.cache_control.max_age = True, _YEAR_S
        response.cache_control.immutable = True
    else:
        response.cache_control.no_cache = True
    if not request.if_none_match.contains(response.get_etag()[0] or ""):
        with _refuse_if_drawing_fails():
            response.set_data(share_pictures.svg_to_png(svg))
    return cast(Response, response.make_conditional(request))
