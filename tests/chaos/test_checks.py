"""The checks can fail: whatever is lost, doubled or delayed on purpose is found, by the check that covers it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.services.lobby import match_request, matches
from pbem.services.lobby.match_request import BotSeat
from pbem.services.play import ordering, takeback
from pbem.services.play.timeouts import sweep_deadlines
from pbem.services.who import STRANGER
from tests.chaos import checks_mail
from tests.chaos.evidence import Evidence
from tests.chaos.ledger import Back
from tests.chaos.relay import Taken
from tests.chaos.stage.scene import Scene
from tests.chaos.stage.scene import scene as scene
from tests.features.inbox.replying import comes_in
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.table import START, address_of, claim_of, open_house


@pytest.fixture(params=["hogen", *(pytest.param(game, marks=pytest.mark.long) for game in ("niigata", "hagakure"))])
def takeback_scene(sqlite_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A table of each game at which moves can be taken back, after some moves."""
    for house in open_house(sqlite_url, tmp_path, **comes_in()):
        yield Scene(house, game=request.param)


def test_a_service_that_lost_nothing_passes_every_check(scene: Scene) -> None:
    scene.house.play_out(scene.match_id)
    scene.house.begin(game="niigata")
    scene.house.drain()
    assert scene.failing() == set()


def test_an_acknowledged_move_that_is_not_in_the_log_is_found(scene: Scene) -> None:
    scene.play()
    last = scene.ledger.acks[-1]
    assert last.version is not None
    scene.change(f"DELETE FROM entries WHERE match_id = THIS AND n = {last.version}")
    assert {"moves", "logs"} <= scene.failing()


@pytest.mark.long
def test_an_acknowledged_move_that_was_rolled_back_is_found(scene: Scene) -> None:
    ack = scene.ledger.acks[-1]
    scene.ledger.write(replace(ack, key="t99.act"))
    assert scene.failing() == {"moves"}


def take_back(scene: Scene) -> Back:
    """Something that was taken back with everybody's consent, as it was acknowledged."""
    site, match_id = scene.house.site, scene.match_id
    for _ in range(20):
        mover = scene.house.asks(match_id)[0].seat
        scene.play()
        found = takeback.read_takeback(site, claim_of(site, match_id, mover)).reversible
        if found.to is None or found.state not in ("free", "consent"):
            continue
        done = takeback.take_back(site, claim_of(site, match_id, mover), found.to)
        for seat in found.needed:
            done = takeback.answer_takeback_request(site, claim_of(site, match_id, seat), found.to, agree=True)
        assert done.done
        back = Back(match_id, mover, found.to, done.version)
        scene.ledger.take_back(back)
        return back
    raise AssertionError("nothing could be taken back")


@pytest.mark.long
def test_a_move_taken_back_and_replaced_passes_every_check(takeback_scene: Scene) -> None:
    scene = takeback_scene
    for _ in range(3):
        take_back(scene)
        scene.house.drain()
        assert scene.failing() == set()
        for _ in range(3):
            scene.play()
        scene.house.drain()
        assert scene.failing() == set()


@pytest.mark.long
def test_an_acknowledged_take_back_that_did_not_happen_is_found(takeback_scene: Scene) -> None:
    scene = takeback_scene
    back = take_back(scene)
    scene.house.drain()
    scene.ledger.take_back(back)
    assert scene.failing() == {"backs"}, "twice acknowledged, once in the log"
    scene.ledger.backs[:] = [replace(back, to=back.to - 1)]
    assert scene.failing() == {"backs"}


@pytest.mark.long
def test_an_answer_wrongly_marked_as_taken_back_or_not_is_found(takeback_scene: Scene) -> None:
    scene = takeback_scene
    take_back(scene)
    scene.house.drain()
    scene.change("UPDATE asks SET closed_by = 'seat' WHERE match_id = THIS AND closed_by = 'undone'")
    assert "backs" in scene.failing()
    scene.change("UPDATE asks SET closed_by = 'undone' WHERE match_id = THIS AND closed_at IS NOT NULL")
    assert "backs" in scene.failing()


@pytest.mark.long
def test_a_take_back_that_the_log_has_lost_is_found(takeback_scene: Scene) -> None:
    scene = takeback_scene
    back = take_back(scene)
    scene.change(
        f"DELETE FROM entries WHERE match_id = THIS AND n = {back.version}",
        f"UPDATE matches SET version = {back.version - 1} WHERE id = THIS",
    )
    assert {"backs", "chains", "projections"} <= scene.failing()


@pytest.mark.long
def test_chaos_checks_find_orders_never_sent_and_acknowledged_ones_missing(scene: Scene) -> None:
    hagakure = scene.house.begin(game="hagakure")
    version = scene.house.view(hagakure, 1).sheet.version
    claim = claim_of(scene.house.site, hagakure, 1)
    ordering.save_orders(scene.house.site, claim, version, ["lowest"], "api")
    assert "orders" in scene.failing()
    scene.ledger.order(hagakure, 1, ["lowest"], saved=True)
    assert "orders" not in scene.failing()
    scene.change(f"UPDATE matches SET ordering = 0 WHERE id = '{hagakure}'")
    assert "orders" in scene.failing()


