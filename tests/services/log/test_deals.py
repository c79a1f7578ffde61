"""A deal that several tables play: the same cards at each, seals of its own, and open once the last is over."""

import threading
from typing import Any

import msgspec
import pytest
from sqlmodel import select

from pbem.errors import Gone, Invalid
from pbem.games import find_game
from pbem.kit.logs import chain, logfile
from pbem.kit.logs.chain import commit, key_of_seals
from pbem.kit.logs.verdict import verify
from pbem.models.deals import DealRow
from pbem.models.tables import Match, Player, SeatRow
from pbem.services.lobby import seating
from pbem.services.lobby.match_request import Terms
from pbem.services.log import cancellation, deals, proofs, store
from pbem.services.play import presence, substitutes, takeback
from pbem.services.players import players
from pbem.services.tokens import VacancyClaim
from pbem.services.views import match_views, replays
from tests.deals import TABLES, begin_deal, begin_table, close_shared_deal, deal_row, new_deal
from tests.table import House, claim_of


def events_of_setup(house: House, match_id: str) -> list[Any]:
    """The events of the setup, with nothing hidden."""
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        entries = store.load_entries(session, match_id, store.game_by_slug(match.game))
    return [entry.event for entry in entries if entry.key is None and entry.by.table]


def own_log(house: House, match_id: str, seat: int) -> logfile.Log:
    """The log as this seat may download it, read again from its file."""
    return logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, seat)), find_game)


# --- one deal --------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("game", ["hogen", "hagakure", "niigata"])
def test_all_tables_of_a_deal_get_the_same_cards_and_the_same_commitment(house: House, game: str) -> None:
    deal_id, tables = begin_deal(house, game)
    other = house.begin(3, game)
    one, two = (events_of_setup(house, match_id) for match_id in tables)
    assert one == two != events_of_setup(house, other)
    row = deal_row(house, deal_id)
    for match_id in tables:
        log = match_views.read_log(house.site, match_id, 0)
        assert log.proof is not None
        assert (log.proof.deal, log.proof.table, log.commitment) == (deal_id, match_id, row.commitment)
    words = msgspec.json.decode(row.words, type=list[str])
    assert row.commitment == commit(deal_id, row.seed, words[0])


@pytest.mark.long
def test_a_take_back_at_one_table_keeps_the_draws_shared_with_the_others(house: House) -> None:
    """A draw has a name, so what else happened at a table changes none."""
    _, tables = begin_deal(house, "niigata", takebacks="consent")
    one, two = tables
    for _ in range(2):
        mover = house.asks(one)[0].seat
        house.play(one, mover, -1)
        claim = claim_of(house.site, one, mover)
        to = takeback.read_takeback(house.site, claim).reversible.to
        assert to is not None
        takeback.take_back(house.site, claim, to)
    house.play_on(one)
    house.play_on(two, at=-1)
    drawn = []
    for match_id in tables:
        verdict = verify(match_views.read_log(house.site, match_id, 0))
        assert verdict.ok, verdict.problems
        assert {draw.takebacks for draw in verdict.draws} == {0}
        drawn.append({(draw.name, draw.n): draw.result for draw in verdict.draws})
    common = drawn[0].keys() & drawn[1].keys()
    assert len(common) > 3
    assert all(drawn[0][name] == drawn[1][name] for name in common)


def test_a_seal_at_one_table_tells_nothing_about_the_same_value_at_another(house: House) -> None:
    """Anyone who knows a salt at one table could else open the seal of the same place at another."""
    _, tables = begin_deal(house)
    salts, heads = [], []
    for match_id in tables:
        log = own_log(house, match_id, 1)
        assert log.proof is not None
        salts.append({(n, path): salt for n, one in enumerate(log.proof.salts) for path, salt in one.items()})
        heads.append(set(log.heads()))
    assert salts[0].keys() == salts[1].keys() != set()
    assert not {*salts[0].values()} & {*salts[1].values()}
    assert not heads[0] & heads[1], "a head at one table is none at another, so marks do not compare them either"
    with house.site.reading() as session:
        seals = [{seal for _, sealed, _ in proofs.read_seals(session, m) for seal in sealed.values()} for m in tables]
    assert seals[0]
    assert not seals[0] & seals[1]


