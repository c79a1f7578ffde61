"""What comes back for a reply tells nothing that its seat may not know, and nothing at all to anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.services.play import timeouts
from tests.features.inbox.replying import (
    comes_in,
    inbox_rows,
    judge_with_verdict,
    mail_of_player,
    send_and_read,
    token_of,
)
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.secrecy.received import (
    a_match_with_other_worlds,
    copy_with,
    full_log,
    reopen_mail,
)
from tests.table import FOUR, House, address_of, open_house
from tests.windows import begin_silent, floor_of

TYPED = ("help", "what is this", "order always answer: pass", "order lowest", "99", "note mine", "again")
ID = re.compile(r"[0-9a-f]{24,36}")


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """The true world."""
    yield from open_house(sqlite_url, tmp_path, **comes_in())


def with_mail_coming_back(house: House) -> House:
    """The same house, at whose addresses with tokens mail is received."""
    house.site = replace(house.site, config=replace(house.site.config, **comes_in()))
    return house


def texts_for(house: House, match_id: str, viewer: int) -> list[tuple[str, str]]:
    """What somebody may type, and the verdict on the mail: what might be legal for them is not played."""
    view = house.view(match_id, viewer)
    own = {view.game.format(move) for move in view.legal()}
    others = {
        view.game.format(move)
        for seat in range(len(view.sheet.seats))
        for move in list(house.view(match_id, seat).legal())[:6]
    }
    legal = [(text, "ask") for text in sorted(own)[:3]]
    return [*legal, *((text, "act") for text in sorted(others - own)), *((text, "act") for text in TYPED)]


def come_back(house: House, match_id: str, viewer: int, typed: list[tuple[str, str]]) -> list[object]:
    """Everything that comes back, to anybody, and what the host sees, for these mails of the seat."""
    house.drain()
    house.mail.clear()
    out: list[object] = []
    for number, (text, judged) in enumerate(typed):
        raw = mail_of_player(
            house, FOUR[viewer], token_of(house, match_id, viewer), text, message_id=f"<{number}@p.example>"
        )
        row = send_and_read(house, raw, judge_with_verdict(judged))
        out.append((text, row.verdict, row.detail, row.lines, row.answered))
        house.drain()
        house.clock.forward(minutes=13)
    out += [(to, message.as_bytes()) for to, message in house.mail.all_sent]
    return out


@pytest.mark.long
@pytest.mark.parametrize("game", [pytest.param(game, id=slug) for slug, game in sorted(all_games().items())])
def test_replies_are_the_same_in_worlds_that_the_seat_cannot_tell_apart(
    game: AnyGame, house: House, tmp_path: Path
) -> None:
    match_id, pairs = a_match_with_other_worlds(house, game, 1, False)
    seated = [(viewer, other) for viewer, other in pairs if viewer is not None]
    assert seated
    for viewer, other in seated:
        assert viewer is not None
        there = with_mail_coming_back(copy_with(house, match_id, other, tmp_path / f"{viewer}"))
        same = copy_with(house, match_id, full_log(house, match_id), tmp_path / f"{viewer}-same")
        here = with_mail_coming_back(same)
        typed = texts_for(here, match_id, viewer)
        for one in (here, there):
            reopen_mail(one, viewer)
        got, got_there = (come_back(one, match_id, viewer, typed) for one in (here, there))
        assert got == got_there
        assert len(got) > len(typed), "nothing came back"
        for one in (here, there):
            one.site.engine.dispose()


def all_seen_by_others(house: House, match_id: str, seat: int) -> list[object]:
    """What everybody else has received and may see, but for the numbers of mails, which are covered."""
    house.drain()
    out: list[object] = []
    for at, name in enumerate(FOUR):
        if at != seat:
            out += [ID.sub("X", message.as_string()) for message in house.mail.to(address_of(name))]
            view = house.view(match_id, at)
            out.append((view.sheet, view.entries))
    return [*out, house.view(match_id, None).sheet]


@pytest.mark.long
def test_a_reply_that_is_sealed_in_a_window_tells_others_nothing(house: House, tmp_path: Path) -> None:
    match_id = begin_silent(house)
    asked = [ask.seat for ask in house.asks(match_id)]
    house.drain()
    there = with_mail_coming_back(copy_with(house, match_id, full_log(house, match_id), tmp_path / "there"))
    for one in (house, there):
        one.mail.clear()
    seat = asked[0]
    kept = send_and_read(house, mail_of_player(house, FOUR[seat], token_of(house, match_id, seat), "pass"))
    assert (kept.verdict, kept.answered) == ("acted", True)
    assert all_seen_by_others(house, match_id, seat) == all_seen_by_others(there, match_id, seat)
    for one in (house, there):
        one.clock.forward(minutes=1)
    view = there.view(match_id, seat)
    there.play(match_id, seat, [type(move).__name__ for move in view.legal()].index("LetPass"))
    assert all_seen_by_others(house, match_id, seat) == all_seen_by_others(there, match_id, seat)
    for one in (house, there):
        for other in asked[1:]:
            one.play(match_id, other, -1)
        one.clock.at = max(floor_of(one, match_id), one.clock.at)
        timeouts.beat_and_sweep_deadlines_if_web_up(one.site)
    ended_here, ended_there = (all_seen_by_others(one, match_id, seat) for one in (house, there))
    assert ended_here == ended_there
    assert len(inbox_rows(there)) == 0
    there.site.engine.dispose()
