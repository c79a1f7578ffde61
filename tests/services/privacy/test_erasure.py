"""Erasing a player: address, names, words and links go, the logs stay, and the others' matches go on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select, text

from pbem.errors import Unauthorized
from pbem.kit.contract import Outcome
from pbem.kit.replay import MatchEnded, Resigned, fold_for_viewer
from pbem.mail import mailbox
from pbem.mail.mime import Mail
from pbem.models.accounts import Idempotent
from pbem.models.tables import EntryRow, Match, OutboxRow, Player, SeatRow, SubstituteRow, table
from pbem.services.clock import holidays
from pbem.services.lobby import matches, rematches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, Wish
from pbem.services.log import store
from pbem.services.log.store import Table
from pbem.services.play import presence, substitutes, timeouts
from pbem.services.players import players
from pbem.services.privacy import erasure
from pbem.services.privacy.fates import all_fates, references_to
from pbem.services.tokens import NeverClaim, OfferClaim, PlayClaim, VacancyClaim
from pbem.services.views import match_views, seats, talk
from pbem.services.who import STRANGER
from tests.services.letterbox import kinds_of_mails, player_of, text_of
from tests.services.play.stage.presence import entries_of_table
from tests.services.privacy.rows import all_rows
from tests.table import START, House, address_of, claim_of


def erase_player(house: House, name: str, *, never: bool = False) -> int:
    """Erases one of the cast; returns the id that they had."""
    number = player_of(house, name).id
    assert number is not None
    erasure.erase_player(house.site, number, never=never)
    return number


def entries_of_match(house: House, match_id: str) -> list[tuple[int, str, str]]:
    with house.site.reading() as session:
        t = table(EntryRow)
        rows = session.execute(select(t.c.n, t.c.by, t.c.event).where(t.c.match_id == match_id).order_by(t.c.n))
        return [(n, by, event) for n, by, event in rows]


def clock_plays_on(house: House, match_id: str) -> None:
    """Plays for everybody who is still there, and lets the clock move for the others, until the match is over."""
    for _ in range(2000):
        house.drain()
        timeouts.sweep_deadlines(house.site)
        asks = house.asks(match_id)
        if not asks:
            return
        gone = {seat.seat for seat in house.view(match_id, None).sheet.seats if seat.resigned}
        assert not gone & {ask.seat for ask in asks}, "nobody waits for who is gone"
        house.play(match_id, asks[0].seat, -1)
    raise AssertionError("the match does not end")


@pytest.mark.long
def test_erasure_leaves_no_personal_data_in_any_table_and_the_log_intact(house: House) -> None:
    match_id = house.begin()
    over = house.begin()
    house.play_out(over)
    house.drain()
    before = {played: entries_of_match(house, played) for played in (match_id, over)}
    talk.post_message(house.site, claim_of(house.site, match_id, 1), "I am Bobby Tables")
    talk.write_note(house.site, claim_of(house.site, match_id, 1), "a note of Bobby's")
    talk.post_message(house.site, claim_of(house.site, match_id, 2), "good luck")
    players.request_links(house.site, address_of("Bob"))
    number = erase_player(house, "Bob")
    house.drain()
    left = all_rows(house)
    assert "bob@" not in left
    assert "Bob" not in left
    assert "good luck" in left, "what others said is theirs"
    assert entries_of_match(house, over) == before[over]
    assert entries_of_match(house, match_id)[: len(before[match_id])] == before[match_id]
    assert house.view(over, None).sheet.names == ("Alice", "(B)", "Carol")
    with house.site.reading() as session:
        kept = session.get_one(Player, number)
        assert (kept.address, kept.verified_at, kept.language, kept.zone) == ("", None, "fr", "Europe/Paris")


def test_an_emptied_row_of_a_player_keeps_its_id_and_age_alone() -> None:
    player = Player(id=7, epoch=3, created_at=START)
    for name in {*Player.model_fields} - {"id", "epoch", "created_at"}:
        setattr(player, name, "theirs")
    erasure.clear_player_row(player)
    assert player.model_dump() == Player(id=7, address="", canonical="-7", epoch=4, created_at=START).model_dump()


@pytest.mark.long
def test_erasure_deletes_only_the_players_own_idempotency_keys(house: House) -> None:
    match_id = house.begin()
    bob, alice = player_of(house, "Bob").id, player_of(house, "Alice").id
    his = [f"player:{bob}", f"seat:{match_id}.1.0", f"seat:{match_id}.1.65536"]
    others = [f"player:{alice}", f"player:{bob}0", f"seat:{match_id}.0.0", f"seat:{match_id}.11.0", "nobody"]
    with house.site.writing() as session:
        session.add_all(Idempotent(owner=o, key="k", digest="d", at=house.site.now()) for o in (*his, *others))
    erase_player(house, "Bob")
    with house.site.reading() as session:
        assert set(session.execute(select(table(Idempotent).c.owner)).scalars()) == set(others)


@pytest.mark.long
def test_a_match_with_an_erased_player_goes_on_and_can_be_replayed(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    house.drain()
    house.play(match_id, house.asks(match_id)[0].seat)
    erase_player(house, "Bob")
    clock_plays_on(house, match_id)
    assert house.view(match_id, None).sheet.status == "over"
    with house.site.reading() as session:
        match = store.get_match(session, match_id)
        game = store.game_by_slug(match.game)
        log = store.load_entries(session, match_id, game)
        assert game.outcome(fold_for_viewer(game, log, None)) is not None
        assert match_views.view(Table(session, match), None).story("en", 0)
    assert kinds_of_mails(house, "Alice")[-1] == "over"
    assert "over" not in kinds_of_mails(house, "Bob")


@pytest.mark.long
def test_a_match_ends_even_if_all_its_players_are_erased(house: House) -> None:
    match_id = house.begin(3, "hagakure", options={"rounds": 1})
    house.drain()
    for name in ("Bob", "Alice", "Carol"):
        erase_player(house, name)
    clock_plays_on(house, match_id)
    assert house.view(match_id, None).sheet.names == ("(A)", "(B)", "(C)")


def test_an_erased_players_links_and_sessions_are_invalid(house: House) -> None:
    match_id = house.begin()
    bob = player_of(house, "Bob")
    assert bob.id is not None
    account = house.site.tokens.for_account(bob.id, bob.epoch, house.clock())
    play = house.token("play", match_id, 1)
    erase_player(house, "Bob")
    for use in (
        lambda: seats.read_play(house.site, house.tokens.read(PlayClaim, play)),
        lambda: players.verify_and_read_account(house.site, house.tokens.read_account(account, house.site.now())),
        lambda: players.suppress_by_link(
            house.site,
            house.tokens.read(NeverClaim, house.site.tokens.sign_for(NeverClaim, bob.id or 0, bob.canonical or "")),
        ),
        lambda: erasure.erase_player(house.site, bob.id or 0),
    ):
        with pytest.raises(Unauthorized):
            use()


@pytest.mark.long
def test_an_erased_players_id_is_not_reused(house: House) -> None:
    house.begin()
    numbers = {erase_player(house, name) for name in ("Carol", "Bob", "Alice")}
    house.create()
    with house.site.reading() as session:
        there = session.execute(select(table(Player).c.id, table(Player).c.address)).all()
    assert numbers.isdisjoint(number for number, address in there if address)


@pytest.mark.long
def test_erasing_an_organiser_cancels_their_unstarted_matches_with_a_mail(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    erase_player(house, "Alice")
    house.drain()
    sheet = house.view(match_id, None).sheet
    assert (sheet.status, sheet.cancelled, sheet.names[0]) == ("cancelled", "withdrawn", "(A)")
    mail = house.mail.to(address_of("Bob"))[-1]
    assert kinds_of_mails(house, "Bob")[-1] == "cancelled"
    assert "Alice" not in text_of(mail)


@pytest.mark.long
def test_an_erased_invitee_has_declined_and_the_organiser_can_name_another(house: House) -> None:
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    for seat in (1, 2):
        if seat == 2:
            matches.accept_invitation(house.site, house.claim("invitation", match_id, seat), "en", "Europe/London")
        erase_player(house, ("", "Bob", "Carol")[seat])
    house.drain()
    assert [seat.status for seat in house.view(match_id, None).sheet.seats] == ["accepted", "declined", "declined"]
    assert kinds_of_mails(house, "Alice").count("declined") == 2
    assert "(B)" in text_of(house.mail.to(address_of("Alice"))[-2])
    for seat, name in ((1, "Dave"), (2, "Erin")):
        matches.invite_to_untaken_seat(
            house.site, house.claim("play", match_id, 0), seat, Invitee(name, address_of(name))
        )
        matches.accept_invitation(house.site, house.claim("invitation", match_id, seat, 2), "en", "Europe/London")
    assert house.view(match_id, None).sheet.status == "running"


@pytest.mark.sample(2)
@pytest.mark.parametrize("untimed", [True, False])
@pytest.mark.parametrize("gone", ["erased", "resigned"])
def test_a_match_against_bots_ends_alike_by_erasure_and_resignation(house: House, gone: str, untimed: bool) -> None:
    seats: list[Wish] = [Invitee("Alice", address_of("Alice")), BotSeat("random"), BotSeat("greedy")]
    match_id = matches.create_match(house.site, STRANGER, NewMatch("hagakure", seats))
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    with house.site.writing() as work:
        match = work.get_one(Match, match_id)
        match.untimed = untimed
        work.add(match)
    if gone == "erased":
        erase_player(house, "Alice")
    else:
        presence.resign(house.site, claim_of(house.site, match_id, 0))
    sheet = house.view(match_id, None).sheet
    assert sheet.status == "over"
    assert sheet.outcome == Outcome("no_people", (1, 2), (0, 0, 0))
    assert entries_of_table(house, match_id)[-2:] == [Resigned(0), MatchEnded("no_people", (1, 2))]
    assert match_views.read_log(house.site, match_id, None).seed is not None
    house.drain()
    assert kinds_of_mails(house, "Alice").count("over") == (gone == "resigned")


@pytest.mark.long
def test_an_erased_players_open_turn_is_played_at_once(house: House) -> None:
    match_id = house.begin()
    erase_player(house, "Bob")
    assert timeouts.sweep_deadlines(house.site) == 1
    assert [ask.seat for ask in house.asks(match_id)] == [0, 2]


@pytest.mark.long
def test_an_erased_players_seat_can_be_taken_over_and_is_open_in_a_rematch(house: House) -> None:
    match_id = house.begin()
    house.drain()
    erase_player(house, "Bob")
    with house.site.reading() as session:
        away = session.get_one(SeatRow, (match_id, 1)).away_n
    assert away is not None
    substitute = house.token("substitute", match_id, 1, away)
    substitutes.ask_for_seat(
        house.site,
        house.tokens.read(VacancyClaim, substitute),
        Invitee("Charlie", address_of("Charlie")),
        "en",
        "Europe/Paris",
    )
    with house.site.reading() as session:
        offer = session.execute(select(table(SubstituteRow).c.id)).scalar_one()
    substitutes.accept_offer(house.site, OfferClaim(offer), "en", "Europe/Paris")
    assert house.view(match_id, None).sheet.names == ("Alice", "Charlie", "Carol")
    clock_plays_on(house, match_id)
    erase_player(house, "Charlie")
    with pytest.raises(Unauthorized):
        substitutes.read_offer(house.site, OfferClaim(offer))
    rematches.find_or_create_rematch(house.site, house.claim("play", match_id, 0), STRANGER)
    again = rematches.read_rematch_id(house.site, match_id)
    assert again is not None
    assert [seat.status for seat in house.view(again, None).sheet.seats] == ["accepted", "open", "invited"]


def test_erasure_ends_a_players_claims_of_seats(house: House) -> None:
    match_id = house.begin()
    house.drain()
    erase_player(house, "Bob")
    with house.site.reading() as session:
        away = session.get_one(SeatRow, (match_id, 1)).away_n
    assert away is not None
    charlie = Invitee("Charlie", address_of("Charlie"))
    substitutes.ask_for_seat(
        house.site,
        house.tokens.read(VacancyClaim, house.token("substitute", match_id, 1, away)),
        charlie,
        "en",
        "Europe/Paris",
    )
    with house.site.reading() as session:
        offer = session.execute(select(table(SubstituteRow).c.id)).scalar_one()
    erase_player(house, "Charlie")
    house.drain()
    assert kinds_of_mails(house, "Charlie") == [], "the mail with the link was still to be sent"
    with pytest.raises(Unauthorized):
        substitutes.accept_offer(house.site, OfferClaim(offer), "en", "Europe/Paris")
    assert "Charlie" not in all_rows(house)


@pytest.mark.long
def test_a_suppression_survives_erasure_as_a_keyed_hash(house: House) -> None:
    house.begin()
    house.drain()
    erase_player(house, "Bob", never=True)
    sent = len(house.mail.to(address_of("Bob")))
    assert "bob@" not in all_rows(house)
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    house.drain()
    assert len(house.mail.to(address_of("Bob"))) == sent
    with house.site.reading() as session:
        found = session.execute(text("SELECT result FROM outbox WHERE kind = 'invitation' ORDER BY id")).scalars().all()
    assert "suppressed" in found


@pytest.mark.long
def test_an_erased_address_without_suppression_can_be_invited_again(house: House) -> None:
    house.begin()
    house.drain()
    erase_player(house, "Bob")
    sent = len(house.mail.to(address_of("Bob")))
    match_id = house.create()
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "en", "Europe/Paris")
    house.drain()
    assert len(house.mail.to(address_of("Bob"))) == sent + 1


@pytest.mark.long
def test_mails_queued_for_an_erased_player_are_not_sent(house: House) -> None:
    house.begin()
    house.drain()
    players.request_links(house.site, address_of("Bob"))
    sent = len(house.mail.all_sent)
    erase_player(house, "Bob")
    house.drain()
    assert not [to for to, _ in house.mail.all_sent[sent:] if to == address_of("Bob")]
    assert "" not in house.mail.tried
    with house.site.reading() as session:
        t = table(OutboxRow)
        assert session.execute(select(t.c.id).where(t.c.done_at.is_(None))).all() == []


@pytest.mark.long
def test_a_repeated_erasure_finishes_an_interrupted_one_and_its_holidays(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = house.begin()
    bob = player_of(house, "Bob")
    today = house.clock().date()
    holidays.add_holiday(house.site, bob.id or 0, today, today)

    def fail(*_: object) -> bool:
        raise RuntimeError("the machine stops here")

    with monkeypatch.context() as broken:
        broken.setattr(erasure, "erase_rest_of_player", fail)
        with pytest.raises(RuntimeError):
            erasure.erase_player(house.site, bob.id or 0)
    version = house.view(match_id, None).sheet.version
    erase_player(house, "Bob")
    assert house.view(match_id, None).sheet.version == version, "he resigns once"
    assert "bob@" not in all_rows(house)
    with house.site.reading() as session:
        assert session.execute(text("SELECT count(*) FROM vacations")).scalar() == 0


def test_an_invitation_arriving_during_an_erasure_is_erased_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.begin()
    forget = erasure.erase_rest_of_player
    invited: list[str] = []

    def invite_first(*given: object) -> bool:
        if not invited:
            invited.append(house.create())
        return forget(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(erasure, "erase_rest_of_player", invite_first)
    erase_player(house, "Bob")
    assert house.view(invited[0], None).sheet.names[1] == "(B)"
    assert "Bob" not in all_rows(house)


def test_erasure_deletes_the_players_mails_from_the_local_mailbox(make_house: Callable[..., House]) -> None:
    house = make_house()
    folder = house.site.config.data / "mailbox"
    house.begin()
    for number, name in enumerate(("Bob", "Alice")):
        raw = f"Message-ID: <turn-{number:036x}@x>\r\nTo: {address_of(name)}\r\n\r\nhello\r\n".encode()
        mailbox.store_mail(folder, Mail(f"<turn-{number:036x}@x>", raw))
    erase_player(house, "Bob")
    assert [line["to"] for line in mailbox.list_mails(folder)] == [address_of("Alice")]


def test_every_column_referring_to_a_player_is_handled_by_erasure() -> None:
    pointing = {f"{column.table.name}.{column.name}" for column in references_to(table(Player))}
    assert pointing == all_fates().keys(), "a table keeps something of a player who goes: say what becomes of it"