def test_the_time_of_a_silent_window_differs_from_table_to_table(house: House) -> None:
    _, tables = begin_deal(house)
    drawn = []
    for match_id in tables:
        with house.site.reading() as session:
            chance = proofs.luck_of_window_durations(store.get_match(session, match_id)).window("t1.act", 0)
            drawn.append([chance.below(4201) for _ in range(4)])
    assert drawn[0] != drawn[1]


def test_a_match_without_a_deal_derives_its_seals_from_its_own_luck(house: House) -> None:
    match_id = house.begin(3)
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        assert proofs.deal_id_of(match) == match_id
        luck, seals = proofs.keys_of(match)
        assert seals == luck == key_of_seals(luck, None)
    log = match_views.read_log(house.site, match_id, 0)
    assert log.proof is not None
    assert log.proof.table is None
    assert "table" not in log.document()


# --- words -----------------------------------------------------------------------------------------------------


def test_typing_a_lucky_word_at_the_table_of_a_shared_deal_is_refused(house: House) -> None:
    deal_id = new_deal(house)
    with house.site.reading() as session:
        game = store.game_by_slug("hogen")
        deal = session.get_one(DealRow, deal_id)
        terms = Terms(game.meta.slug, deal.options, 86_400, 3600, spectators=True, organiser_id=None)
    places = [seating.Place("accepted", bot="greedy") for _ in range(3)]
    with house.site.writing() as work:
        deal = work.get_one(DealRow, deal_id)
        with pytest.raises(Invalid, match="lucky words are fixed"):
            seating.set_up_match(house.site, work, terms, places, "plum", deal=deal)


# --- open and closed -------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_shared_deal_opens_when_its_last_table_ends(house: House) -> None:
    deal_id, (one, two) = begin_deal(house)
    assert deal_row(house, deal_id).tables_left == 2
    house.play_out(one)
    assert (deal_row(house, deal_id).tables_left, deal_row(house, deal_id).opened_at) == (1, None)
    house.clock.forward(hours=5)
    house.play_out(two)
    assert (deal_row(house, deal_id).tables_left, deal_row(house, deal_id).opened_at) == (0, house.clock.at)


def test_a_deal_that_more_tables_may_get_opens_only_when_it_is_closed(house: House) -> None:
    deal_id = new_deal(house)
    match_id = begin_table(house, deal_id, TABLES[0])
    house.play_out(match_id)
    ended = house.clock.at
    house.clock.forward(hours=1)
    assert deal_row(house, deal_id).opened_at is None
    close_shared_deal(house, deal_id)
    assert deal_row(house, deal_id).opened_at == ended
    close_shared_deal(house, deal_id)
    assert deal_row(house, deal_id).opened_at == ended
    with pytest.raises(Gone, match="No further table"):
        begin_table(house, deal_id, TABLES[1])


def test_a_cancelled_table_counts_as_over_for_opening_its_shared_deal(house: House) -> None:
    deal_id, (one, two) = begin_deal(house)
    cancellation.cancel_match_for_host(house.site, one)
    assert deal_row(house, deal_id).opened_at is None
    house.play_out(two)
    assert deal_row(house, deal_id).opened_at is not None


def test_a_match_with_other_settings_than_the_deals_is_refused(house: House) -> None:
    deal_id = new_deal(house, "hogen", seats=4)
    with pytest.raises(ValueError, match="is for 4 seats"):
        begin_table(house, deal_id, TABLES[0])
    with house.site.reading() as session:
        assert session.get_one(DealRow, deal_id).tables_left == 0
        assert session.exec(select(Match).where(Match.deal_id == deal_id)).first() is None


