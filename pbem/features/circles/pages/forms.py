"""The forms of a match among members of a circle, and of a standing table: those of any match, but for who plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from flask import request

from pbem.config import Config
from pbem.errors import N_, Invalid
from pbem.features.circles.pages.entering import typed_number
from pbem.features.circles.sheets import CircleSheet, Member
from pbem.features.circles.standing import Weekly, checked_weekly
from pbem.kit.contract import AnyGame
from pbem.services.lobby.match_request import BotSeat, OpenSeat, Wish
from pbem.web.lobby.match_form import FRIENDS, LINK, Form, terms_troubles


@dataclass(frozen=True)
class CircleForm(Form):
    """The form of a match with other members; `offered` are those to choose from."""

    offered: tuple[Member, ...] = ()
    picked: tuple[str, ...] = ()

    @cached_property
    def members(self) -> list[int]:
        """Returns the ids of the chosen members, in the order of the page."""
        return [one.id for one in self.offered if str(one.id) in self.picked]

    @property
    def seats(self) -> list[Wish]:
        """Returns what fills the seats beside the members: as many as are wanted, or as the game needs at least."""
        people = 1 + len(self.members)
        least = max(int(self.count) if self.count in self.counts else 0, people)
        count = next((fit for fit in self.game.meta.seats if fit >= least), least)
        return [OpenSeat() if self.rest == LINK else BotSeat(self.rest)] * (count - people)


def empty_form(game: AnyGame, config: Config, sheet: CircleSheet) -> CircleForm:
    """Returns the form as it is shown first."""
    return CircleForm(game, FRIENDS, sheet.you.name, "", {}, config, offered=_others(sheet))


def read_form(game: AnyGame, config: Config, sheet: CircleSheet) -> CircleForm:
    """Returns the form as sent, with its errors."""
    typed: Mapping[str, str] = request.form
    picked = tuple(request.form.getlist("member"))
    form = CircleForm(game, FRIENDS, sheet.you.name, "", typed, config, offered=_others(sheet), picked=picked)
    troubles = terms_troubles(form)
    return CircleForm(
        game, FRIENDS, sheet.you.name, "", typed, config, troubles, offered=form.offered, picked=picked
    )  # fmt: skip


def _others(sheet: CircleSheet) -> tuple[Member, ...]:
    return tuple(one for one in sheet.members if one.id != sheet.you.id)


def typed_weekly(zone: str) -> Weekly:
    """Returns the day and the hour of the form. Raises Invalid."""
    day, hour = request.form.get("weekday", ""), request.form.get("hour", "")
    if not (day.isascii() and day.isdecimal() and hour.isascii() and hour.isdecimal()):
        raise Invalid(N_("Choose a day of the week and an hour."))
    return checked_weekly(typed_number(request.form, "weekday"), typed_number(request.form, "hour"), zone)
