"""The terms of a season: what is played, how long, who moves up, and what counts; stated before its start.

They stand in `leagues.terms` and `seasons.terms` as JSON with these names; what is left out has its default.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec

from pbem.answers import OPTIONS_SHOWN, about, of_games
from pbem.errors import N_, Invalid
from pbem.features.leagues.tables import League, Season
from pbem.kit.bots import bots_of
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame
from pbem.render.i18n import join_or
from pbem.services.lobby.match_request import decode_options, valid_seconds_or_default
from pbem.services.log.store import game_by_slug
from pbem.services.site import Site

Unfinished = Literal["half", "standing", "none"]
PairedBy = Literal["rotation", "organiser"]

DIVISION_MOST, MATCHES_MOST, DAYS_MOST, REST_MOST, BOTS_MOST = 32, 12, 366, 366, 5
AHEAD = timedelta(days=366)
"""How far ahead a season may be announced."""


class SeasonTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The terms of a season, with every default filled in."""

    seats: Annotated[int, about("Seats at a table; 0: as few as the game allows.")] = 0
    division_size: Annotated[int, about("How many entrants a division has.")] = 8
    matches: Annotated[int, about("How many matches each entrant plays.")] = 3
    days: Annotated[int, about("How long the season lasts.")] = 42
    rest_days: Annotated[
        int | None, about("How long after it the next season starts, which is opened by itself; null: no next one.")
    ] = 7
    turn_s: Annotated[int, about("Seconds for a turn; 0: the site's.")] = 0
    window_s: Annotated[int, about("Seconds for an answer during another's turn; 0: the site's.")] = 0
    options: Annotated[dict[str, Any], of_games(OPTIONS_SHOWN)] = {}
    promoted: Annotated[int, about("How many of each division move up.")] = 1
    relegated: Annotated[int, about("How many of each division move down.")] = 1
    pairing: Annotated[
        PairedBy, about("Who pairs: the site in `rotation`, or the `organiser` by `POST /seasons/<id>/matches`.")
    ] = "rotation"
    duplicate: Annotated[bool, about("Whether all tables of a round of a division play the same deal.")] = False
    bots: Annotated[
        tuple[str, ...], about("Bots of the game that fill the last tables, so that nobody has a bye.")
    ] = ()
    unfinished: Annotated[
        Unfinished,
        about(
            "What a match counts that is not over when the season closes: a draw for all its seats "
            "(`half`), by the scores as they are (`standing`), or nothing (`none`). Those that share a deal are "
            "called off."
        ),
    ] = "half"
    least: Annotated[
        int,
        about("With fewer entrants, or bots alone after the first, there is no season; 0: as few as the game allows."),
    ] = 0
    rated_with_bots: Annotated[
        bool, about("Whether a match at which a bot sits changes the ratings of the people there.")
    ] = False

    @property
    def options_json(self) -> str:
        """The game's options as matches store them: their canonical JSON."""
        return encode(self.options).decode()

    @property
    def duration(self) -> timedelta:
        """How long the season lasts."""
        return timedelta(days=self.days)

    def __hash__(self) -> int:
        return hash(terms_as_json(self))  # the options are a dict


def terms_of(row: League | Season) -> SeasonTerms:
    """Returns the terms of the season, or those of the league's next one."""
    return msgspec.json.decode(row.terms, type=SeasonTerms)


def terms_as_json(terms: SeasonTerms) -> str:
    """Returns the terms as they are stored."""
    return msgspec.json.encode(terms).decode()


def check_and_complete_terms(site: Site, game: AnyGame, given: Mapping[str, Any]) -> SeasonTerms:
    """Returns the terms with every default filled in.

    Raises Invalid, with a sentence that says what to do; its fields are below `terms`.
    """
    try:
        return _check_terms_and_fill_defaults(site, game, msgspec.convert(dict(given), SeasonTerms))
    except msgspec.ValidationError as error:
        message, facts = N_("The terms are not valid: %(why)s."), {"why": str(error)}
        raise Invalid(message, facts, fields=("terms",)) from None
    except Invalid as problem:
        problem.fields = problem.fields or ("terms",)
        raise


def _check_terms_and_fill_defaults(site: Site, game: AnyGame, terms: SeasonTerms) -> SeasonTerms:
    seats = terms.seats or min(game.meta.seats)
    if seats not in game.meta.seats:
        allowed = {lang: join_or([str(n) for n in game.meta.seats], lang) for lang in ("fr", "en")}
        raise Invalid(N_("A table of this game has %(allowed)s seats."), {"allowed": allowed}, fields=("terms.seats",))
    _check_numbers(terms, seats)
    unknown = [bot for bot in terms.bots if bot not in bots_of(game)]
    if unknown or len(terms.bots) > BOTS_MOST:
        facts = {"bots": ", ".join(bots_of(game)), "most": str(BOTS_MOST)}
        message = N_("The bots that may fill up are at most %(most)s of these: %(bots)s.")
        raise Invalid(message, facts, fields=("terms.bots",))
    turn_s = valid_seconds_or_default(terms.turn_s or None, site.config.turn_s)
    return msgspec.structs.replace(
        terms,
        seats=seats,
        options=msgspec.to_builtins(decode_options(game, terms.options)),
        turn_s=turn_s,
        window_s=min(valid_seconds_or_default(terms.window_s or None, site.config.window_s), turn_s),
        least=max(terms.least, min(game.meta.seats)),
    )


def _check_numbers(terms: SeasonTerms, seats: int) -> None:
    bounds = [
        ("division_size", terms.division_size, seats, DIVISION_MOST),
        ("matches", terms.matches, 1, MATCHES_MOST),
        ("days", terms.days, 1, DAYS_MOST),
        ("rest_days", terms.rest_days or 0, 0, REST_MOST),
        ("promoted", terms.promoted, 0, terms.division_size // 2),
        ("relegated", terms.relegated, 0, terms.division_size // 2),
        ("least", terms.least, 0, 1000),
    ]
    for name, value, low, high in bounds:
        if not low <= value <= high:
            facts = {"name": name, "low": str(low), "high": str(high)}
            message = N_("“%(name)s” must be between %(low)s and %(high)s.")
            raise Invalid(message, facts, fields=(f"terms.{name}",))


def check_start(site: Site, starts_at: datetime) -> datetime:
    """Returns when the season starts, not before now. Raises Invalid if that is more than a year ahead."""
    now = site.now()
    if starts_at > now + AHEAD:
        raise Invalid(N_("A season can be announced a year ahead at most."), fields=("starts_at",))
    return max(starts_at, now)


def game_of_league(row: League) -> AnyGame:
    """Returns the league's game."""
    return game_by_slug(row.game)
