"""The page of a seat made from kept folds, against the one made from the whole log."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from pbem.kit.replay import AnyEntry, full_fold
from pbem.services.log import folds, store
from pbem.services.log.store import Table
from pbem.services.play import ordering, takeback
from pbem.services.play.ordering import Told
from pbem.services.site import Site
from pbem.services.views import match_views, seats
from pbem.services.views.match_views import WholeView
from tests.harness.applications import lend_application
from tests.harness.forms import same_each_time
from tests.harness.sent import statements_to
from tests.services.play.stage.takeback import reversible_of_seat, take_back
from tests.table import House, claim_of, submit_answer

SEATS = 2


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps folds every few entries."""
    monkeypatch.setattr(folds, "EVERY", 12)


def play_next(house: House, match_id: str, site: Site | None = None) -> None:
    """Plays the next answer, as somebody who has seen what led to its question."""
    ask = house.asks(match_id)[0]
    legal = house.view(match_id, ask.seat).legal()
    submit_answer(
        site or house.site, match_id, ask.seat, ask.key, legal[(7 * ask.seat + len(ask.key)) % len(legal)], "web"
    )


def long_match(house: House, game: str = "allegeance", entries: int = 60) -> str:
    match_id = house.begin(SEATS, game)
    while house.view(match_id, None).sheet.version < entries:
        play_next(house, match_id)
    return match_id


def fresh_process(house: House) -> Site:
    """Returns the site in a process that has seen nothing yet."""
    return Site(house.site.config, house.site.engine, now=house.clock)


def pages_of_fresh_process(house: House, match_id: str) -> list[bytes]:
    """Returns the page of each seat and that of spectators, by a process that knew nothing."""
    client = lend_application(fresh_process(house)).test_client(use_cookies=False)
    paths = [f"/play/{house.token('play', match_id, seat)}" for seat in range(SEATS)]
    answers = [client.get(path) for path in (*paths, f"/match/{match_id}")]
    assert {one.status_code for one in answers} == {200}
    return [same_each_time(one.data) for one in answers]


def run_statement(house: House, statement: str, **values: Any) -> None:
    with house.site.engine.begin() as connection:
        connection.execute(text(statement), values)


def entries_with_folds(house: House, match_id: str) -> list[int]:
    """Returns after which entries folds are kept."""
    with house.site.engine.connect() as connection:
        found = connection.execute(text("SELECT n FROM folds WHERE match_id = :m ORDER BY n"), {"m": match_id})
        return [n for (n,) in found]


def starts_of_views(house: House, match_id: str) -> list[int]:
    """Returns after which entry the view of each seat's page begins."""
    site = fresh_process(house)
    return [takeback.read_seat_page(site, claim_of(site, match_id, seat))[1].start.n for seat in range(SEATS)]


@pytest.mark.parametrize("game", ["allegeance", "hexen-rennen", "niigata"])
def test_a_page_from_kept_folds_is_the_page_from_the_log(house: House, game: str) -> None:
    match_id, from_folds = long_match(house, game, 30), 0
    for _ in range(12):
        play_next(house, match_id)
        from_folds += sum(n > 0 for n in starts_of_views(house, match_id))
        seen = pages_of_fresh_process(house, match_id)
        run_statement(
            house, "UPDATE folds SET match_id = :other WHERE match_id = :m", m=match_id, other=id_of_other_match(house)
        )
        with_none = pages_of_fresh_process(house, match_id)
        assert entries_with_folds(house, match_id) == [], "a page writes nothing"
        run_statement(house, "UPDATE asks SET drew = NULL, told = NULL")
        run_statement(house, "DELETE FROM folds WHERE match_id = :m", m=match_id)
        assert seen == with_none == pages_of_fresh_process(house, match_id)
        run_statement(house, "DELETE FROM folds WHERE match_id = :m", m=match_id)
        run_statement(house, "UPDATE folds SET match_id = :m", m=match_id)
    assert from_folds > 6


def id_of_other_match(house: House) -> str:
    """Returns the id of another match, under which rows can be put aside."""
    with house.site.engine.connect() as connection:
        known = connection.execute(text("SELECT id FROM matches WHERE version < 5")).scalar()
    return str(known) if known is not None else house.begin(SEATS, "hogen" if SEATS > 2 else "niigata")


