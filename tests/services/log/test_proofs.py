"""The chain over a match's log: every viewer comes to the same head, from no more than they may see."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import text

from pbem.errors import Busy
from pbem.features.lab.sealing import seal_log
from pbem.games import find_game
from pbem.kit.logs import chain, logfile
from pbem.kit.logs.chain import mark_of
from pbem.kit.logs.entries import SealedEntry
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Resumed
from pbem.models.tables import Match
from pbem.services.log import proofs, store
from pbem.services.log.table import LockedTable, lock_table
from pbem.services.play import presence
from pbem.services.views import match_views
from tests.harness.sent import statements_to
from tests.services.play.stage.races import at_once
from tests.table import House, claim_of, submit_answer

VIEWERS = (0, 1, 2, None)


def match_in_database(house: House, match_id: str) -> Match:
    """The match as the database has it."""
    with house.site.reading() as session:
        found = session.get_one(Match, match_id)
        session.expunge(found)
    return found


def table_of(house: House, game: str, moves: int = 12) -> str:
    """A match with some moves, and entries about the people between them."""
    match_id = house.begin(3, game)
    play_on_for(house, match_id, moves // 2)
    with house.site.writing() as work:
        lock_table(work, match_id).record([Resumed()])
    play_on_for(house, match_id, moves - moves // 2)
    return match_id


def play_on_for(house: House, match_id: str, moves: int) -> None:
    """Plays this many moves, unless the match is over before."""
    for _ in range(moves):
        if asks := house.asks(match_id):
            house.clock.forward(seconds=7)
            house.play(match_id, asks[0].seat)


def first_head(sheet: match_views.Sheet, options: Any) -> str:
    """The head before the first entry, from what everybody is told."""
    assert sheet.words is not None
    return chain.first_head(
        commitment=sheet.commitment, deal=sheet.id, game=sheet.game.meta.slug, options=options,
        seats=len(sheet.seats), words=sheet.words,
    )  # fmt: skip


def seals_of(entries: list[SealedEntry[Any]]) -> Iterator[dict[str, str]]:
    return (entry.sealed for entry in entries)


@pytest.mark.long
@pytest.mark.parametrize("game", ["hogen", "allegeance", "hagakure", "hexen-rennen", "niigata"])
def test_every_viewer_comes_to_the_same_head_from_what_they_see(house: House, game: str) -> None:
    match_id = table_of(house, game)
    match = match_in_database(house, match_id)
    assert match.head is not None
    for viewer in VIEWERS:
        view, told = match_views.read_events(house.site, match_id, viewer, 0)
        assert told.base == first_head(view.sheet, proofs.options_dict_as_stored(match))
        heads = [told.base, *chain.heads(told.base, told.entries, seals_of(told.entries))]
        assert heads[-1] == told.head == view.sheet.head == match.head
        assert view.sheet.mark == mark_of(match.head)
        for after in (1, 5, match.version):
            _, rest = match_views.read_events(house.site, match_id, viewer, after)
            assert rest.entries == told.entries[after:]
            assert (rest.base, rest.head) == (heads[after], match.head)


@pytest.mark.long
@pytest.mark.parametrize("game", ["hogen", "allegeance", "hagakure", "hexen-rennen", "niigata"])
def test_a_salt_comes_with_what_its_reader_sees_and_with_nothing_else(house: House, game: str) -> None:
    match_id = table_of(house, game)
    key, full = proofs.keys_of(match_in_database(house, match_id)).luck, entries_sealed_in_full(house, match_id)
    for viewer in VIEWERS:
        _, told = match_views.read_events(house.site, match_id, viewer, 0)
        for entry, whole in zip(told.entries, full, strict=True):
            assert entry.sealed == whole.sealed, "the same for everybody"
            assert chain.first_broken_seal(entry, entry.sealed, entry.salts) is None
            for path in entry.sealed:
                seen = value_shown_at(entry, path) == value_shown_at(whole, path)
                assert (path in entry.salts) == seen, f"{viewer} {entry.n} {path}"
                assert entry.salts.get(path) in (None, chain.salt_of_value(key, entry.n, path))


@pytest.mark.long
def test_a_poll_that_has_all_entries_already_reads_no_seals(house: House) -> None:
    match_id = table_of(house, "hogen")
    match = match_in_database(house, match_id)
    for after, base, asked in (
        (match.version - 1, None, 1), (match.version, match.head, 0), (match.version + 1, None, 0), (10**9, None, 0),
    ):  # fmt: skip
        house.view(match_id, None)
        with statements_to(house.site.engine) as said:
            _, told = match_views.read_events(house.site, match_id, None, after)
        assert sum("entries.sealed" in statement for statement in said) == asked
        assert told.head == match.head
        assert len(told.entries) == asked
        assert asked or told.base == base


def entries_sealed_in_full(house: House, match_id: str) -> list[SealedEntry[Any]]:
    """The entries with nothing hidden, and their seals made again."""
    match, game = match_in_database(house, match_id), house.view(match_id, None).game
    with house.site.reading() as session:
        entries = store.load_entries(session, match_id, game)
    words, options = proofs.word_hashes(match), house.view(match_id, None).sheet.options
    log = seal_log(game, options, len(words), match.id, match.seed, words, entries)
    assert log.proof is not None
    assert log.proof.head == match.head
    each = zip(log.entries, log.proof.sealed, strict=True)
    return [SealedEntry(one.n, one.at, one.by, one.key, one.event, dict(seals)) for one, seals in each]


def value_shown_at(entry: SealedEntry[Any], path: str) -> Any:
    """What the entry shows at this path."""
    shown: Any = entry
    for step in path.split("."):
        shown = shown[int(step)] if isinstance(shown, tuple) else getattr(shown, step)
    return shown


@pytest.mark.long
def test_a_viewers_log_has_no_salt_for_faded_values(house: House) -> None:
    match_id = house.begin(3, "allegeance")
    salted: list[set[tuple[int, str]]] = []
    for _ in range(24):
        if not (asks := house.asks(match_id)):
            break
        house.play(match_id, asks[0].seat)
        _, told = match_views.read_events(house.site, match_id, None, 0)
        salted.append({(entry.n, path) for entry in told.entries for path in entry.salts})
    assert any(before - after for before, after in pairwise(salted)), "something has faded"


def test_a_repeated_receipt_has_the_same_heads_before_and_after_the_move(house: House) -> None:
    match_id = house.begin()
    before = match_in_database(house, match_id).head
    ask = house.asks(match_id)[1]
    move = house.view(match_id, ask.seat).legal()[0]
    receipts = [submit_answer(house.site, match_id, ask.seat, ask.key, move, "api") for _ in range(2)]
    for receipt in receipts:
        told = receipt.told
        assert (told.base, told.head) == (before, match_in_database(house, match_id).head)
        assert [*chain.heads(before or "", told.entries, seals_of(told.entries))][-1] == told.head
    first, again = receipts
    assert (first.told, first.repeated, again.repeated) == (again.told, False, True)
    assert first.told.entries[0].salts.keys() == {"event.card"}, "the mover knows their own card"


@pytest.mark.long
def test_a_viewers_log_holds_its_chain_and_the_full_one_has_no_salts(house: House) -> None:
    match_id = table_of(house, "hogen")
    for viewer in VIEWERS:
        log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, viewer)), find_game)
        assert log.proof is not None
        assert (log.viewer, log.seed) == (viewer, None)
        assert log.heads()[-1] == log.proof.head == match_in_database(house, match_id).head
        assert any(log.proof.salts) == (viewer is not None), "a spectator of Hogen sees nothing that is sealed"
    house.play_out(match_id)
    match = match_in_database(house, match_id)
    log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)), find_game)
    assert log.proof is not None
    assert not any(log.proof.salts), "they follow from the seed"
    assert verify(log, match.commitment, match.head).problems == ()


@pytest.mark.long
def test_a_resignation_is_part_of_the_hash_chain_of_the_log(house: House) -> None:
    match_id = house.begin()
    before = match_in_database(house, match_id)
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    after = match_in_database(house, match_id)
    assert after.version > before.version
    assert before.head != after.head
    _, told = match_views.read_events(house.site, match_id, None, before.version)
    assert (told.base, told.head) == (before.head, after.head)
    assert [*chain.heads(before.head or "", told.entries, seals_of(told.entries))][-1] == after.head


@pytest.mark.long
def test_of_two_simultaneous_moves_the_second_links_to_the_firsts_head(house: House) -> None:
    match_id = house.begin()
    asks = house.asks(match_id)

    def play(seat: int, key: str) -> None:
        submit_answer(house.site, match_id, seat, key, house.view(match_id, seat).legal()[0], "api")

    assert at_once(*(partial(play, ask.seat, ask.key) for ask in asks)) == [None] * len(asks)
    entries_sealed_in_full(house, match_id)  # compares the head with that of all entries


@pytest.mark.on_postgresql
def test_appending_with_an_outdated_version_leaves_the_head_unchanged(house: House) -> None:
    match_id = house.begin()
    before = match_in_database(house, match_id)

    def write_late() -> None:
        with house.site.writing() as work:
            match = store.get_match(work, match_id)
            work.connection().execute(text("UPDATE matches SET version = version + 1"))
            LockedTable(work, match).record([Resumed()])

    with pytest.raises(Busy):
        write_late()
    after = match_in_database(house, match_id)
    assert (after.version, after.head) == (before.version, before.head)


@pytest.mark.on_postgresql
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET at = '2026-03-12 12:05:01' WHERE n = 2",
        "UPDATE entries SET head = 'x' || substr(head, 2) WHERE n = 2",
        "UPDATE entries SET sealed = NULL WHERE n = 2",
        'UPDATE entries SET by = \'{"seat":2,"via":"web"}\' WHERE n = 2',
        "UPDATE entries SET event = CASE WHEN replace(event, '\"M1', '') <> event THEN replace(event, '\"M1', '\"M2') "
        'ELSE \'{"card":"M1","seat":0,"type":"AllyChosen"}\' END WHERE n = 2',
        "UPDATE entries SET event = replace(event, '\"seat\":0', '\"seat\":2') WHERE n = 2",
    ],
)
def test_the_first_entry_changed_in_the_database_is_found(house: House, change: str) -> None:
    match_id = house.begin()
    play_on_for(house, match_id, 3)
    assert first_broken_entry(house, match_id) is None
    with house.site.writing() as work:
        assert work.connection().exec_driver_sql(change).rowcount == 1
    assert first_broken_entry(house, match_id) == 2


def first_broken_entry(house: House, match_id: str) -> int | None:
    """The first entry that the chain does not lead to."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        return proofs.first_broken_entry(
            session, match, store.load_entries(session, match_id, store.game_by_slug(match.game))
        )
