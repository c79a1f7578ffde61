"""The form of a new match: what was typed, what is wrong beside each field, and the match that it describes.

Who else plays is one choice of three, each with its own form: friends by their addresses, bots, or anyone who has a
link. How many play and which bots is in sight; everything else has a usual value, and stands in folds below the button
that show it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import Any

from pbem.config import Config
from pbem.errors import N_, Invalid
from pbem.kit.bots import usual_bot
from pbem.kit.contract import AnyGame
from pbem.kit.options import options_of
from pbem.render.i18n import duration_in_words
from pbem.services.lobby.match_request import (
    AT_ONCE,
    LATE,
    SILENT,
    TAKEBACKS,
    BotSeat,
    Invitee,
    NewMatch,
    OpenSeat,
    Person,
    Unnamed,
    Wish,
    check_bot,
    check_player_count,
    normalise_and_check_lucky_word,
    normalise_and_check_people,
    valid_bank_and_increment,
    valid_seconds_or_default,
)
from pbem.services.players.players import Account, check_address, normalise_name
from pbem.web.protocol.forms import error_of_check, lucky_word_error
from pbem.web.protocol.language import _, page_language

HOUR, DAY = 3600, 86_400
TURNS_S = (HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY)
BANKS_S = (HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY)
INCREMENTS_S = (60, 600, HOUR, 12 * HOUR, DAY)
WINDOWS_S = (600, HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY)
FRIENDS, BOTS, LINKS = "friends", "bots", "links"
OTHERS = (FRIENDS, BOTS, LINKS)
LINK = "link"
"""What fills an empty seat if no bot does. A form that says so in `fill` names a bot in `rest` all the same."""
MOST_TYPED = 4000
_ENTRY = re.compile(r'(?:"[^"\n]*"|[^,;\n"]|")+')
_NAMED = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>")
_BARE = re.compile(r"(?P<name>[^<>@]*)\s(?P<address>[^\s<>@]+@[^\s<>]+)")


@dataclass(frozen=True)
class Form:
    """The form of a match of this game with these others; `typed` are its fields by name, empty for a fresh one.

    `address` is the organiser's own: as typed, or that of the player who is signed in.
    """

    game: AnyGame
    others: str
    name: str
    address: str
    typed: Mapping[str, str]
    config: Config
    troubles: Mapping[str, str] = field(default_factory=dict)
    """The errors by the names of their fields."""

    banks, increments = BANKS_S, INCREMENTS_S

    @cached_property
    def values_typed_or_usual(self) -> Mapping[str, str]:
        """Returns what is typed or chosen in each field, else its usual value."""
        usual = {
            "friends": "", "players": "", "rest": usual_bot(self.game) if self.others == BOTS else LINK,
            "turn": str(self.config.turn_s), "window": "", "windows": SILENT, "bank": "", "increment": str(DAY // 2),
            "late": LATE[0], "takebacks": TAKEBACKS[0], "word": "", "spectators": "" if self.typed else "1",
        }  # fmt: skip
        by_link = {"rest": LINK} if self.typed.get("fill") == LINK else {}
        return {**usual, **self.typed, **by_link}

    @cached_property
    def friends_as_typed(self) -> list[Person]:
        """Returns the friends as typed, unchecked."""
        return read_people(self.values_typed_or_usual["friends"])

    @property
    def first_wrong(self) -> str:
        """Returns the name of the first field that is wrong, in the order of the page; "" for none."""
        return next(iter(self.troubles), "")

    def has_error_in(self, *names: str) -> bool:
        """True if a field of these names is wrong, or an option for "option": then its fold is open."""
        return any(name == wrong or wrong.startswith(f"{name}.") for name in names for wrong in self.troubles)

    # --- who plays ---------------------------------------------------------------------------------------------

    @property
    def player_counts(self) -> list[str]:
        """Returns the numbers of players to choose from."""
        return [str(count) for count in self.game.meta.seats]

    @property
    def player_count_in_field(self) -> str:
        """Returns the number of players that is chosen; "" for as many as are invited, or as the game needs."""
        count = self.values_typed_or_usual["players"]
        return count if count in self.player_counts else "" if self.others == FRIENDS else self.player_counts[0]

    @property
    def bot(self) -> str:
        """Returns the bot that is chosen for the empty seats, or would be if bots had them."""
        return (
            self.typed.get("rest", usual_bot(self.game))
            if self.values_typed_or_usual["rest"] == LINK
            else self.values_typed_or_usual["rest"]
        )

    @property
    def seats(self) -> list[Wish]:
        """Returns what is wanted for each seat, the organiser first. Raises Invalid."""
        people: list[Person] = [Invitee(self.name, self.address)]
        if self.others == FRIENDS:
            people += self.friends_as_typed
        return [*people, *self.wishes_for_remaining_seats(len(people))]

    def wishes_for_remaining_seats(self, people: int) -> list[Wish]:
        """Returns what fills the seats beside these people: as many as are wanted, or as the game needs at least."""
        count = self.values_typed_or_usual["players"]
        least = max(int(count) if count in self.player_counts else 0, people)
        rest = self.values_typed_or_usual["rest"]
        other: Wish = OpenSeat() if rest == LINK or self.others == LINKS else BotSeat(rest)
        return [other] * (next((fit for fit in self.game.meta.seats if fit >= least), least) - people)

    # --- pace --------------------------------------------------------------------------------------------------

    @property
    def turn_time_choices(self) -> list[int]:
        """Returns the times per turn to choose from, in seconds."""
        return sorted({*TURNS_S, self.config.turn_s})

    @property
    def window_time_choices(self) -> list[int]:
        """Returns the times for an answer during another's turn; none if the game has no such answers."""
        asked = self.game.meta.has_windows
        return list(WINDOWS_S) if asked else []

    @property
    def pace_words(self) -> str:
        """Returns the times, as the fold shows them, without what is as usual in a window."""
        bank, turn = self.seconds_in_field("bank"), self.seconds_in_field("turn") or self.config.turn_s
        if bank is not None:
            return _("%(time)s for all turns together", time=_duration_in_words(bank))
        words = _("%(time)s a turn", time=_duration_in_words(turn))
        if not self.window_time_choices:
            return words
        if (window := self.seconds_in_field("window")) is not None:
            words = f"{words}, " + _("%(time)s to react", time=_duration_in_words(window))
        return words if self.values_typed_or_usual["windows"] != AT_ONCE else f"{words}, " + _("windows close at once")

    # --- the rest ----------------------------------------------------------------------------------------------

    @cached_property
    def options(self) -> list[dict[str, Any]]:
        """Returns the game's options: name, title, hint, the choices with their words, and the chosen one."""
        lang = page_language()
        return [
            {
                "name": f"option.{option.name}",
                "title": option.title[lang],
                "hint": option.hint[lang],
                "choices": [(choice.word, choice.text[lang]) for choice in option.choices],
                "usual": option.usual,
                "chosen": self.typed.get(f"option.{option.name}", option.usual),
            }
            for option in options_of(self.game.meta)
        ]

    @property
    def unusual_options_in_words(self) -> str:
        """Returns the options that are not as usual, as the fold shows them."""
        changed = [
            _("%(title)s: %(chosen)s", title=option["title"], chosen=dict(option["choices"])[option["chosen"]])
            for option in self.options
            if option["chosen"] != option["usual"] and option["chosen"] in dict(option["choices"])
        ]
        return ", ".join(changed) or _("as printed")

    @property
    def who_may_watch_in_words(self) -> str:
        """Returns who may watch, as the fold shows it."""
        return _("open to spectators") if self.values_typed_or_usual["spectators"] == "1" else _("players only")

    def match(self) -> NewMatch:
        """Returns the match that the form describes. Raises Invalid."""
        options = {}
        for option in options_of(self.game.meta):
            word = self.typed.get(f"option.{option.name}")
            if word is not None:
                offered = any(choice.word == word for choice in option.choices)
                options[option.name] = option.value_of_word(word) if offered else word
        return NewMatch(
            game=self.game.meta.slug,
            seats=self.seats,
            options=options,
            turn_s=self.seconds_in_field("turn"),
            window_s=self.seconds_in_field("window"),
            windows=self.values_typed_or_usual["windows"],
            late=self.values_typed_or_usual["late"],
            bank_s=self.seconds_in_field("bank"),
            increment_s=self.seconds_in_field("increment") if self.values_typed_or_usual["bank"] else None,
            spectators=self.values_typed_or_usual["spectators"] == "1",
            language=page_language(),
            word=self.values_typed_or_usual["word"],
            takebacks=self.values_typed_or_usual["takebacks"],
        )

    def seconds_in_field(self, name: str) -> int | None:
        """Returns the time that is chosen in a field, in seconds; None for none."""
        said = self.values_typed_or_usual[name]
        return int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else None


