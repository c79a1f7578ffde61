"""The checks of mails that came in can fail: what is lost, played twice or answered twice on purpose is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.kit.codec import plain
from pbem.services.play.timeouts import sweep_deadlines
from tests.chaos.ledger import Reply
from tests.chaos.stage.scene import Scene
from tests.chaos.stage.scene import scene as scene
from tests.features.inbox.replying import mail_of_player, send_and_read, token_of
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import CAST

FIRST = "(SELECT min(id) FROM inbox)"


@pytest.mark.long
def test_a_delivery_acknowledged_but_not_stored_is_found(scene: Scene) -> None:
    scene.ledger.deliver(scene.replied[0].message_id, ["play+qaaaa@pbem.example"])
    assert scene.failing() == {"deliveries"}


def test_a_mail_that_was_acknowledged_and_lost_is_found(scene: Scene) -> None:
    scene.change(f"DELETE FROM inbox WHERE id = {FIRST}")
    assert {"deliveries", "replies"} <= scene.failing()


@pytest.mark.long
def test_a_stored_mail_that_was_never_read_is_found(scene: Scene) -> None:
    scene.change(f"UPDATE inbox SET done_at = NULL, verdict = NULL WHERE id = {FIRST}")
    assert {"deliveries", "replies"} <= scene.failing()


@pytest.mark.long
@pytest.mark.parametrize("verdict", ["stale", "refused", "duplicate", "stranger", "asked", "silent", "failed"])
def test_a_valid_reply_that_was_rejected_is_found(scene: Scene, verdict: str) -> None:
    scene.change(f"UPDATE inbox SET verdict = '{verdict}' WHERE id = {FIRST}")
    assert scene.failing() == {"replies"}


@pytest.mark.long
def test_a_reply_that_came_too_late_passes_every_check(scene: Scene) -> None:
    scene.house.time_is_up(scene.match_id)
    late = next(ask for ask in scene.house.asks(scene.match_id))
    to, text = token_of(scene.house, scene.match_id, late.seat), scene.house.view(scene.match_id, late.seat)
    sweep_deadlines(scene.house.site)
    reply = Reply("<late@programs.example>", scene.match_id, late.seat, late.key, plain(text.legal()[0]))
    scene.ledger.reply(reply)
    said = text.game.format(text.legal()[0])
    row = send_and_read(
        scene.house, mail_of_player(scene.house, CAST[late.seat], to, said, message_id=reply.message_id)
    )
    scene.ledger.deliver(reply.message_id, [])
    scene.house.drain()
    assert row.verdict == "stale"
    assert scene.failing() == set()


@pytest.mark.long
def test_a_reply_whose_move_was_played_twice_is_found(scene: Scene) -> None:
    columns = "via, mail_from, raw, size, received_at, due_at, attempts, done_at, verdict, answered, match_id, seat"
    scene.change(
        f"INSERT INTO inbox (digest, recipients, {columns}) "
        f"SELECT 'other', '[]', {columns} FROM inbox WHERE id = {FIRST}"
    )
    assert "replies" in scene.failing()


@pytest.mark.long
def test_a_move_logged_as_by_mail_without_a_mail_is_found(scene: Scene) -> None:
    scene.change("""UPDATE entries SET by = replace(by, '"api"', '"mail"') WHERE match_id = THIS AND n = 9""")
    assert "replies" in scene.failing()


@pytest.mark.long
def test_a_reply_whose_move_was_replaced_by_another_answer_is_found(scene: Scene) -> None:
    reply = scene.replied[0]
    scene.ledger.reply(replace(reply, answer=scene.ledger.acks[-1].answer))
    assert scene.failing() == {"replies"}


@pytest.mark.long
def test_a_reply_that_no_player_wrote_is_found(scene: Scene) -> None:
    del scene.ledger.replies[scene.replied[0].message_id]
    assert scene.failing() == {"replies"}


@pytest.mark.long
def test_a_reply_that_was_answered_twice_is_found(scene: Scene) -> None:
    scene.change(
        "INSERT INTO outbox (dedupe, kind, created_at, due_at, attempts, done_at, result) "
        f"SELECT 'reply:' || {FIRST} || ':' || n, 'reply', at, at, 1, at, 'stale' FROM entries WHERE n < 3"
    )
    assert scene.failing() == {"answers"}
