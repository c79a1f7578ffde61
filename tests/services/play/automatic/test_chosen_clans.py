"""A table of Hexen Rennen that chooses its clans: first come, first served, with mails, orders, bots and logs."""

from __future__ import annotations

import pytest

from pbem.errors import Illegal, Unreadable
from pbem.games.hexen_rennen import GAME
from pbem.kit.logs.verdict import verify
from pbem.kit.orders.typed import format_order
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.play import bots, moves, ordering, presence, substitutes
from pbem.services.tokens import VacancyClaim
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.table import House, address_of, claim_of

ALICE, BOB, CAROL = 0, 1, 2
CHOSEN = {"clans": "chosen"}


def answer(house: House, match_id: str, seat: int, text: str) -> None:
    (key,) = (ask.key for ask in house.asks(match_id) if ask.seat == seat)
    moves.play_answer(house.site, claim_of(house.site, match_id, seat), key, text, "api")


def questions(house: House, match_id: str) -> dict[int, str]:
    return {ask.seat: ask.kind for ask in house.asks(match_id)}


def test_a_clan_is_taken_once_and_its_owner_divides_at_once(house: House) -> None:
    match_id = house.begin(3, "hexen-rennen", options=CHOSEN)
    house.clock.forward(hours=1)
    house.drain()
    house.mail.clear()
    answer(house, match_id, CAROL, "take the cat")
    assert questions(house, match_id) == {ALICE: "clan", BOB: "clan", CAROL: "divide"}
    with pytest.raises(Illegal) as refused:
        answer(house, match_id, BOB, "choose C")
    assert refused.value.extra["rule"] == "2.5"
    house.clock.forward(hours=1)
    house.drain()
    assert not house.mail.all_sent, "nobody is written to again"


def test_bots_choose_a_clan_only_after_the_person(house: House) -> None:
    wanted = NewMatch(
        "hexen-rennen", [Invitee("Alice", address_of("Alice")), BotSeat("greedy"), BotSeat("random")], options=CHOSEN
    )
    match_id = matches.create_match(house.site, STRANGER, wanted)
    matches.confirm_match(house.site, house.claim("confirm", match_id, ALICE), "fr", "Europe/Paris")
    bots.play_quick_bots(house.site)
    assert questions(house, match_id) == {ALICE: "clan", BOB: "clan", CAROL: "clan"}
    answer(house, match_id, ALICE, "choose D")
    bots.play_quick_bots(house.site)
    assert questions(house, match_id) == {ALICE: "divide"}
    clans = house.view(match_id, ALICE).fold.clans
    assert clans[ALICE] == 3
    assert len(set(clans)) == 3


def start_race(house: House) -> str:
    """A race of Alice's cauldron and Bob's moon."""
    match_id = house.begin(2, "hexen-rennen", options=CHOSEN)
    for seat, clan in ((ALICE, "D"), (BOB, "A")):
        answer(house, match_id, seat, f"choose {clan}")
        answer(house, match_id, seat, "234 567 8910")
    return match_id


def test_an_order_may_name_the_letter_of_the_clan_that_was_chosen(house: House) -> None:
    match_id = start_race(house)
    claim = claim_of(house.site, match_id, ALICE)
    version = house.view(match_id, ALICE).sheet.version
    (left,) = ordering.save_orders(house.site, claim, version, ["own: play D5, leave"], "api").orders
    assert format_order(left, GAME).startswith("own: play 5, leave")
    with pytest.raises(Unreadable):
        ordering.save_orders(house.site, claim, version, ["own: play A5, leave"], "api")


def letters(sheet: match_views.Sheet) -> list[str]:
    return [mark.letter for mark in sheet.game.meta.seat_marks][: len(sheet.seats)]


def test_no_seat_has_a_clan_before_the_match_begins(house: House) -> None:
    match_id = house.create(2, "hexen-rennen", options=CHOSEN)
    matches.confirm_match(house.site, house.claim("confirm", match_id, ALICE), "fr", "Europe/Paris")
    assert letters(match_views.read_sheet(house.site, match_id, ALICE)) == ["?", "?"]


@cases("spectators, shown", [(True, ["D", "A", "?"]), (False, ["?", "?", "?"])])
def test_a_free_seat_shows_clans_only_where_spectators_see_them(
    house: House, spectators: bool, shown: list[str]
) -> None:
    match_id = house.begin(3, "hexen-rennen", options=CHOSEN, spectators=spectators)
    answer(house, match_id, ALICE, "choose D")
    answer(house, match_id, BOB, "choose A")
    presence.resign(house.site, claim_of(house.site, match_id, CAROL))
    seen = match_views.read_sheet(house.site, match_id, ALICE)
    token = substitutes.substitute_links_by_seat(house.site, seen, ALICE)[CAROL].rpartition("/")[2]
    vacancy = substitutes.read_vacancy(house.site, house.tokens.read(VacancyClaim, token))
    assert (letters(seen)[:2], letters(vacancy.sheet)) == (["D", "A"], shown)


def test_the_log_of_a_match_with_chosen_clans_verifies(house: House) -> None:
    match_id = start_race(house)
    house.play_out(match_id)
    log = match_views.read_log(house.site, match_id, None)
    assert verify(log).ok
    assert log.game.meta.seat_marks[ALICE].letter == "D"
