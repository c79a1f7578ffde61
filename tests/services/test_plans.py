"""No statement that comes often reads a large table from one end to the other: each has an index that serves it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pbem.features.inbox.reading import read_inbox
from pbem.features.inbox.ways.intake import take_in_mail
from pbem.services.access import access_tokens
from pbem.services.hooks import tasks_of
from pbem.services.log import archiving, folds, keeping
from pbem.services.mail import digests, reminders
from pbem.services.monitoring import alarm
from pbem.services.play import bots, timeouts
from pbem.services.privacy import retention
from pbem.services.results import tallying
from pbem.services.shards import ALL
from pbem.services.views import seats, waiting
from tests.features.circles.people import circle_of
from tests.features.inbox.replying import REPLY_TO, comes_in, mail_of_player, token_of
from tests.features.leagues.stage import enter_all, found_league
from tests.harness.applications import lend_application
from tests.harness.undrawn import undrawn_boards as undrawn_boards
from tests.services import plans
from tests.table import House, open_house


@pytest.fixture
def house(postgres_url: str, tmp_path: Path) -> Iterator[House]:
    """A house with matches in every phase."""
    for one in open_house(postgres_url, tmp_path, **comes_in()):
        leave_matches(one)
        one.clock.forward(days=8)
        archiving.archive_matches(one.site)
        leave_matches(one)
        yield one


def leave_matches(house: House) -> None:
    """Leaves a match that is over, and some that go on."""
    house.play_out(house.begin())
    tallying.tally_matches(house.site)
    for game in ("hogen", "allegeance", "niigata"):
        match_id = house.begin(game=game)
        for _ in range(4):
            house.play(match_id, house.asks(match_id)[0].seat)
    house.drain()


def use_site(house: House) -> None:
    """Does what players and workers do again and again: moves, pages, mails, sweeps with work and without."""
    site, client = house.site, lend_application(house.site).test_client()
    circle_of(house, "Alice", "Bob")
    enter_all(house, found_league(house).season_id, "Alice", "Bob")
    match_id = house.begin()
    house.drain()
    asked = house.asks(match_id)[0]
    token = seats.play_token(site, match_id, asked.seat)
    path = f"/api/v1/matches/{match_id}"
    with site.reading() as session:
        player = session.connection().exec_driver_sql("SELECT min(id) FROM players").scalar_one()
    assert client.post(f"/account/{site.tokens.for_account(player, 0, site.now())}").status_code == 303
    for address in (
        "/", "/me", "/me/results", "/me/tokens", "/me/webhooks", "/me/data", "/circles", "/leagues",
        f"/match/{match_id}", f"/match/{match_id}/luck", f"/replay/{match_id}", f"/play/{token}",
        f"/play/{token}/talk", f"/play/{token}/orders", f"/play/{token}/away", f"/play/{token}/replay",
        "/readyz", "/metrics",
    ):  # fmt: skip
        assert client.get(address).status_code == 200, address
    own = {
        "Authorization": f"Bearer {access_tokens.create_token(site, player, 'laptop', access_tokens.SCOPES, None)[1]}"
    }
    for address in ("matches", "calendar", "preferences", "ratings"):
        assert client.get(f"/api/v1/me/{address}", headers=own).status_code == 200, address
    programs = {"Authorization": f"Bearer {token}"}
    for address in (path, f"{path}/state", f"{path}/events?after=1&wait=1", f"{path}/ask", f"{path}/log"):
        assert client.get(address, headers=programs).status_code == 200, address
    waiting.find_outdated_among_known(site, [waiting.Known(match_id, 1, asked.seat, 0)])
    waiting.read_places_of_players(site, [player])
    move = client.get(f"{path}/ask", headers=programs).get_json()["legal"][0]["move"]
    body = {"key": asked.key, "move": move}
    for status in (201, 200, 201):
        answer = client.post(f"{path}/moves", json=body, headers=programs | {"Idempotency-Key": "of this move"})
        assert answer.status_code in (status, 201), answer.json
    to = house.asks(match_id)[0].seat
    written = token_of(house, match_id, to)
    view = house.view(match_id, to)
    raw = mail_of_player(house, "Alice", written, view.game.format(view.legal()[0]))
    take_in_mail(site, raw, via="lmtp", recipients=[REPLY_TO.replace("{token}", written)])
    read_inbox(site)
    house.drain()
    with site.writing() as work:  # as an older release leaves them; past what is recorded
        work.connection().connection.cursor().execute("DELETE FROM folds")
    assert keeping.sweep_folds(site) > 0
    house.time_is_up(match_id)
    monday = house.clock() + timedelta(days=7 - house.clock().weekday())
    house.clock.at = monday.replace(hour=10)
    for _ in range(2):
        timeouts.beat_and_sweep_deadlines_if_web_up(site)
        reminders.beat_and_sweep_reminders_if_web_up(site)
        digests.queue_digests_and_reopen_mails(site)
        timeouts.cancel_lapsed_matches(site)
        bots.is_any_bot_asked(site)
        bots.is_any_thinker_asked(site)
        bots.play_quick_bots(site)
        timeouts.let_undelayed_orders_answer(site)
        archiving.archive_matches(site)
        tallying.tally_matches(site)
        alarm.watch_mails(site)
        retention.delete_old_rows(site)
        for task in tasks_of(site.config.features).values():
            if task.must_think is not None:
                task.must_think(site)
            task.run(site, *((ALL,) if task.kind == "shard" else ()))
        house.drain()
        house.play_out(match_id)
        house.clock.forward(days=8)


RARE = (
    (
        "FROM matches LEFT OUTER JOIN checkpoint_places",
        "once a day: a checkpoint takes what has changed since the last",
    ),
    ("matches.shifted_for <", "after an outage: all running clocks get the time back"),
    (
        "outbox.result = %(result_1)s::VARCHAR AND seats.match_id",
        "mails that were left to a digest; most hosts have few",
    ),
    ("AS seen_by_tests", "these tests themselves"),
    ("FROM push_subscriptions WHERE (EXISTS", "every ten minutes: a row for each device that wants notifications"),
)
"""What may read a whole table or index, and why."""
NEEDED = (
    "ix_asks_due", "ix_asks_remind", "ix_asks_closing", "ix_matches_game", "ix_outbox_due",
    "ix_outbox_match_id", "ix_personal_tokens_revoked", "ix_seats_player_id", "ix_substitutes_match",
)  # fmt: skip


def test_no_statement_that_comes_often_reads_a_whole_table(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folds, "EVERY", 4)
    with plans.record_statements(house.site.engine) as asked:
        use_site(house)
    assert any("known.dedupe" in one for one in asked), "the mail of the week was due"
    often = {one: given for one, given in asked.items() if not any(words in one for words, _ in RARE)}
    leave_matches(house)
    with psycopg.connect(house.site.config.database_url.replace("+psycopg", ""), autocommit=True) as connection:
        plans.pretend_large_tables(connection)
        found = [*plans.reads_too_much(connection, often)]
        unnoticed = [name for name in NEEDED if not _is_missed(connection, name, often)]
    assert not found, "\n".join(found)
    assert unnoticed == []


def _is_missed(connection: psycopg.Connection[Any], index: str, asked: plans.Asked) -> bool:
    """Returns whether something reads a whole table or index once this index is gone."""
    with connection.transaction(force_rollback=True):
        connection.execute(f"DROP INDEX {index}")
        return any(plans.reads_too_much(connection, asked))