def empty_form(game: AnyGame, config: Config, others: str, player: Account | None, name: str) -> Form:
    """Returns an empty form; `name` is what the player who is signed in was called before."""
    address = (player.address or "") if player else ""
    return Form(game, others if others in OTHERS else FRIENDS, name, address, {}, config)


def bots_form(game: AnyGame, config: Config, typed: Mapping[str, str], name: str) -> Form:
    """Returns the form of a match against bots as sent; with the game alone everything is as usual."""
    trouble = lucky_word_error(typed.get("word", ""))
    return Form(game, BOTS, name, "", typed if "others" in typed else {}, config, {"word": trouble} if trouble else {})


def read_form(game: AnyGame, config: Config, typed: Mapping[str, str], player: Account | None) -> Form:
    """Returns the form as sent, with its errors; a signed-in player organises under their own address."""
    others = typed.get("others", FRIENDS)
    address = (player.address or "") if player else typed.get("address", "")
    form = Form(game, others if others in OTHERS else FRIENDS, typed.get("name", ""), address, typed, config)
    who = [("name", lambda: normalise_name(form.name)), ("address", lambda: _require_address(form.address))]
    form = replace(form, troubles=_errors_of_checks(who))
    friends = [("friends", lambda: _check_friends(form))] if form.others == FRIENDS else []
    return replace(form, troubles={**form.troubles, **_errors_of_checks([*friends, *_terms_checks(form)])})