@pytest.mark.parametrize("broken", ["substr(body, 1, 1)", "substr(body, 1, length(body) - 9)"])
def test_folds_that_cannot_be_used_change_no_page(house: House, broken: str) -> None:
    match_id = long_match(house)
    seen = pages_of_fresh_process(house, match_id)
    run_statement(house, f"UPDATE folds SET body = {broken}")
    with capture_logs() as logged:
        assert pages_of_fresh_process(house, match_id) == seen
    said = [one for one in logged if one["event"].startswith("folds.")]
    assert all(set(one) <= {"event", "match", "log_level"} for one in said), "nothing of what is in them"


def folds_by_number(house: House) -> dict[int, bytes]:
    """Returns the kept folds by their numbers."""
    with house.site.engine.connect() as connection:
        return {n: bytes(body) for n, body in connection.execute(text("SELECT n, body FROM folds"))}


def make_wrong(house: House, raised: int) -> dict[int, bytes]:
    """Swaps the states of the two kept rows, as another version makes other states; returns the rows."""
    (first, one), (last, other) = (
        (n, msgspec.msgpack.decode(zlib.decompress(body))) for n, body in sorted(folds_by_number(house).items())
    )
    for n, (version, turns, *_), (_, _, *states) in ((first, one, other), (last, other, one)):
        body = zlib.compress(msgspec.msgpack.encode([version + raised, turns, *states]))
        run_statement(house, "UPDATE folds SET body = :b WHERE n = :n", b=body, n=n)
    return folds_by_number(house)


@pytest.mark.parametrize("raised", [-1, 1])
def test_folds_of_another_version_change_no_page(house: House, raised: int) -> None:
    match_id = long_match(house)
    seen = pages_of_fresh_process(house, match_id)
    make_wrong(house, raised)
    assert pages_of_fresh_process(house, match_id) == seen
    make_wrong(house, -raised)  # of this version, and as they were
    assert pages_of_fresh_process(house, match_id) == seen
    make_wrong(house, 0)
    client = lend_application(fresh_process(house)).test_client(use_cookies=False)
    wrong = [client.get(f"/play/{house.token('play', match_id, seat)}") for seat in range(SEATS)]
    assert [same_each_time(one.data) for one in wrong] != seen[:SEATS], "used, they would change it"


def test_unread_news_before_the_stored_folds_is_told_from_the_log(house: House) -> None:
    match_id = long_match(house)
    assert min(starts_of_views(house, match_id)) > 0
    run_statement(house, "UPDATE seats SET seen = 3 WHERE match_id = :m AND seat = 0", m=match_id)
    with house.site.reading() as session:
        seen = match_views.glance(table_of(session, match_id), 0)
    assert isinstance(seen, WholeView)
    assert min(line.n for line in seen.news("en").lines) <= 6


def table_of(session: Any, match_id: str) -> Table:
    return Table(session, store.get_match(session, match_id))


def log_of(session: Any, match_id: str, view: WholeView) -> list[AnyEntry]:
    """Returns the whole log, from the database."""
    return store.load_entries(session, match_id, view.game)


def test_stored_folds_that_hold_moves_taken_back_are_not_used(house: House) -> None:
    match_id = house.begin(3, "niigata")
    done = 0
    for _ in range(80):
        mover = house.asks(match_id)[0].seat
        house.play(match_id, mover, -1)
        kept = entries_with_folds(house, match_id)
        can = reversible_of_seat(house, match_id, mover)
        if can.state == "free" and can.to is not None and kept and can.to < kept[-1]:
            with house.site.engine.connect() as connection:
                rows = connection.execute(text("SELECT n, body FROM folds")).all()
            take_back(house, match_id, mover)
            own = house.view(match_id, mover)
            assert not [n for n in entries_with_folds(house, match_id) if n > can.to]
            with fresh_process(house).reading() as session:
                assert table_of(session, match_id).state == full_fold(own.game, log_of(session, match_id, own))
                assert match_views.glance(table_of(session, match_id), mover).fold == own.fold
            run_statement(house, "DELETE FROM folds")
            for n, body in rows:  # as an older release beside leaves them
                run_statement(house, "INSERT INTO folds VALUES (:m, :n, :b)", m=match_id, n=n, b=body)
            with fresh_process(house).reading() as session:
                seen = match_views.glance(table_of(session, match_id), mover)
                assert table_of(session, match_id).state == full_fold(own.game, log_of(session, match_id, own))
            assert seen.fold == own.fold
            assert seen.news("en") == own.news("en")
            done += 1
            if done == 3:
                return
    assert done, "nothing was taken back past kept folds"


