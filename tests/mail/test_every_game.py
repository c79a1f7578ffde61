"""The mails of real matches of every game, from the first to the last: none is too large or contains nonsense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pbem.games import all_games
from pbem.kit.answers import MOST_FIELDS, MOST_PLACES
from pbem.services.log import outbox
from pbem.services.mail import reminders
from tests.mail.reader import Reader, html_of, text_of
from tests.table import FOUR, House, Outgoing, open_house

LOOKS = (0, 5, 20, 50, 100, 200, 350)
"""The mailbox is checked after this many decisions, and at the end."""
FEW_LOOKS = (0, 20)
SHORTER: dict[str, dict[str, Any]] = {"allegeance": {"target": 1}, "hagakure": {"rounds": 1, "extra_rounds": 0}}
"""The options with which a match of these games is over in a fifth of the time."""
EVERY_TIME = ("hagakure", "niigata")
"""The games in every run: one of cards and a map; the mails of all are in the long run."""
MOST = 400
SOON = timedelta(minutes=90)
"""Within the last two hours in which a reminder is due."""


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A house on SQLite: mails are the same on either database."""
    yield from open_house(sqlite_url, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "looks"),
    [pytest.param({}, LOOKS, id="whole", marks=pytest.mark.long), pytest.param(SHORTER, FEW_LOOKS, id="shorter")],
)
@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=() if slug in EVERY_TIME else pytest.mark.long) for slug in sorted(all_games())]
)
def test_every_mail_of_a_whole_match_is_well_formed_and_small(
    slug: str, options: dict[str, dict[str, Any]], looks: tuple[int, ...], house: House
) -> None:
    seats = min(len(FOUR), max(all_games()[slug].meta.seats))
    match_id = house.begin(seats, slug, options=options.get(slug, {}))
    seen: dict[str, int] = {}
    for at in range(MOST):
        if at in looks:
            send_and_check_mails(house, match_id, seen)
        if not play_bot_decision(house, match_id, at):
            break
    send_and_check_mails(house, match_id, seen)
    assert {"turn", "reminder", "digest"} <= seen.keys()
    assert ("started" in seen) is (slug not in ("hogen", "hexen-rennen")), "these two ask everybody at once"
    if not house.asks(match_id):
        assert seen["over"]


def play_bot_decision(house: House, match_id: str, at: int) -> bool:
    """Lets the game's bot make one decision; returns whether there was one."""
    asks = house.asks(match_id)
    if not asks:
        return False
    house.bot_plays(match_id, asks[at % len(asks)].seat, at)
    return True


def send_and_check_mails(house: House, match_id: str, seen: dict[str, int]) -> None:
    """Sends due mail, and a reminder and a digest to everybody who could get one, and checks each mail."""
    house.mail = Outgoing()
    house.clock.forward(hours=64)
    house.drain()
    house.clock.forward(hours=5)
    with house.site.engine.begin() as connection:
        times = {"now": moment_in_sqlite(house.clock.at), "soon": moment_in_sqlite(house.clock.at + SOON)}
        connection.execute(text("UPDATE asks SET deadline = :soon, remind_at = :now"), times)
    reminders.sweep_reminders(house.site)
    house.drain()
    digest_for_all(house)
    for _, message in house.mail.all_sent:
        kind = str(message["Message-ID"]).strip("<").split("-")[0]
        seen[kind] = seen.get(kind, 0) + 1
        check_mail(kind, message)


def moment_in_sqlite(moment: datetime) -> str:
    """The moment as SQLite keeps it."""
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"


def digest_for_all(house: House) -> None:
    """Sends everybody a digest now."""
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE players SET digest_hour = 0"))
    now = house.clock.at
    with house.site.writing() as session:
        for player in range(1, len(FOUR) + 1):
            outbox.enqueue(session, f"{now}{player}", "digest", now, player_id=player)
    house.drain()
    with house.site.engine.begin() as connection:
        connection.execute(text("UPDATE players SET digest_hour = NULL"))


def check_mail(kind: str, message: EmailMessage) -> None:
    """Fails if a mail is too large, has a gap, or too many links."""
    html, said = html_of(message), text_of(message)
    reader = Reader(html)
    assert len(html.encode()) < 60_000
    assert not re.search(r"[{}]|%\(|%[sd]|None|Undefined|&(amp|lt|#)", said + " ".join(reader.words))
    assert len([link for link in reader.links if "pick=" in link]) <= MOST_FIELDS + MOST_PLACES
    assert all(link.startswith("http://127.0.0.1:8000/") for link in reader.links)
    if kind != "digest":
        assert reader.images[0]["alt"]