@pytest.mark.long
def test_chaos_checks_find_a_move_stored_differently_from_its_receipt(scene: Scene) -> None:
    ack = scene.ledger.acks[-1]
    assert ack.version is not None
    scene.ledger.acks[-1] = replace(ack, version=ack.version + 1)
    assert scene.failing() == {"moves"}


@pytest.mark.long
def test_a_move_that_stands_in_the_log_twice_is_found(scene: Scene) -> None:
    scene.change(
        "INSERT INTO entries (match_id, n, at, by, key, event, sealed, head) "
        "SELECT match_id, version + 1, at, by, key, event, sealed, entries.head FROM "
        "entries JOIN matches ON matches.id = match_id WHERE match_id = THIS AND n = version",
        "UPDATE matches SET version = version + 1 WHERE id = THIS",
    )
    assert {"moves", "logs", "laws", "verified", "chains"} <= scene.failing()


@pytest.mark.long
def test_an_entry_that_was_changed_afterwards_is_found(scene: Scene) -> None:
    scene.change("UPDATE entries SET at = '2026-03-12 12:00:01' WHERE match_id = THIS AND n = 1")
    assert scene.failing() == {"chains"}


@pytest.mark.long
def test_an_event_that_the_rules_and_the_seed_do_not_give_is_found(scene: Scene) -> None:
    scene.change("UPDATE matches SET seed = zeroblob(32)")
    assert {"laws", "verified"} <= scene.failing()


@pytest.mark.long
def test_an_open_question_that_the_log_does_not_ask_is_found(scene: Scene) -> None:
    scene.change("UPDATE asks SET key = 't99.act' WHERE match_id = THIS AND closed_at IS NULL")
    assert "projections" in scene.failing()


@pytest.mark.long
def test_a_mail_that_was_never_queued_is_found(scene: Scene) -> None:
    scene.change("DELETE FROM outbox WHERE match_id = THIS AND kind = 'turn'")
    assert {"open_asks", "sent"} <= scene.failing()


@pytest.mark.long
def test_a_mail_that_counts_as_sent_and_never_left_is_found(scene: Scene) -> None:
    turns = [one for one in scene.house.mail.all_sent if "turn" in one[1]["Message-ID"]]
    scene.house.mail.all_sent.remove(turns[-1])
    assert scene.failing() == {"open_asks", "sent"}


@pytest.mark.long
def test_a_mail_still_unsent_after_the_run_is_found(scene: Scene) -> None:
    while scene.house.drain() == 0:
        scene.play()
    scene.change("UPDATE outbox SET done_at = NULL, result = NULL WHERE id = (SELECT max(id) FROM outbox)")
    assert scene.failing() == {"open_asks", "waiting"}


def test_a_deadline_passed_without_an_automatic_move_is_found(scene: Scene) -> None:
    scene.house.clock.forward(days=30)
    assert scene.failing() == {"waiting"}


def test_a_deadline_that_passes_while_the_checks_run_is_no_fault(scene: Scene) -> None:
    """They take seconds, in which the site goes on; the sweep has ten for each deadline."""
    evidence = Evidence(scene.house.site, [], scene.ledger)
    scene.house.clock.forward(days=30)
    assert checks_mail.check_waiting_work(evidence).wrong == []


def test_a_turn_mail_held_back_for_an_order_during_the_check_is_no_fault(scene: Scene) -> None:
    """By the time of its check the order may have answered, and its mail is what was read before."""
    until = f"{scene.house.clock.at + timedelta(seconds=5):%Y-%m-%d %H:%M:%S.%f}"
    scene.change(f"UPDATE asks SET follow_at = '{until}' WHERE match_id = THIS AND closed_at IS NULL")
    scene.change("UPDATE outbox SET done_at = NULL, result = NULL WHERE id = (SELECT max(id) FROM outbox)")
    evidence = Evidence(scene.house.site, [Taken(to, mail) for to, mail in scene.house.mail.all_sent], scene.ledger)
    scene.house.clock.forward(seconds=10)
    assert checks_mail.open_asks(evidence).wrong == []


@pytest.mark.long
def test_a_stopped_clock_of_a_question_marked_as_mailed_is_found(scene: Scene) -> None:
    scene.change("UPDATE asks SET acts_at = NULL WHERE closed_at IS NULL")
    assert scene.failing() == {"clocks"}


@pytest.mark.long
def test_a_clock_not_started_though_the_outbox_has_sent_its_mail_is_found(scene: Scene) -> None:
    scene.change("UPDATE asks SET acts_at = NULL, mailed_at = NULL WHERE closed_at IS NULL")
    assert scene.failing() == {"clocks"}


