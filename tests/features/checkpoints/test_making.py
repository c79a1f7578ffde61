"""The checkpoint of a day has each match whose log has grown once, and no proof of it leads elsewhere."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any, cast

import pytest
from msgspec import structs
from sqlalchemy import Connection, select, text

from pbem.errors import Busy, NoMatch, NotFound
from pbem.features.checkpoints import days, making, published
from pbem.features.checkpoints.notes import check_signatures_of_one_key, read_note, signer_of_own_checkpoints
from pbem.features.checkpoints.published import MatchCheckpoint
from pbem.features.checkpoints.tables import CheckpointRow, LeavesRow, PlaceRow
from pbem.models.tables import table
from tests.features.checkpoints.played import add_entry, add_matches, hex_digits_for, latest_checkpoint, next_midnight
from tests.harness.interleaving import at_random, interleave_jobs
from tests.table import House


def _hashes(proof: list[str]) -> list[bytes]:
    return [bytes.fromhex(step) for step in proof]


def do_proofs_hold(place: MatchCheckpoint) -> bool:
    """True if the place's two proofs lead to the roots in its note."""
    said = days.parse_checkpoint(read_note(place.note).text)
    leaf = days.leaf_hash_of_match(place.commitment, place.n, place.head)
    day = days.root_from_proof(_hashes(place.proof), leaf, place.leaf, place.size)
    whole = days.root_from_proof(_hashes(place.day_proof), said.day.leaf_hash, place.number - 1, place.number)
    return (day, whole, place.day, place.size) == (said.day.root, said.root, said.day.day, said.day.size)


def plan_of_query(connection: Connection, query: Any) -> str:
    """Returns the database's plan for the query."""
    told = query.compile(connection, compile_kwargs={"literal_binds": True})
    how = "EXPLAIN" if connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
    return "\n".join(str(row[-1]) for row in connection.exec_driver_sql(f"{how} {told}".replace("%", "%%")))


def checkpoints_of(house: House, most_days: int) -> None:
    for _ in range(most_days):
        house.clock.at = next_midnight(house.clock.at)
        making.make_checkpoint_of_today(house.site)


@pytest.fixture
def chunks_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (making, days):
        monkeypatch.setattr(module, "CHUNK", 4)


@pytest.mark.long
def test_a_checkpoint_is_made_once_a_day_and_refers_to_the_one_before(house: House) -> None:
    add_matches(house.site, ["aa"])
    assert making.make_checkpoint_of_today(house.site) == 1
    first = latest_checkpoint(house.site)
    check_signatures_of_one_key(
        read_note(published.read_note(house.site)), signer_of_own_checkpoints(house.site.config).key
    )
    assert (first.number, first.day.size, first.previous) == (1, 1, None)
    assert first.origin == "127.0.0.1:8000/pbem"
    add_entry(house.site, "aa", 2)
    house.clock.at = next_midnight(house.clock.at).replace(day=house.clock.at.day, hour=23)
    assert making.make_checkpoint_of_today(house.site) == 0
    assert latest_checkpoint(house.site) == first
    house.clock.forward(hours=1)
    assert making.make_checkpoint_of_today(house.site) == 1
    second = latest_checkpoint(house.site)
    assert second.day.day > first.day.day
    assert days.is_next_checkpoint(second, first)
    listed = days.read_days(published.read_list_of_days(house.site))
    assert listed == [first.day, second.day]
    for one in (first, second):
        days.check_days_lead_to_root(listed, one)


def test_a_checkpoint_has_each_match_whose_log_has_grown_once(house: House) -> None:
    site = house.site
    add_matches(site, ["aa", "bb"])
    add_matches(site, ["cc"], "paused")
    add_matches(site, ["dd"], "over", ended_at=site.now())
    add_matches(site, ["ee"], "cancelled", ended_at=site.now())
    add_matches(site, ["ff"], "inviting", version=0, head=None)
    add_matches(site, ["gg"], "cancelled", version=0, head=None, ended_at=site.now())
    assert making.make_checkpoint_of_today(site) == 5
    house.clock.at = next_midnight(house.clock.at)
    add_entry(site, "bb", 2)
    add_entry(site, "bb", 3)
    add_entry(site, "cc", 2, status="over", ended_at=site.now())
    assert making.make_checkpoint_of_today(site) == 2
    assert {name: published.read_place_of_match(site, name, None).n for name in ("aa", "bb", "cc", "dd", "ee")} == {
        "aa": 1, "bb": 3, "cc": 2, "dd": 1, "ee": 1,
    }  # fmt: skip
    checkpoints_of(house, 1)
    assert latest_checkpoint(site).day.size == 0
    assert latest_checkpoint(site).day.root == days.EMPTY


@pytest.mark.sample(2)
@pytest.mark.usefixtures("chunks_of_four")
@pytest.mark.parametrize("count", [1, 3, 4, 5, 8, 11])
def test_every_match_of_a_day_has_a_proof(house: House, count: int) -> None:
    names = [f"{number:04x}" for number in range(count)]
    add_matches(house.site, names[::2])
    add_matches(house.site, names[1::2] or ["ffff"], "over", ended_at=house.site.now())
    checkpoints_of(house, 1)
    add_entry(house.site, names[0], 2)
    checkpoints_of(house, 2)
    for name in names:
        place = published.read_place_of_match(house.site, name, 0)
        assert (place.commitment, place.head) == (hex_digits_for(name), hex_digits_for(name, place.n))
        assert do_proofs_hold(place)
        assert not do_proofs_hold(structs.replace(place, head=hex_digits_for("another")))
        assert not do_proofs_hold(structs.replace(place, n=place.n + 1))