def terms_errors(form: Form) -> dict[str, str]:
    """Returns what is wrong with the terms of the match, by the names of the fields: all but who plays."""
    return _errors_of_checks(_terms_checks(form))


def _errors_of_checks(checks: Iterable[tuple[str, Callable[[], object]]]) -> dict[str, str]:
    return {name: trouble for name, check in checks if (trouble := error_of_check(check))}


def _terms_checks(form: Form) -> list[tuple[str, Callable[[], object]]]:
    checks: list[tuple[str, Callable[[], object]]] = []
    if form.values_typed_or_usual["rest"] != LINK:
        checks.append(("rest", lambda: check_bot(form.game, form.values_typed_or_usual["rest"])))
    turn, bank, increment = (form.seconds_in_field(name) for name in ("turn", "bank", "increment"))
    checks.append(("turn", lambda: valid_seconds_or_default(turn, form.config.turn_s)))
    if bank is not None:
        checks.append(("increment", lambda: valid_bank_and_increment(bank, increment)))
    checks.append(("word", lambda: normalise_and_check_lucky_word(form.values_typed_or_usual["word"])))
    return checks


def _require_address(address: str) -> None:
    if not address.strip():
        raise Invalid(N_("Every player needs an email address."))
    check_address(address)


def _check_friends(form: Form) -> None:
    """Raises Invalid for the first friend who cannot be invited as typed, or if they are too many."""
    friends = form.friends_as_typed
    for friend in friends:
        if isinstance(friend, Invitee):
            normalise_name(friend.name)
        check_address(friend.address)
    if not form.has_error_in("name", "address"):
        normalise_and_check_people([Invitee(form.name, form.address), *friends])
    if len(friends) >= max(form.game.meta.seats):
        check_player_count(form.game, 1 + len(friends))


def read_people(typed: str) -> list[Person]:
    """Returns the people whose addresses were typed, unchecked: each alone or after a name, in brackets or not."""
    people: list[Person] = []
    for entry in _split_entries(typed):
        named = _NAMED.fullmatch(entry) or _BARE.fullmatch(entry)
        name = named["name"].strip().removeprefix('"').removesuffix('"').strip() if named else ""
        if named is None or '"' in name:
            people.append(Unnamed(entry))
        else:
            address = named["address"].strip()
            people.append(Invitee(name, address) if name else Unnamed(address))
    return people


def _split_entries(typed: str) -> list[str]:
    """Returns what stands between line ends, commas and semicolons.

    >>> _split_entries("bob@example.org, Carol <carol@example.org>")
    ['bob@example.org', 'Carol <carol@example.org>']
    """
    return [entry.strip() for entry in _ENTRY.findall(typed[:MOST_TYPED]) if entry.strip()]


def _duration_in_words(seconds: int) -> str:
    return duration_in_words(timedelta(seconds=seconds), page_language())
