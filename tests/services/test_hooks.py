"""Several features answer a hook in the order of their names."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import ColumnElement, Table, false, true

from pbem.discovery import packages_of_features
from pbem.models.tables import Match, OutboxRow, Player, SeatRow
from pbem.services.hooks import Ahead, Hooks, all_hooks, all_personal, hooks_of
from pbem.services.mail import claims
from pbem.services.site import Reading, Site
from tests.harness.sent import statements_to
from tests.table import House, address_of


class Told:
    """A feature that tells a reader ahead of their mails, and notes what it is asked."""

    def __init__(self, name: str, heard: list[str], *, asked: bool = True, ready: Any = "x", reaches: bool = False):
        self.name, self.heard, self.asked, self.ready, self.reaches = name, heard, asked, ready, reaches

    def condition(self, seat: Table) -> ColumnElement[bool]:
        """Holds for all seats, or for none."""
        return true() if self.asked else false()

    def prepare(
        self, site: Site, session: Reading, row: OutboxRow, match: Match, seat: SeatRow, player: Player
    ) -> Any | None:
        """Returns what it was made with."""
        self.heard.append(f"{self.name} prepares for seat {seat.seat}")
        return self.ready

    def send(self, site: Site, row_id: int, ready: Any, at: datetime) -> bool:
        """Returns what it was made with."""
        self.heard.append(f"{self.name} sends {ready}")
        return self.reaches


@pytest.fixture
def due(house: House) -> House:
    """A house in which a single mail is due: it asks Alice for her turn."""
    match_id = house.begin(2, "niigata")
    house.drain()
    house.mail.clear()
    house.play(match_id, house.asks(match_id)[0].seat)
    return house


def drain_with(house: House, monkeypatch: pytest.MonkeyPatch, *told: Ahead) -> list[str]:
    """Sends the mail on a site with these features; returns to whom mails have left."""
    hooks = tuple(Hooks(ahead=one) for one in told)
    monkeypatch.setattr(claims, "hooks_of", lambda names: hooks)
    object.__setattr__(house.site.config, "features", tuple(f"{id(one)}" for one in told))
    house.drain()
    return [to for to, _ in house.mail.all_sent]


def test_the_first_feature_with_a_notification_sends_it_before_the_mail(
    due: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    told = (
        Told("unasked", heard, asked=False), Told("mute", heard, ready=None), Told("loud", heard, reaches=True),
        Told("last", heard),
    )  # fmt: skip
    assert drain_with(due, monkeypatch, *told) == []
    assert heard == ["mute prepares for seat 0", "loud prepares for seat 0", "loud sends x"]


def test_the_mail_is_sent_at_once_if_a_notification_reaches_nobody(due: House, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    assert drain_with(due, monkeypatch, Told("first", heard), Told("second", heard)) == [address_of("Alice")]
    assert heard == ["first prepares for seat 0", "first sends x"]


def test_claiming_a_mail_runs_one_statement_for_all_features_conditions(
    due: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    with statements_to(due.site.engine) as said:
        drain_with(due, monkeypatch, *(Told(name, heard, asked=False) for name in "abc"))
    assert len([one for one in said if "outbox.dedupe" in one and "JOIN" in one]) == 1
    assert heard == []


def test_hooks_of_features_are_returned_in_the_order_of_feature_names() -> None:
    assert hooks_of(()) == ()
    assert hooks_of(tuple(packages_of_features())) == all_hooks()
    assert len(all_personal()) == sum(one.personal is not None for one in all_hooks())