@pytest.mark.long
def test_a_bots_stopped_clock_is_found(scene: Scene) -> None:
    match_id = matches.create_match(
        scene.house.site,
        STRANGER,
        match_request.NewMatch(
            "hogen", [match_request.Invitee("Alice", address_of("Alice")), BotSeat("random"), BotSeat("random")]
        ),
    )
    matches.confirm_match(
        scene.house.site,
        scene.house.claim("confirm", match_id, 0),
        "en",
        "Europe/Paris",
    )
    scene.house.drain()
    assert scene.failing() <= {"waiting"}, "nobody has let the bots play"
    scene.change("UPDATE asks SET acts_at = NULL WHERE closed_at IS NULL AND bot IS NOT NULL")
    assert "clocks" in scene.failing()


@pytest.mark.long
def test_a_clock_set_years_ahead_is_found(scene: Scene) -> None:
    scene.change("UPDATE asks SET acts_at = '2036-03-12 12:04:00.000000' WHERE closed_at IS NULL")
    assert scene.failing() == {"clocks"}


@pytest.mark.long
def test_a_clock_waiting_for_a_vote_or_the_daily_digest_is_no_fault(sqlite_url: str, tmp_path: Path) -> None:
    for house in open_house(sqlite_url, tmp_path, **comes_in()):
        voted = Scene(house, late="vote")
        house.time_is_up(voted.match_id)
        assert sweep_deadlines(house.site) == 0
        house.drain()
        assert voted.failing() == set()
        voted.change("UPDATE asks SET acts_at = NULL WHERE vote_since IS NOT NULL")
        assert voted.failing() == {"clocks"}
        voted.change("UPDATE asks SET vote_since = NULL, mailed_at = NULL WHERE closed_at IS NULL")
        assert voted.failing() == {"clocks"}
        voted.change("UPDATE outbox SET result = 'digest' WHERE match_id = THIS AND kind = 'turn'")
        assert "clocks" not in voted.failing()


@pytest.mark.long
@pytest.mark.parametrize("away", ["absent", "resigned"])
@pytest.mark.parametrize("stands", ["NULL", "'2026-03-15 12:04:00.000000'"])
def test_an_absent_seats_clock_that_is_not_due_at_once_is_found(scene: Scene, away: str, stands: str) -> None:
    seat = scene.house.asks(scene.match_id)[0].seat
    scene.change(
        f"UPDATE seats SET {away} = 1 WHERE match_id = THIS AND seat = {seat}",
        f"UPDATE asks SET acts_at = {stands} WHERE match_id = THIS AND closed_at IS NULL",
    )
    assert scene.failing() == {"clocks"}
    scene.change(f"UPDATE asks SET acts_at = '{START:%Y-%m-%d %H:%M:%S}.000000' WHERE closed_at IS NULL")
    scene.house.clock.forward(seconds=30)
    assert scene.failing() == {"waiting"}, "it has been due for longer than between two sweeps"


@pytest.mark.long
def test_chaos_checks_find_a_paused_match_with_a_present_player(scene: Scene) -> None:
    scene.change("UPDATE matches SET status = 'paused', lapses_at = '2026-04-12 12:04:00.000000' WHERE id = THIS")
    assert scene.failing() == {"clocks"}
    scene.change("UPDATE seats SET absent = 1 WHERE match_id = THIS")
    assert scene.failing() == set()
    scene.change("UPDATE matches SET lapses_at = NULL WHERE id = THIS")
    assert scene.failing() == {"clocks"}


@pytest.mark.long
def test_chaos_checks_find_a_running_match_without_present_players(scene: Scene) -> None:
    scene.change("UPDATE seats SET absent = 1 WHERE match_id = THIS")
    assert "clocks" in scene.failing()


@pytest.mark.long
def test_a_match_accepted_by_all_but_not_begun_is_found(scene: Scene) -> None:
    scene.change("UPDATE matches SET status = 'inviting', lapses_at = '2026-04-12 12:04:00.000000' WHERE id = THIS")
    assert scene.failing() == {"clocks"}


@pytest.mark.long
def test_chaos_checks_find_an_unconfirmed_match_past_its_last_day(scene: Scene) -> None:
    scene.house.create()
    scene.house.drain()
    assert scene.failing() == set()
    scene.change("UPDATE matches SET lapses_at = '2026-03-12 12:03:00.000000' WHERE status = 'unconfirmed'")
    assert scene.failing() == {"waiting"}


@pytest.mark.long
def test_chaos_checks_accept_a_mail_repeated_under_its_message_id(scene: Scene) -> None:
    to, message = scene.house.mail.all_sent[-1]
    scene.more.append(Taken(to, message))
    assert scene.failing() == set()


@pytest.mark.long
def test_a_repeat_under_a_new_message_id_is_found(scene: Scene) -> None:
    to, message = scene.house.mail.all_sent[-1]
    again = deepcopy(message)
    again.replace_header("Message-ID", "<turn-0123456789abcdef01234567@localhost>")
    scene.more.append(Taken(to, again))
    assert scene.failing() == {"sent"}


def test_one_message_id_for_two_mails_is_found(scene: Scene) -> None:
    _, message = scene.house.mail.all_sent[-1]
    scene.more.append(Taken("charlie@example.org", message))
    assert scene.failing() == {"repeats"}
