"""Expired data is deleted once an hour; data that is still needed stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, func, select, text
from sqlmodel import SQLModel
from structlog.testing import capture_logs

from pbem.models.accounts import AddressChange, Idempotent, PersonalToken
from pbem.models.engine import WRITE
from pbem.models.tables import FoldRow, Match, MessageRow, NoteRow, OutboxRow, Player, SeatRow, SubstituteRow, table
from pbem.services.lobby import match_request, matches
from pbem.services.lobby.match_request import Invitee
from pbem.services.log import cancellation
from pbem.services.play import presence, substitutes, timeouts
from pbem.services.players import guests, players
from pbem.services.privacy import address_change, erasure, retention
from pbem.services.tokens import OfferClaim, VacancyClaim
from pbem.services.views import talk
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.services.letterbox import player_of
from tests.table import House, address_of, claim_of


def count_rows(house: House, model: type[SQLModel]) -> int:
    with house.site.reading() as session:
        return int(session.execute(select(func.count()).select_from(table(model))).scalar_one())


def addresses_of_players(house: House) -> set[str]:
    with house.site.reading() as session:
        return set(session.execute(select(table(Player).c.address)).scalars())


@pytest.mark.long
def test_retention_deletes_nothing_of_a_young_site(house: House) -> None:
    match_id = house.begin()
    talk.post_message(house.site, claim_of(house.site, match_id, 0), "hello")
    house.play_out(match_id)
    house.drain()
    house.clock.forward(days=29)
    assert retention.delete_old_rows(house.site) == 0


def test_chat_and_notes_are_deleted_a_year_after_the_match_but_not_the_log(house: House) -> None:
    over, running = house.begin(), house.begin()
    for match_id in (over, running):
        talk.post_message(house.site, claim_of(house.site, match_id, 0), "hello")
        talk.write_note(house.site, claim_of(house.site, match_id, 1), "beware of Carol")
    house.play_out(over)
    version = house.view(over, None).sheet.version
    house.clock.forward(days=364)
    retention.delete_old_rows(house.site)
    assert (count_rows(house, MessageRow), count_rows(house, NoteRow)) == (2, 2)
    house.clock.forward(days=1)
    retention.delete_old_rows(house.site)
    assert (count_rows(house, MessageRow), count_rows(house, NoteRow)) == (1, 1)
    with house.site.reading() as session:
        assert session.execute(select(table(NoteRow).c.match_id)).scalars().all() == [running]
    assert house.view(over, None).sheet.version == version
    assert retention.delete_old_rows(house.site) == 0


@pytest.mark.long
def test_rows_of_sent_mails_go_half_a_year_after_the_end_of_the_match(house: House) -> None:
    over, running = house.begin(), house.begin()
    house.drain()
    house.play_out(over)
    house.drain()
    house.clock.forward(days=179)
    retention.delete_old_rows(house.site)
    before = count_rows(house, OutboxRow)
    house.clock.forward(days=1)
    retention.delete_old_rows(house.site)
    with house.site.reading() as session:
        t = table(OutboxRow)
        left = set(session.execute(select(t.c.match_id)).scalars())
        newest = session.execute(select(func.max(t.c.id))).scalar()
    assert count_rows(house, OutboxRow) < before
    assert running in left
    assert newest == before, "a number is never given out again: it stands in the ids of mails"


@pytest.mark.long
def test_an_invitee_who_never_accepted_is_deleted_a_month_after_the_match(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    house.drain()
    house.create(3, "hogen")
    with house.site.writing() as session:  # a later player, so that Carol's id is not the last one
        session.add(Player(address="z@example.org", canonical="z@example.org", created_at=house.clock()))
    house.clock.forward(days=15)
    timeouts.cancel_lapsed_matches(house.site)
    house.drain()
    house.clock.forward(days=29)
    retention.delete_old_rows(house.site)
    assert address_of("Carol") in addresses_of_players(house)
    house.clock.forward(days=2)
    retention.delete_old_rows(house.site)
    assert address_of("Carol") not in addresses_of_players(house)
    assert {address_of("Alice"), address_of("Bob")} <= addresses_of_players(house), "who has come has an account"
    assert house.view(match_id, None).sheet.names == ("Alice", "Bob", "(C)")
    assert "z@example.org" in addresses_of_players(house), "the newest number stays"


@pytest.mark.on_postgresql
def test_a_stranger_referred_to_by_a_feature_no_longer_installed_is_kept(house: House) -> None:
    names = ("kept@example.org", "gone@example.org", "last@example.org")
    with house.site.writing() as work:
        work.add_all(Player(address=one, canonical=one, created_at=house.clock()) for one in names)
        work.flush()
        kept = work.execute(text("SELECT id FROM players WHERE address = 'kept@example.org'")).scalar_one()
        work.execute(text("CREATE TABLE feed_readers (player_id INTEGER REFERENCES players (id))"))
        work.execute(text("INSERT INTO feed_readers VALUES (:player)"), {"player": kept})
    house.clock.forward(days=40)
    assert retention.delete_old_rows(house.site) == 1
    assert addresses_of_players(house) & {*names} == {"kept@example.org", "last@example.org"}, "the newest number stays"


def test_a_retention_sweep_that_fails_stops_no_other_and_is_raised(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept: list[str] = []

    def fail(*_: object) -> int:
        raise RuntimeError("no")

    def sweep(*_: object) -> int:
        swept.append("after it")
        return 0

    monkeypatch.setattr(retention, "all_sweeps", lambda: {"broken": fail, "sound": sweep})
    monkeypatch.setattr(guests, "ids_of_guests_long_away", lambda *_: swept.append("guests"))
    with pytest.raises(RuntimeError, match="no"):
        retention.delete_old_rows(house.site)
    assert swept == ["after it", "guests"]


def test_a_retention_sweep_that_never_ends_still_lets_the_others_run(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept: list[str] = []

    def sweep(name: str, count: int) -> int:
        swept.append(name)
        return count

    sweeps = {"odd": lambda *_: sweep("odd", 1), "sound": lambda *_: sweep("sound", 0)}
    monkeypatch.setattr(retention, "all_sweeps", lambda: sweeps)
    monkeypatch.setattr(retention, "BATCHES", 3)
    with capture_logs() as lines:
        assert retention.delete_old_rows(house.site) == 3
    assert swept == ["odd"] * 3 + ["sound"]
    assert [line["what"] for line in lines if line["event"] == "tidy.unfinished"] == ["odd"]


@pytest.mark.on_postgresql
def test_an_organiser_who_never_confirmed_is_deleted_a_month_later(house: House) -> None:
    mine = house.begin()
    house.drain()
    people = [Invitee(name, address_of(name)) for name in ("Charlie", "Bob", "Carol")]
    lapsed = matches.create_match(house.site, STRANGER, match_request.NewMatch("hogen", people))
    off = house.create()
    with house.site.writing() as session:  # a later player, so that Charlie's id is not the last one
        session.add(Player(address="z@example.org", canonical="z@example.org", created_at=house.clock()))
    house.drain()
    house.clock.forward(days=15)
    timeouts.cancel_lapsed_matches(house.site)
    house.drain()
    house.clock.forward(days=29)
    retention.delete_old_rows(house.site)
    assert address_of("Charlie") in addresses_of_players(house)
    house.clock.forward(days=2)
    retention.delete_old_rows(house.site)
    assert address_of("Charlie") not in addresses_of_players(house)
    with house.site.reading() as session:
        organisers = {found.id: found.organiser_id for found in session.execute(select(Match)).scalars()}
    alice = player_of(house, "Alice").id
    assert organisers == {mine: alice, lapsed: None, off: alice}
    assert retention.delete_old_rows(house.site) == 0


def test_the_row_of_an_erased_player_is_deleted_unless_referred_to(house: House) -> None:
    match_id = house.begin()
    house.drain()
    erasure.erase_player(house.site, player_of(house, "Bob").id or 0)
    with house.site.reading() as session:
        away = session.get_one(SeatRow, (match_id, 1)).away_n
    assert away is not None
    for name in ("Charlie", "Dave"):
        who = Invitee(name, address_of(name))
        substitutes.ask_for_seat(
            house.site,
            house.tokens.read(VacancyClaim, house.token("substitute", match_id, 1, away)),
            who,
            "en",
            "Europe/Paris",
        )
    with house.site.reading() as session:
        offers = session.execute(select(table(SubstituteRow).c.id).order_by(table(SubstituteRow).c.id)).scalars().all()
    substitutes.accept_offer(house.site, OfferClaim(offers[0]), "en", "Europe/Paris")
    erasure.erase_player(house.site, player_of(house, "Charlie").id or 0)
    house.clock.forward(days=31)
    numbers = count_rows(house, Player)
    retention.delete_old_rows(house.site)
    assert count_rows(house, Player) == numbers - 1, "Bob's; that Charlie sat there is still known by number"


@pytest.mark.on_postgresql
def test_a_seat_asked_for_in_vain_is_forgotten_a_month_after_the_match(house: House) -> None:
    match_id = house.begin()
    presence.resign(house.site, claim_of(house.site, match_id, 1))
    with house.site.reading() as session:
        away = session.get_one(SeatRow, (match_id, 1)).away_n
    assert away is not None
    for name in ("Charlie", "Dave"):
        who = Invitee(name, address_of(name))
        substitutes.ask_for_seat(
            house.site,
            house.tokens.read(VacancyClaim, house.token("substitute", match_id, 1, away)),
            who,
            "en",
            "Europe/Paris",
        )
    cancellation.cancel_match_for_host(house.site, match_id)
    house.drain()
    house.clock.forward(days=30)
    retention.delete_old_rows(house.site)
    assert count_rows(house, SubstituteRow) == 1
    assert address_of("Charlie") not in addresses_of_players(house)


@pytest.mark.long
def test_signing_up_again_keeps_an_unused_address_for_another_month(house: House) -> None:
    """Its newest link must open an account."""
    house.begin()
    for _ in range(2):
        for name in ("Dave", "Fanny"):  # the newest player stays in any case
            players.sign_up(house.site, address_of(name), "en", "Europe/Paris")
        house.drain()
        house.clock.forward(days=29)
        retention.delete_old_rows(house.site)
        assert address_of("Dave") in addresses_of_players(house)
    house.clock.forward(days=2)
    retention.delete_old_rows(house.site)
    assert address_of("Dave") not in addresses_of_players(house)


@pytest.mark.on_postgresql
def test_changes_of_address_are_forgotten_after_a_month(house: House) -> None:
    house.begin()
    for new in ("a@example.net", "b@example.net"):
        address_change.request_change(house.site, player_of(house, "Bob").id or 0, new)
        house.clock.forward(hours=1)
    house.clock.forward(days=30)
    retention.delete_old_rows(house.site)
    assert count_rows(house, AddressChange) == 1
    address_change.request_change(house.site, player_of(house, "Bob").id or 0, "c@example.net")
    retention.delete_old_rows(house.site)
    with house.site.reading() as session:
        assert session.execute(select(table(AddressChange).c.id)).scalars().all() == [3]


@cases(
    "what, length",
    [
        ("Address of somebody who was invited", retention.STRANGERS),
        ("Messages, notes, orders and plans", retention.TALK),
        ("Rows about mails", retention.MAILS), ("A request to take over a seat", retention.STRANGERS),
        ("A change of address", retention.CHANGES), ("The day on which a guest", guests.VISITS),
    ],
)  # fmt: skip
def test_privacy_md_states_every_retention_period(what: str, length: timedelta) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "privacy.md").read_text()
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {what}")]
    assert row.split("|")[3].strip().startswith(f"{length.days} days")


def say_long_ago(house: House, monkeypatch: pytest.MonkeyPatch, messages: int = 8) -> None:
    """This many messages in a match that ended a year ago; a batch has three rows."""
    match_id = house.begin()
    for n in range(messages):
        talk.post_message(house.site, claim_of(house.site, match_id, 0), f"hello {n}")
    cancellation.cancel_match_for_host(house.site, match_id)
    house.drain()
    house.clock.forward(days=366)
    monkeypatch.setattr(retention, "AT_ONCE", 3)


def test_a_retention_run_checks_few_ended_matches_and_the_next_goes_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [house.begin() for _ in range(5)]

    def places() -> list[int]:
        with house.site.reading() as session:
            return [ids.index(one) for one in session.execute(select(table(NoteRow).c.match_id)).scalars()]

    for at, match_id in enumerate(ids):
        if at in (0, 4):
            talk.write_note(house.site, claim_of(house.site, match_id, 0), "hello")
        cancellation.cancel_match_for_host(house.site, match_id)
        house.clock.forward(minutes=1)
    house.drain()
    house.clock.forward(days=366)
    monkeypatch.setattr(retention, "WALK", 2)
    monkeypatch.setattr(retention, "STRETCHES", 2)  # each begins with the last match of the one before
    retention.delete_old_rows(house.site)
    assert places() == [4]
    retention.delete_old_rows(house.site)
    assert places() == []
    talk.write_note(house.site, claim_of(house.site, ids[3], 0), "hello again")  # passed already
    retention.delete_old_rows(house.site)
    assert places() == [], "it goes back no further than it must"


@pytest.mark.on_postgresql
def test_rows_written_during_a_retention_run_are_deleted_by_the_next(house: House) -> None:
    if house.site.engine.dialect.name == "sqlite":
        return  # it has one writer at a time
    ids = [house.begin() for _ in range(3)]
    house.drain()
    for match_id, hours in zip(ids, (24, 0.01, 0), strict=True):
        cancellation.cancel_match_for_host(house.site, match_id)
        house.clock.forward(hours=hours)
    house.clock.forward(days=365, hours=-1)
    retention.delete_old_rows(house.site)  # passes the oldest
    house.clock.forward(hours=0.98)

    first = iter([True])

    def write(_connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("UPDATE pulse") and next(first, False):
            talk.write_note(house.site, claim_of(house.site, ids[1], 0), "hello")

    with house.site.writing() as work:
        event.listen(house.site.engine, "before_cursor_execute", write)
        retention.FORGET_OLD["notes"](work, house.clock() + timedelta(minutes=5), 500)
        event.remove(house.site.engine, "before_cursor_execute", write)
    assert count_rows(house, NoteRow) == 1
    house.clock.forward(minutes=5)
    retention.delete_old_rows(house.site)
    assert count_rows(house, NoteRow) == 0


def test_a_retention_run_clears_each_match_completely(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        match_id = house.begin()
        talk.write_note(house.site, claim_of(house.site, match_id, 0), "hello")
        cancellation.cancel_match_for_host(house.site, match_id)
        house.clock.forward(minutes=1)
    house.clock.forward(days=366)
    monkeypatch.setattr(retention, "WALK", 2)
    retention.delete_old_rows(house.site)
    assert count_rows(house, NoteRow) == 0


def test_the_newest_row_of_a_table_is_kept_until_there_is_a_newer_one(house: House) -> None:
    for said in ("hello", None):
        match_id = house.begin()
        if said is not None:
            talk.post_message(house.site, claim_of(house.site, match_id, 0), said)
        cancellation.cancel_match_for_host(house.site, match_id)
        house.clock.forward(days=1)
    house.clock.forward(days=366)
    for _ in range(2):
        retention.delete_old_rows(house.site)
    assert count_rows(house, MessageRow) == 1
    talk.post_message(house.site, claim_of(house.site, house.begin(), 0), "good morning")
    retention.delete_old_rows(house.site)
    with house.site.reading() as session:
        assert session.execute(select(table(MessageRow).c.text)).scalars().all() == ["good morning"]


def test_stored_folds_of_archived_matches_from_older_releases_are_deleted(house: House) -> None:
    ids = [house.begin(), house.begin()]
    with house.site.engine.begin() as connection:
        archived = "UPDATE matches SET status = 'over', archived_at = created_at, ended_at = created_at WHERE id = :m"
        connection.execute(text(archived), {"m": ids[0]})
        for match_id in ids:
            put = text("INSERT INTO folds (match_id, n, body) VALUES (:m, 1, :b)")
            connection.execute(put, {"m": match_id, "b": b"0"})
    house.clock.forward(days=8, hours=1)
    retention.delete_old_rows(house.site)
    with house.site.reading() as session:
        assert [*session.execute(select(table(FoldRow).c.match_id)).scalars()] == ids[1:]


@pytest.mark.long
def test_one_retention_run_deletes_all_old_rows_in_small_transactions(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    say_long_ago(house, monkeypatch)
    left: list[int] = []

    def note(connection: Connection) -> None:
        if WRITE in connection.get_execution_options():  # those that only read commit as well
            left.append(count_rows(house, MessageRow))

    event.listen(house.site.engine, "commit", note)
    retention.delete_old_rows(house.site)
    event.remove(house.site.engine, "commit", note)
    assert [*dict.fromkeys([*left, count_rows(house, MessageRow)])] == [8, 5, 2, 1], "the newest stays"


@pytest.mark.on_postgresql
def test_a_retention_run_told_to_end_leaves_the_rest_to_the_next(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    say_long_ago(house, monkeypatch)
    retention.delete_old_rows(replace(house.site, stopping=lambda: count_rows(house, MessageRow) < 8))
    assert count_rows(house, MessageRow) == 5
    retention.delete_old_rows(house.site)
    assert count_rows(house, MessageRow) == 1


def expire_rows(house: House, kind: str) -> None:
    """Seven expired rows of each kind that is deleted by itself."""
    bob = player_of(house, "Bob").id or 0
    old = house.clock()
    with house.site.writing() as session:
        for n in range(7):
            session.add(
                {
                    "keys": Idempotent(owner="player:1", key=str(n), digest="", at=old),
                    "tokens": PersonalToken(
                        player_id=bob, name=str(n), digest=str(n), hint="", scopes="read", created_at=old,
                        revoked_at=old,
                    ),
                }[kind]
            )  # fmt: skip
    house.clock.forward(days=91)


@pytest.mark.sample(2)
@pytest.mark.on_postgresql
@pytest.mark.parametrize(("kind", "model"), [("keys", Idempotent), ("tokens", PersonalToken)])
def test_expired_rows_without_a_match_are_deleted_in_batches_too(
    house: House, monkeypatch: pytest.MonkeyPatch, kind: str, model: type[SQLModel]
) -> None:
    house.begin()
    expire_rows(house, kind)
    with house.site.writing() as session:
        assert retention.FORGET_OLD[kind](session, house.clock.at, 3) == 3
    assert count_rows(house, model) == 4
    monkeypatch.setattr(retention, "AT_ONCE", 3)
    retention.delete_old_rows(house.site)
    assert count_rows(house, model) == 0
