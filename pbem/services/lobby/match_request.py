"""What a new match is created from, and its validation.

Every check raises Invalid with a sentence that says what to do; none reads the database.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pbem.config import Config
from pbem.errors import N_, Invalid
from pbem.games import find_game
from pbem.kit.bots import bots_of
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame
from pbem.kit.logs.chain import MOST, normalize_word
from pbem.kit.texts import LANGS
from pbem.names import positions_of_lookalikes
from pbem.render.i18n import join_or, message_catalogue
from pbem.services.log.consent import CONSENT, FREE
from pbem.services.players.mailboxes import mailbox_of
from pbem.services.players.players import check_address, normalise_name
from pbem.services.who import ORGANISER

TWO_ALIKE = N_(
    "Two players would have names that look alike: “%(name)s” and “%(other)s”. Please choose another name for one of "
    "them."
)
TURN_MIN_S, TURN_MAX_S = 60, 60 * 86_400
VOTE = "vote"
LATE = ("fallback", VOTE)
"""What can happen to a late player when the grace is over."""
TAKEBACKS = (CONSENT, FREE)
"""What can be taken back at a table."""
WHAT_BACK = N_("A move is taken back with the others’ “consent”, or only while it is “free”: nobody has seen it.")
WHEN_LATE = N_("When the time is up, either the “fallback” plays or the table “vote”s.")


SILENT, AT_ONCE = "silent", "at_once"
WINDOWS = (SILENT, AT_ONCE)
"""What a window shows before it closes: see `pbem.kit.windows`."""
WHICH_WINDOWS = N_("Windows are either “silent”, or close “at_once”.")


@dataclass(frozen=True)
class Invitee:
    """A person to be seated: the name shown to the others, and the address to write to."""

    name: str
    address: str


@dataclass(frozen=True)
class Unnamed:
    """A person to be seated who is asked for their name when they accept; until then their seat is a letter.

    No name is made from the address: everybody at the table would see a part of it.
    """

    address: str


@dataclass(frozen=True)
class BotSeat:
    """A seat for a bot: "random", or one of the game's own bots."""

    bot: str


@dataclass(frozen=True)
class OpenSeat:
    """A seat for anybody with its link, which the organiser passes on by other means than our mail."""


Person = Invitee | Unnamed
Wish = Person | BotSeat | OpenSeat
"""What is wanted for a seat."""


@dataclass(frozen=True)
class NewMatch:
    """The input from which a match is created; the first of `seats` is the organiser, a person with a name."""

    game: str
    seats: Sequence[Wish]
    options: Mapping[str, Any] = field(default_factory=dict)
    turn_s: int | None = None
    window_s: int | None = None
    late: str | None = None
    bank_s: int | None = None
    increment_s: int | None = None
    windows: str | None = None
    spectators: bool = True
    language: str = "fr"
    word: str | None = None
    """The organiser's lucky word."""
    takebacks: str | None = None


@dataclass(frozen=True)
class Terms:
    """What is played at a new table, and how. `options` is their canonical JSON."""

    game: str
    options: str
    turn_s: int
    window_s: int
    spectators: bool
    organiser_id: int | None
    rematch_of: str | None = None
    late: str = "fallback"
    bank_s: int | None = None
    increment_s: int = 0
    untimed: bool = False
    silent: bool = True
    takebacks: str = CONSENT


def require_game(slug: str) -> AnyGame:
    """Returns the game with this slug. Raises Invalid."""
    game = find_game(slug)
    if game is None:
        raise Invalid(N_("There is no game “%(game)s” here."), {"game": slug[:40]})
    return game


def check_player_count(game: AnyGame, count: int) -> AnyGame:
    """Returns the game if it can be played by this many. Raises Invalid."""
    if count not in game.meta.seats:
        facts = {
            "game": {lang: game.meta.title[lang] for lang in LANGS},
            "allowed": {lang: join_or([str(n) for n in game.meta.seats], lang) for lang in LANGS},
            "count": {
                lang: message_catalogue(lang).ngettext("%(count)s player", "%(count)s players", count)
                % {"count": count}
                for lang in LANGS
            },
        }
        raise Invalid(N_("%(game)s takes %(allowed)s players; you named %(count)s."), facts)
    return game


def decode_options(game: AnyGame, options: Mapping[str, Any]) -> Any:
    """Returns the game's options as decoded from the input. Raises Invalid."""
    try:
        return codec_for(game).options(dict(options))
    except msgspec.ValidationError as error:
        raise Invalid(N_("The options are not valid: %(why)s."), {"why": str(error)}) from None