@pytest.mark.usefixtures("chunks_of_four")
def test_leaves_of_32_bytes_each_are_stored_in_bounded_chunks(house: House) -> None:
    add_matches(house.site, [f"{number:04x}" for number in range(10)])
    making.make_checkpoint_of_today(house.site)
    with house.site.reading() as session:
        t = table(LeavesRow)
        stored = session.execute(select(t.c.leaves, t.c.root).order_by(t.c.chunk)).all()
    assert [len(leaves) for leaves, _ in stored] == [128, 128, 64]
    assert days.root_of_leaves(root for _, root in stored) == latest_checkpoint(house.site).day.root


@pytest.mark.usefixtures("chunks_of_four")
def test_the_next_run_continues_a_stopped_one_even_on_another_day(house: House) -> None:
    add_matches(house.site, [f"{number:04x}" for number in range(10)])
    looks = iter([False, False, True])
    assert making.make_checkpoint_of_today(replace(house.site, stopping=lambda: next(looks))) == 4
    with pytest.raises(NotFound):
        published.read_note(house.site)
    with pytest.raises(Busy):
        published.read_place_of_match(house.site, "0000", None)
    house.clock.at = next_midnight(house.clock.at)
    assert making.make_checkpoint_of_today(house.site) == 6
    assert [day.size for day in days.read_days(published.read_list_of_days(house.site))] == [10, 0]
    assert do_proofs_hold(published.read_place_of_match(house.site, "0000", None))


@pytest.mark.usefixtures("chunks_of_four")
def test_a_match_ending_during_a_checkpoint_is_in_it_once_and_in_the_next(house: House) -> None:
    names = [f"{number:04x}" for number in range(5)]
    add_matches(house.site, names)
    looks = iter([False, False, True])
    making.make_checkpoint_of_today(replace(house.site, stopping=lambda: next(looks)))
    add_entry(house.site, names[0], 2, status="over", ended_at=house.site.now())
    making.make_checkpoint_of_today(house.site)
    assert latest_checkpoint(house.site).day.size == 5
    checkpoints_of(house, 1)
    assert latest_checkpoint(house.site).day.size == 1
    assert published.read_place_of_match(house.site, names[0], None).n == 2


def test_a_match_whose_end_was_committed_late_is_not_left_out(house: House) -> None:
    add_matches(house.site, ["aa"])
    ended_at = house.site.now()
    house.clock.forward(seconds=30)
    making.make_checkpoint_of_today(house.site)
    add_entry(house.site, "aa", 2, status="over", ended_at=ended_at)
    checkpoints_of(house, 1)
    assert published.read_place_of_match(house.site, "aa", None).n == 2


@pytest.mark.sample(1)
@pytest.mark.usefixtures("chunks_of_four")
@pytest.mark.parametrize("seed", range(4))
def test_two_simultaneous_processes_make_one_checkpoint(house: House, seed: int) -> None:
    names = [f"{number:04x}" for number in range(11)]
    add_matches(house.site, names)
    job = functools.partial(making.make_checkpoint_of_today, house.site)
    statements = house.site.engine.dialect.name == "postgresql"
    run = interleave_jobs(house.site.engine, at_random(seed), {"a": job, "b": job}, statements=statements)
    assert sum(cast("int", added) for added in run.results.values()) == 11
    with house.site.reading() as session:
        places = session.execute(select(table(PlaceRow).c.leaf).order_by(table(PlaceRow).c.leaf)).scalars()
        assert [*places] == [*range(11)]
    assert [day.size for day in days.read_days(published.read_list_of_days(house.site))] == [11]
    assert all(do_proofs_hold(published.read_place_of_match(house.site, name, None)) for name in names)


def test_only_those_who_may_see_a_match_get_its_place_in_the_checkpoint(house: House) -> None:
    add_matches(house.site, ["aa"], spectators=False)
    add_matches(house.site, ["bb"])
    with pytest.raises(NotFound):
        published.read_place_of_match(house.site, "bb", None)
    making.make_checkpoint_of_today(house.site)
    assert published.read_place_of_match(house.site, "aa", 1).n == 1
    with pytest.raises(NoMatch):
        published.read_place_of_match(house.site, "aa", None)
    with pytest.raises(NotFound):
        published.read_place_of_match(house.site, "cc", None)


def test_published_notes_and_lists_contain_no_match_id(house: House) -> None:
    match_id = "0123456789abcdef01234567"
    add_matches(house.site, [match_id])
    making.make_checkpoint_of_today(house.site)
    said = published.read_note(house.site) + published.read_list_of_days(house.site)
    assert match_id not in said
    assert hex_digits_for(match_id) not in said
    assert hex_digits_for(match_id, 1) not in said


@pytest.mark.on_postgresql
def test_matches_for_a_checkpoint_are_found_by_index(house: House) -> None:
    """With millions of matches that ended long ago, a day reads those of that day."""
    add_matches(house.site, ["aa"])
    making.make_checkpoint_of_today(house.site)
    with house.site.reading() as session:
        (row,) = session.execute(select(table(CheckpointRow))).all()
        if session.connection().dialect.name == "postgresql":
            for kind in ("seqscan", "bitmapscan", "sort"):  # which a table of one row would make cheap
                session.execute(text(f"SET LOCAL enable_{kind} = off"))
        later = f"{row.begun_at.isoformat()} a0"
        for stage, after, since in (("running", "a0", None), ("ended", "", row.begun_at), ("ended", later, None)):
            query = making.query_of_grown_matches(row.day, stage, after, since).limit(4)
            plan = plan_of_query(session.connection(), query)
            assert "ix_matches_" in plan, plan
            assert "SCAN matches" not in plan.replace("SCAN matches USING INDEX", ""), plan
            assert "Sort" not in plan, plan
            assert "TEMP B-TREE" not in plan, plan