@pytest.mark.long
def test_a_shared_deal_opens_also_when_its_last_two_tables_end_at_once(house: House) -> None:
    deal_id, tables = begin_deal(house)
    together = threading.Barrier(2)

    def end(match_id: str) -> None:
        together.wait()
        cancellation.cancel_match_for_host(house.site, match_id)

    threads = [threading.Thread(target=end, args=(match_id,)) for match_id in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    row = deal_row(house, deal_id)
    assert (row.tables_left, row.opened_at) == (0, house.clock.at)


# --- what is shown ---------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_finished_table_of_a_deal_keeps_secrets_until_the_last_is_over(house: House) -> None:
    _, (one, two) = begin_deal(house)
    before = {seat: house.view(one, seat).entries for seat in range(3)}
    house.play_out(one)
    for seat in range(3):
        log = own_log(house, one, seat)
        assert (log.seed, log.viewer) == (None, seat)
        assert log.proof is not None
        assert log.proof.sealed_until == "deal"
        assert log.entries[: len(before[seat])] == before[seat]
        (found,) = verify(log).findings
        assert "before the last table of its deal is over" in found.said.en
        sheet = house.view(one, seat).sheet
        assert (sheet.over, sheet.open, sheet.spectators) == (True, False, False)
        assert replays.perspectives_of_reader(sheet, seat) == (seat,)
    house.play_out(two)
    for match_id in (one, two):
        log = own_log(house, match_id, 0)
        assert log.viewer == "all"
        assert verify(log).ok
        sheet = house.view(match_id, 0).sheet
        assert (sheet.open, sheet.spectators) == (True, True)


def test_a_full_log_of_a_deal_fails_to_verify_as_another_tables(house: House) -> None:
    """Its table stands in the chain: seals and heads of one table are no others'."""
    _, (one, two) = begin_deal(house)
    house.play_out(one)
    house.play_out(two)
    log = match_views.read_log(house.site, one, 0)
    assert log.proof is not None
    for table in (two, None):
        changed = msgspec.structs.replace(log, proof=msgspec.structs.replace(log.proof, table=table))
        assert not verify(changed).ok
    with house.site.reading() as session:
        key = proofs.keys_of(store.get_match(session, one)).luck
    n, path = next((n, path) for n, sealed in enumerate(log.proof.sealed, 1) for path in sealed)
    assert log.proof.sealed[n - 1][path] != chain.seal_of_value(
        chain.salt_of_value(key, n, path), chain.value_at(log.entries[n - 1], path)
    )


def test_players_elsewhere_are_those_at_other_tables_of_the_deal(house: House) -> None:
    _, (one, two) = begin_deal(house)
    other = house.begin(3)
    with house.site.reading() as session:
        alice = session.get_one(SeatRow, (one, 0)).player_id
        assert alice is not None
        found = [alice in deals.players_elsewhere(session, match_id) for match_id in (one, two, other)]
    assert found == [False, True, False]


def test_respelling_a_mailbox_does_not_win_a_second_seat_of_the_deal(house: House) -> None:
    _, (one, two) = begin_deal(house)
    presence.resign(house.site, claim_of(house.site, one, 1))
    with house.site.reading() as session:
        away = session.get_one(SeatRow, (one, 1)).away_n
        there = {seat.player_id for seat in store.seats_of(session, one)}
        at_two = [seat for seat in store.seats_of(session, two) if seat.player_id not in there]
        spelled = [session.get_one(Player, seat.player_id).canonical for seat in at_two]
    local, _, domain = (spelled[0] or "").partition("@")
    for address, refused in ((f"{local}+2@{domain}", True), (f"{local}2@{domain}", False)):
        with house.site.writing() as work:
            player = players.find_or_add(work, address, "en", house.clock())
            player.verified_at = house.clock()
            work.flush()
            assert player.id is not None
        vacancy = VacancyClaim(one, 1, away or 0)
        if refused:
            with pytest.raises(Gone, match="this deal at another table"):
                substitutes.take_seat_at_once(house.site, vacancy, player.id, "Somebody")
        else:
            assert substitutes.take_seat_at_once(house.site, vacancy, player.id, "Somebody") == (one, 1)