def test_a_page_reads_only_the_end_of_a_long_log(house: House) -> None:
    match_id = long_match(house)
    with statements_to(house.site.engine) as said:
        assert min(starts_of_views(house, match_id)) > 0
    assert not [one for one in said if "FROM entries" in one and "folds" not in one]


def all_entries_read(house: House, read: Callable[[Site], object]) -> bool:
    """Returns whether a process that knew nothing reads a log from its beginning for this."""
    with statements_to(house.site.engine) as said:
        read(fresh_process(house))
    return any("FROM entries" in one and "folds" not in one and "sealed" not in one for one in said)


def test_polling_a_match_reads_new_entries_from_the_end_of_its_log(house: House) -> None:
    match_id = long_match(house)
    for viewer in (None, *range(SEATS)):
        whole, kept = house.view(match_id, viewer), entries_with_folds(house, match_id)[0]
        for after in (0, kept - 1, kept, whole.sheet.version - 3, whole.sheet.version, whole.sheet.version + 1):
            seen, told = match_views.read_events(fresh_process(house), match_id, viewer, after)
            known = match_views.read_events(house.site, match_id, viewer, after)[1]
            assert told == known
            assert [one.n for one in told.entries] == [*range(after + 1, whole.sheet.version + 1)]
            assert seen.fold == whole.fold
            follow = partial(match_views.read_events, match_id=match_id, viewer=viewer, after=after)
            assert all_entries_read(house, follow) == (after < kept)


def test_a_spectator_sees_the_last_lines_from_the_end_of_the_log(house: House) -> None:
    match_id = long_match(house)
    whole = house.view(match_id, None)
    for lines in (1, 4, 1000):
        seen = seats.watch(fresh_process(house), match_id, "en", lines)
        assert seen.fold == whole.fold
        assert seen.news("en").lines[-lines:] == whole.news("en").lines[-lines:]
        assert (seen.start.n > 0) == (lines < 1000)
    assert not all_entries_read(house, lambda site: seats.watch(site, match_id, "en", 4))


@pytest.mark.parametrize("older", [False, True])
def test_news_of_orders_are_told_from_the_end_of_the_log_if_it_has_them(house: House, older: bool) -> None:
    match_id = long_match(house)
    first = entries_with_folds(house, match_id)[0] - 3 if older else house.view(match_id, None).sheet.version - 2
    told = Told(first, "t1.call", "call", first_n=first, last_n=first)
    seen = match_views.read_now(fresh_process(house), match_id, 0)
    assert ordering.view_covers_news(seen, [told]) != older
    assert ordering.view_covers_news(house.view(match_id, 0), [told])


def test_the_current_position_is_read_from_the_end_of_the_log(house: House) -> None:
    match_id = long_match(house)
    run_statement(house, "UPDATE seats SET seen = 1")
    for viewer in (None, *range(SEATS)):
        site = fresh_process(house)
        now, page = match_views.read_now(site, match_id, viewer), house.view(match_id, viewer)
        assert (now.fold, now.ask, [*now.legal()]) == (page.fold, page.ask, [*page.legal()])
        assert now.start.n > 0 or viewer is None
        with site.reading() as session:  # what is cached so has no news
            seen = match_views.glance(table_of(session, match_id), viewer)
        assert seen.news("en") == page.news("en")


def test_a_match_keeps_its_newest_two_folds_twelve_entries_apart(house: House) -> None:
    match_id = house.begin(SEATS, "allegeance")
    for _ in range(30):
        play_next(house, match_id)
        version, kept = house.view(match_id, None).sheet.version, entries_with_folds(house, match_id)
        assert len(kept) == min(2, version // 12)
        assert not kept or version - 12 - 12 < kept[-1] <= version
