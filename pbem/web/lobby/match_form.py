"""The form of a new match: its rows as typed, the errors of each, and the match that it describes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbem.config import Config
from pbem.errors import Invalid
from pbem.kit.bots import bots_of
from pbem.kit.contract import AnyGame
from pbem.kit.options import options_of
from pbem.render.problems import sentence
from pbem.services.lobby.match_request import LATE, BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.players.players import Account, checked_address, checked_name
from pbem.web.protocol.bot_names import bot_title
from pbem.web.protocol.language import _, page_language

HOUR, DAY = 3600, 86_400
TURNS_S = (HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY)
BANKS_S = (HOUR, DAY, 3 * DAY, 7 * DAY, 14 * DAY)
INCREMENTS_S = (60, 600, HOUR, 12 * HOUR, DAY)
WINDOWS_S = (600, HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY)
PERSON, OPEN, NOBODY, BOT = "person", "open", "", "bot:"


@dataclass(frozen=True)
class Row:
    """One seat of the form as typed, and the errors of its name and address; "" for none."""

    kind: str
    name: str = ""
    address: str = ""
    name_trouble: str = ""
    address_trouble: str = ""

    @property
    def wrong(self) -> bool:
        """True if the row has an error."""
        return bool(self.name_trouble or self.address_trouble)


@dataclass(frozen=True)
class Form:
    """The form of a match of this game; `typed` are its fields by name, empty for a fresh one."""

    game: AnyGame
    rows: tuple[Row, ...]
    typed: Mapping[str, str]
    config: Config

    def kinds(self, at: int) -> list[tuple[str, str]]:
        """Returns the kinds of player for the at-th seat: their values in the form, and their names."""
        bots = [(f"{BOT}{bot}", bot_title(bot)) for bot in bots_of(self.game)]
        nobody = [(NOBODY, _("Nobody: fewer players"))] if at >= min(self.game.meta.seats) else []
        return [(PERSON, _("A person, by email")), (OPEN, _("Anyone with the link")), *bots, *nobody]

    @property
    def first_wrong(self) -> str:
        """Returns the name of the first field that is wrong; "" if none is by itself."""
        for at, row in enumerate(self.rows):
            if row.wrong:
                return f"name{at}" if row.name_trouble else f"address{at}"
        return ""

    banks, increments = BANKS_S, INCREMENTS_S

    @property
    def turns(self) -> list[int]:
        """Returns the times per turn to choose from, in seconds."""
        return sorted({*TURNS_S, self.config.turn_s})

    @property
    def windows(self) -> list[int]:
        """Returns the times for an answer during another's turn; none if the game has no such answers."""
        asked = any(kind.window for kind in self.game.meta.asks.values())
        return list(WINDOWS_S) if asked else []

    @property
    def turn(self) -> str:
        """Returns the chosen time per turn."""
        return self.typed.get("turn", str(self.config.turn_s))

    @property
    def window(self) -> str:
        """Returns the chosen time for an answer; "" for the default."""
        return self.typed.get("window", "")

    @property
    def bank(self) -> str:
        """Returns the chosen bank; "" for a time per turn."""
        return self.typed.get("bank", "")

    @property
    def increment(self) -> str:
        """Returns the increment of the bank per turn."""
        return self.typed.get("increment", str(DAY // 2))

    @property
    def late(self) -> str:
        """Returns what happens when the time is up."""
        return self.typed.get("late", LATE[0])

    @property
    def spectators(self) -> bool:
        """True if spectators are allowed."""
        return self.typed.get("spectators") == "1" if self.typed else True

    @property
    def options(self) -> list[dict[str, Any]]:
        """Returns the game's options: name, title, hint, the choices with their words, and the chosen one."""
        lang = page_language()
        return [
            {
                "name": f"option.{option.name}",
                "title": option.title[lang],
                "hint": option.hint[lang],
                "choices": [(choice.word, choice.text[lang]) for choice in option.choices],
                "chosen": self.typed.get(f"option.{option.name}", option.usual),
            }
            for option in options_of(self.game.meta)
        ]

    def match(self) -> NewMatch:
        """Returns the match that the form describes; the service refuses a choice that is not offered."""
        options = {}
        for option in options_of(self.game.meta):
            word = self.typed.get(f"option.{option.name}")
            if word is not None:
                offered = any(choice.word == word for choice in option.choices)
                options[option.name] = option.value_of(word) if offered else word
        return NewMatch(
            game=self.game.meta.slug,
            seats=[_wish(row) for row in self.rows if row.kind != NOBODY],
            options=options,
            turn_s=_seconds(self.typed.get("turn", "")),
            window_s=_seconds(self.typed.get("window", "")),
            late=self.late,
            bank_s=_seconds(self.bank),
            increment_s=_seconds(self.increment) if self.bank else None,
            spectators=self.typed.get("spectators") == "1",
            language=page_language(),
        )


def empty_form(game: AnyGame, config: Config, me: Row, others: str) -> Form:
    """Returns an empty form; `others` says what is proposed for the other seats: bots, links, or people."""
    best = list(bots_of(game))[-1]
    kind = {"bots": f"{BOT}{best}", "links": OPEN}.get(others, PERSON)
    rows = [Row(kind if at < min(game.meta.seats) else NOBODY) for at in range(1, max(game.meta.seats))]
    return Form(game, (me, *rows), {}, config)


def read_form(game: AnyGame, config: Config, typed: Mapping[str, str], player: Account | None) -> Form:
    """Returns the form as sent, with every row checked; a signed-in player organises under their own address."""
    rows = [_row(typed, at) for at in range(max(game.meta.seats))]
    rows[0] = replace(rows[0], kind=PERSON, address=(player.address or "") if player else rows[0].address)
    return Form(game, tuple(_compare_rows([_check_row(row) for row in rows])), typed, config)


def _row(typed: Mapping[str, str], at: int) -> Row:
    name, address = typed.get(f"name{at}", ""), typed.get(f"address{at}", "")
    blank = not (name.strip() or address.strip())
    kind = typed.get(f"kind{at}", NOBODY if blank else PERSON)
    known = kind in (PERSON, OPEN, NOBODY) or kind.startswith(BOT)
    return Row(kind if known else PERSON, name, address)


def _check_row(row: Row) -> Row:
    """Returns the row with the errors of its own fields."""
    if row.kind != PERSON:
        return row
    troubles = []
    for check, value in ((checked_name, row.name), (checked_address, row.address)):
        try:
            check(value)
            troubles.append("")
        except Invalid as problem:
            missing = check is checked_address and not value.strip()
            troubles.append(
                _("Every player needs an email address.") if missing else sentence(problem, page_language())
            )
    return replace(row, name_trouble=troubles[0], address_trouble=troubles[1])


def _compare_rows(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows with the errors of their comparison: the second of two equal names or addresses is wrong."""
    names, addresses = set[str](), set[str]()
    out = []
    for row in rows:
        if row.kind == PERSON and not row.wrong:
            name, address = checked_name(row.name).casefold(), checked_address(row.address)[1]
            if name in names:
                row = replace(row, name_trouble=_("Two players are called “%(name)s”.", name=row.name))
            if address in addresses:
                again = _("The address “%(address)s” is there twice.", address=row.address)
                row = replace(row, address_trouble=again)
            names.add(name)
            addresses.add(address)
        out.append(row)
    return out


def _wish(row: Row) -> Invitee | BotSeat | OpenSeat:
    if row.kind.startswith(BOT):
        return BotSeat(row.kind.removeprefix(BOT))
    return OpenSeat() if row.kind == OPEN else Invitee(row.name, row.address)


def _seconds(typed: str) -> int | None:
    return int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 10 else None