def check_bot(game: AnyGame, bot: str) -> str:
    """Returns the bot's name if the game has this bot. Raises Invalid."""
    known = bots_of(game)
    if bot not in known:
        raise Invalid(
            N_("There is no bot “%(bot)s” for this game; there are: %(bots)s."),
            {"bot": bot[:40], "bots": ", ".join(known)},
        )
    return bot


def check_bots_and_first_seat(game: AnyGame, seats: Sequence[Wish]) -> None:
    """Raises Invalid unless every bot is one of the game's and the first seat is a person's."""
    for wish in seats:
        if isinstance(wish, BotSeat):
            check_bot(game, wish.bot)
    if not seats or not isinstance(seats[ORGANISER], Invitee):
        raise Invalid(N_("The first seat is the organiser’s: it must be a person."))


def normalise_and_check_people(seats: Sequence[Person]) -> list[Person]:
    """Returns the people with normalised names. Raises Invalid if an address occurs twice, or two names look alike."""
    people = [Invitee(normalise_name(who.name), who.address) if isinstance(who, Invitee) else who for who in seats]
    addresses = [mailbox_of(check_address(who.address)[1]) for who in people]
    for who, address in zip(people, addresses, strict=True):
        if addresses.count(address) > 1:
            raise Invalid(N_("The address “%(address)s” is there twice."), {"address": who.address})
    given = [who.name for who in people if isinstance(who, Invitee)]
    names = [name.casefold() for name in given]
    for name in given:
        if names.count(name.casefold()) > 1:
            raise Invalid(N_("Two players are called “%(name)s”."), {"name": name})
    for group in positions_of_lookalikes(given):
        raise Invalid(TWO_ALIKE, {"name": given[group[1]], "other": given[group[0]]})
    return people


def valid_seconds_or_default(seconds: int | None, default: int) -> int:
    """Returns the seconds, or the default if none are given. Raises Invalid."""
    if seconds is None:
        return default
    if not TURN_MIN_S <= seconds <= TURN_MAX_S:
        raise Invalid(N_("The time for a turn must be between one minute and sixty days."))
    return seconds


def valid_bank_and_increment(bank_s: int | None, increment_s: int | None) -> tuple[int | None, int]:
    """Returns a seat's time bank and the increment per turn, in seconds; None and 0 without one. Raises Invalid."""
    if bank_s is None:
        if increment_s:
            raise Invalid(N_("Only a bank of time can have an increment."))
        return None, 0
    if not 0 <= (increment_s or 0) <= bank_s:
        raise Invalid(N_("The increment must be between nothing and the whole bank."))
    return valid_seconds_or_default(bank_s, bank_s), increment_s or 0


def valid_word_or_first_of(word: str | None, words: Sequence[str], refusal: str) -> str:
    """Returns the word if it is one of these; the first of them without one. Raises Invalid with the refusal."""
    if word is not None and word not in words:
        raise Invalid(refusal)
    return word or words[0]


def normalise_and_check_lucky_word(word: str | None) -> str | None:
    """Returns the lucky word as it counts; None without one, or for blanks alone. Raises Invalid."""
    counts = normalize_word(word or "")
    if max(len(word or ""), len(counts)) > MOST:
        raise Invalid(N_("A lucky word has at most %(most)s characters."), {"most": MOST})
    if not counts.isprintable():
        raise Invalid(N_("A lucky word may hold letters, digits, signs and blanks, but nothing invisible."))
    return counts or None


def terms_and_lucky_word_of_request(config: Config, wanted: NewMatch, game: AnyGame) -> tuple[Terms, str | None]:
    """Returns the terms of the match as wanted, without its organiser, and their lucky word. Raises Invalid."""
    options = decode_options(game, wanted.options)
    turn_s = valid_seconds_or_default(wanted.turn_s, config.turn_s)
    window_s = valid_seconds_or_default(wanted.window_s, min(config.window_s, turn_s))
    bank_s, increment_s = valid_bank_and_increment(wanted.bank_s, wanted.increment_s)
    terms = Terms(
        game.meta.slug, encode(options).decode(), turn_s, window_s, wanted.spectators, None,
        late=valid_word_or_first_of(wanted.late, LATE, WHEN_LATE), bank_s=bank_s, increment_s=increment_s,
        silent=valid_word_or_first_of(wanted.windows, WINDOWS, WHICH_WINDOWS) == SILENT,
        takebacks=valid_word_or_first_of(wanted.takebacks, TAKEBACKS, WHAT_BACK),
    )  # fmt: skip
    return terms, normalise_and_check_lucky_word(wanted.word)
