"""The secrecy law for webhooks: on two worlds that differ only in what a viewer may not see, theirs are called as
often, at the same moments, with the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.features import safe_http
from pbem.features.safe_http import Answer
from pbem.kit.contract import AnyGame, Viewer
from tests.secrecy.received import (
    a_match_with_other_worlds,
    copy_with,
    full_log,
    tables_to_compare,
    worlds_of,
)
from tests.secrecy.webhooks import Called, calls_gone_out, what_hooks_are_sent
from tests.table import House, submit_answer

pytestmark = pytest.mark.usefixtures("no_lookups")


@pytest.fixture
def hook_calls(monkeypatch: pytest.MonkeyPatch) -> Called:
    """Every call, each of which succeeds."""
    made: Called = []

    def call(url: str, body: bytes, headers: dict[str, str], **_: object) -> Answer:
        made.append((url, body, tuple(sorted(headers.items()))))
        return Answer(status=204)

    monkeypatch.setattr(safe_http, "post_safely", call)
    return made


@pytest.mark.long
@pytest.mark.parametrize(("game", "at", "everybody"), tables_to_compare(left=(0, 2)))
def test_webhooks_in_two_worlds_that_look_alike_are_told_the_same(
    game: AnyGame, at: int, everybody: bool, house: House, tmp_path: Path, hook_calls: Called
) -> None:
    match_id, pairs = a_match_with_other_worlds(house, game, at, everybody)
    true = full_log(house, match_id)
    for number, (viewer, other) in enumerate(pairs):
        here = copy_with(house, match_id, true, tmp_path / f"here{number}")
        there = copy_with(house, match_id, other, tmp_path / f"there{number}")
        first = what_hooks_are_sent(here, viewer, hook_calls)
        assert len(first) >= 3, "each kind of webhook is told something"
        assert first == what_hooks_are_sent(there, viewer, hook_calls)
        after = [after_a_blind_move(world, match_id, viewer, hook_calls) for world in (here, there)]
        assert after[0] == after[1]
        for world in (here, there):
            world.site.engine.dispose()


def after_a_blind_move(house: House, match_id: str, viewer: Viewer, called: Called) -> Called:
    """Returns the calls after the viewer's first blind move."""
    view = house.view(match_id, viewer)
    move = next((m for m in view.legal() if type(m).__name__ in worlds_of(view.game.meta.slug).BLIND_MOVES), None)
    if view.ask is None or view.viewer is None or move is None:
        return []
    submit_answer(house.site, match_id, view.viewer, view.ask.key, move, "api")
    made = calls_gone_out(house, called)
    assert made, "a move is told"
    return made


@pytest.mark.long
def test_webhook_calls_differ_in_worlds_that_differ_for_their_owner(
    house: House, tmp_path: Path, hook_calls: Called
) -> None:
    """The comparison itself can fail: Alice may see what Bob may not."""
    match_id = house.begin(3)
    other = next(iter(worlds_of("hogen").worlds(full_log(house, match_id), 1, 1)))
    there = copy_with(house, match_id, other, tmp_path / "there")
    here = what_hooks_are_sent(house, 0, hook_calls)
    assert here != what_hooks_are_sent(there, 0, hook_calls)
    there.site.engine.dispose()
