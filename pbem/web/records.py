"""A player's own record, and the page of it that they may publish."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, Response, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.games import all_games
from pbem.services.results.ratings import FIRST, ShownRating
from pbem.services.views import records
from pbem.services.views.records import Friend, Tally, Versus
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import csrf, require_player

bp = Blueprint("records", __name__)

MOST_FRIENDS = 50
"""This many of the others are shown: those met most often."""


@dataclass(frozen=True)
class GameLine:
    """The results in one game; `places` says in words how often which place was taken."""

    title: str
    tally: Tally
    places: str


@dataclass(frozen=True)
class RatingLine:
    """The player's rating in a game."""

    title: str
    rating: ShownRating


@dataclass(frozen=True)
class FriendLine:
    """The results against one of the others: in all games, and in each if there are several."""

    name: str
    total: Versus
    games: list[tuple[str, Versus]]


@bp.get("/me/results")
def show() -> Response:
    """Shows a signed-in player their record."""
    player = require_player()
    record = records.read_record(site(), player.id)
    public = site().url(url_for("records.show_public", token=record.key)) if record.key else None
    friends = [_friend_line(friend) for friend in record.friends[:MOST_FRIENDS]]
    return page(
        "account/record.html", record=record, games=_game_lines(record.games), friends=friends, public=public,
        recent=records.RECENT, rated=_rating_lines(record.shared.ratings), shared=record.shared,
        first=FIRST,
    )  # fmt: skip


@bp.post("/me/results/publish")
def publish() -> AnyResponse:
    """Makes the player's public page."""
    csrf.protect()
    records.publish(site(), require_player().id)
    return redirect(url_for("records.show", _anchor="public"), 303)


@bp.post("/me/results/withdraw")
def withdraw() -> AnyResponse:
    """Ends the player's public page."""
    csrf.protect()
    records.unpublish(site(), require_player().id)
    return redirect(url_for("records.show", _anchor="public"), 303)


@bp.get("/record/<token>")
def show_public(token: str) -> Response:
    """Shows what a player has published: results by game, without anybody's name."""
    public = records.read_public(site(), token)
    return page(
        "account/record_public.html", games=_game_lines(public.games), rated=_rating_lines(public.shared.ratings),
        shared=public.shared, first=FIRST,
    )  # fmt: skip


def _game_lines(games: Mapping[str, Tally]) -> list[GameLine]:
    return [GameLine(_title(slug), tally, _places(tally.places)) for slug, tally in games.items()]


def _rating_lines(ratings: Mapping[str, ShownRating]) -> list[RatingLine]:
    return [RatingLine(_title(slug), rating) for slug, rating in ratings.items() if slug in all_games()]


def _title(slug: str) -> str:
    return all_games()[slug].meta.title[page_language()]


def _places(places: Mapping[int, int]) -> str:
    """Returns how often which place was taken: "3 × place 2, 1 × place 4"."""
    return ", ".join(_("%(count)s × place %(place)s", place=place, count=count) for place, count in places.items())


def _friend_line(friend: Friend) -> FriendLine:
    games = [(_title(slug), versus) for slug, versus in friend.games.items()]
    return FriendLine(friend.name, friend.total, games if len(games) > 1 else [])
