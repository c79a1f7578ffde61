"""A player's own record, and the page of it that they may publish."""

from collections.abc import Mapping
from typing import TypeVar

from flask import Blueprint, Response, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.features.records import records
from pbem.features.records.records import Tally
from pbem.games import all_games
from pbem.services.players.players import Account
from pbem.services.results.ratings import FIRST
from pbem.web.features import Parts, rendered
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import require_player, require_player_of_form

bp = Blueprint("records", __name__)
PARTS = (bp,)

What = TypeVar("What")
MOST_FRIENDS = 50
"""This many of the others are shown: those met most often."""


def home_page(player: Account) -> Parts:
    """Returns the link to the player's record; a guest has none."""
    return Parts(links=rendered("features/records/home_page.html")) if player.address is not None else Parts()


def preferences_page(player: Account) -> Parts:
    """Returns the link to the player's record."""
    return Parts(links=rendered("features/records/preferences_page.html"))


@bp.get("/me/results")
def show() -> Response:
    """Shows a signed-in player their record."""
    player = require_player()
    record = records.read_own_record(site(), player.id)
    public = site().url(url_for("records.show_public", token=record.key)) if record.key else None
    friends = [(friend, _with_game_titles(friend.games)) for friend in record.friends[:MOST_FRIENDS]]
    return page(
        "features/records/record.html", record=record, games=_lines_by_game(record.games), friends=friends,
        public=public,
        recent=records.RECENT, rated=_with_game_titles(record.shared.ratings), shared=record.shared,
        first=FIRST,
    )  # fmt: skip


@bp.post("/me/results/publish")
def publish() -> AnyResponse:
    """Makes the player's public page."""
    records.publish_record(site(), require_player_of_form().id)
    return redirect(url_for("records.show", _anchor="public"), 303)


@bp.post("/me/results/withdraw")
def withdraw() -> AnyResponse:
    """Ends the player's public page."""
    records.unpublish_record(site(), require_player_of_form().id)
    return redirect(url_for("records.show", _anchor="public"), 303)


@bp.get("/record/<token>")
def show_public(token: str) -> Response:
    """Shows what a player has published: results by game, without anybody's name."""
    public = records.read_public_record(site(), token)
    return page(
        "features/records/record_public.html", games=_lines_by_game(public.games), shared=public.shared,
        rated=_with_game_titles(public.shared.ratings), first=FIRST,
    )  # fmt: skip


def _lines_by_game(games: Mapping[str, Tally]) -> list[tuple[str, Tally, str]]:
    """Returns the title of each game, its results, and how often which place was taken: "3 × place 2, 1 × place 4"."""
    lines = []
    for title, tally in _with_game_titles(games):
        places = (_("%(count)s × place %(place)s", place=place, count=count) for place, count in tally.places.items())
        lines.append((title, tally, ", ".join(places)))
    return lines


def _with_game_titles(of_games: Mapping[str, What]) -> list[tuple[str, What]]:
    """Returns what there is of each game that is here, with the game's title."""
    games = all_games()
    return [(games[slug].meta.title[page_language()], what) for slug, what in of_games.items() if slug in games]
