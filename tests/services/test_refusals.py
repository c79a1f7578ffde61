"""What the services refuse: with a sentence, the facts in it, and the fields at fault."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from pbem.errors import Invalid, Problem, TooMany
from pbem.features.circles import rows, standing, starting
from pbem.features.leagues import terms
from pbem.features.leagues.entry import entering
from pbem.features.leagues.running import bulk
from pbem.features.webhooks import registry, subjects
from pbem.features.webhooks.subjects import subject_of_all_features
from pbem.games import all_games
from pbem.models.accounts import PersonalToken
from pbem.services.access import access_tokens
from pbem.services.clock import holidays
from pbem.services.lobby import lucky_words, match_request
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat, Unnamed
from pbem.services.play import moves, order_checks
from pbem.services.players import players
from pbem.services.privacy import address_change
from pbem.services.tokens import PlayClaim
from pbem.services.views import talk
from pbem.services.who import HOST
from tests.features.circles.people import circle_of, id_in, member_claim, verify_address
from tests.table import House, address_of

HOGEN = all_games()["hogen"]
SEEDLESS = bytes(32)


@dataclass(frozen=True)
class Refused:
    """A call, and the refusal that it gets."""

    call: Callable[[], Any]
    says: str
    """How its sentence begins."""
    fields: tuple[str, ...] = ()
    facts: tuple[tuple[str, Any], ...] = ()


def check_refusals(*wanted: Refused) -> None:
    """Tries each of the calls; says which are not refused as they should be."""
    wrong = []
    for one in wanted:
        with pytest.raises(Problem) as raised:
            one.call()
        problem = raised.value
        fields = problem.fields if isinstance(problem, Invalid) else ()
        if not problem.message.startswith(one.says) or (fields, problem.facts) != (one.fields, dict(one.facts)):
            wrong.append((one.says, problem.message, fields, problem.facts))
    assert wrong == []


def check_friends(*seats: Any) -> list[Any]:
    """Checks these people."""
    return match_request.normalise_and_check_people(
        [Invitee(*seat) if isinstance(seat, tuple) else seat for seat in seats]
    )


def test_each_refused_value_names_its_field_and_repeats_the_value() -> None:
    hogen = HOGEN
    check_refusals(
        Refused(lambda: rows.check_circle_name(" "), "A circle needs a name", ("title",)),
        Refused(lambda: standing.parse_weekly(7, 0, "Asia/Tokyo"), "Choose a day", ("weekday", "hour")),
        Refused(lambda: players.check_language("de"), "The language must be", ("language",)),
        Refused(
            lambda: players.check_zone("Europe/" + "Atlantis" * 5), "There is no time zone", ("zone",),
            (("zone", "Europe/" + "Atlantis" * 4 + "A"),),
        ),
        Refused(lambda: talk.normalise_and_check_text("abc", 2), "This is too long", ("text",), (("longest", 2),)),
        Refused(lambda: access_tokens.check_label(" \n"), "A token needs a name", ("name",)),
        Refused(lambda: access_tokens.check_label("x\x00"), "The name of a token is one line", ("name",)),
        Refused(lambda: access_tokens.valid_scopes_in_order([]), "A token may do at least one", ("scopes",)),
        Refused(lambda: access_tokens.valid_scopes_in_order(["read", "admin"]), "A token may do", ("scopes",)),
        Refused(lambda: access_tokens.check_lifetime(0), "A token is valid for", ("days",)),
        Refused(lambda: order_checks.check_order_count([1] * 17), "A seat has at most", ("orders",), (("most", 16),)),
        Refused(lambda: subjects.check_preset("irc"), "A webhook is", ("preset",)),
        Refused(
            lambda: subjects.check_kinds((), 1), "Name the events", ("kinds",), (("kinds", "your_turn, moved, over"),)
        ),
        Refused(
            lambda: subjects.check_kinds(("moved", "your_turn"), HOST), "Name the events", ("kinds",),
            (("kinds", "moved, over"),),
        ),
        Refused(
            lambda: subjects.check_kinds(("moved",), 1, subject_of_all_features()), "Name the events", ("kinds",),
            (("kinds", "over, season"),),
        ),
        Refused(
            lambda: lucky_words.lucky_word_to_store(SEEDLESS, 1, "prune", shared=True), "Several tables play this deal",
            ("word",)
        ),
        Refused(
            lambda: moves.read_typed_move(hogen, "x" * 401, 0), "This is too long for a move", (), (("most", 400),)
        ),
        Refused(
            lambda: match_request.require_game("x" * 41), "There is no game", (), (("game", "x" * 40),)
        ),
        Refused(
            lambda: match_request.check_bot(hogen, "x" * 41), "There is no bot", (),
            (("bot", "x" * 40), ("bots", "random, easy, greedy, fair, strong")),
        ),
        Refused(
            lambda: match_request.check_player_count(hogen, 9), "%(game)s takes", (),
            (
                ("game", {"fr": "Hogen", "en": "Hogen"}),
                ("allowed", {"fr": "3 ou 4", "en": "3 or 4"}),
                ("count", {"fr": "9\u00a0personnes", "en": "9 players"}),
            ),
        ),
        Refused(
            lambda: match_request.check_bots_and_first_seat(hogen, [BotSeat("random"), Invitee("Bob",
            "bob@example.org")]),
            "The first seat is the organiser",
        ),
        Refused(lambda: match_request.check_bots_and_first_seat(hogen, []), "The first seat is the organiser"),
        Refused(
            lambda: check_friends(("Alice", "a@example.org"), Unnamed("a@example.org")), "The address", (),
            (("address", "a@example.org"),),
        ),
        Refused(
            lambda: check_friends(("Alice", "a@example.org"), ("alice", "b@example.org")), "Two players are called", (),
            (("name", "Alice"),),
        ),
        Refused(
            lambda: check_friends(("Alice", "a@example.org"), ("Aliсe", "b@example.org")), "Two players would have", (),
            (("name", "Aliсe"), ("other", "Alice")),
        ),
        Refused(lambda: match_request.normalise_and_check_lucky_word("x" * 41), "A lucky word has at most", (),
        (("most", 40),)),
        Refused(lambda: match_request.normalise_and_check_lucky_word("a\u200bb"), "A lucky word may hold"),
        Refused(
            lambda: players.check_address("x" * 81), "“%(address)s” is not an email", (), (("address", "x" * 80),)
        ),
        Refused(lambda: players.normalise_name(" "), "Every player needs a name"),
        Refused(
            lambda: players.normalise_name("x" * 41), "“%(name)s” is too long", (), (("name", "x" * 40), ("most", "24"))
        ),
        Refused(lambda: players.normalise_name("(B)"), "“%(name)s” is what a seat", (), (("name", "(B)"),)),
        Refused(lambda: players.normalise_name("=?utf-8"), "A name must not hold “", (), (("sign", "=?"),)),
        Refused(lambda: players.normalise_name("a@b"), "“%(name)s” looks like an address", (), (("name", "a@b"),)),
    )  # fmt: skip


def test_a_refused_request_names_its_field_and_says_what_it_was(house: House) -> None:
    site, alice = house.site, verify_address(house, "Alice")
    nobody = PlayClaim("0" * 24, 0, 0)
    today = house.clock().date()
    access_tokens.create_token(site, alice, "bot", ["read"], None)
    check_refusals(
        Refused(lambda: talk.post_message(site, nobody, " \n"), "Write something first", ("text",)),
        Refused(lambda: talk.post_message(site, nobody, "x" * 501), "This is too long", ("text",), (("longest", 500),)),
        Refused(lambda: talk.write_note(site, nobody, "x" * 4001), "This is", ("text",), (("longest", 4000),)),
        Refused(lambda: bulk.create_and_start_tables(site, alice, "", []), "Between 1", ("matches",), (("most",
        "50"),)),
        Refused(lambda: entering.enter_bots(site, alice, "", "", 0), "Between 1", ("bots",), (("most", "500"),)),
        Refused(lambda: entering.enter_bots(site, alice, "", "", 501), "Between 1", ("bots",), (("most", "500"),)),
        Refused(
            lambda: registry.add_webhook(site, alice, "https://x.example/", ("over",), match_id="1", about="1"),
            "A webhook is about one match or one league", ("match", "league"),
        ),
        Refused(
            lambda: access_tokens.create_token(site, alice, " bot ", ["play"], 1), "You have a token called", ("name",),
            (("label", "bot"),),
        ),
        Refused(
            lambda: address_change.request_change(site, alice, address_of("Alice")),
            "Your emails already go to this address",
            ("email",),
        ),
        Refused(
            lambda: holidays.add_holiday(site, alice, today - timedelta(days=1), today), "A holiday must begin",
            ("first", "last"),
        ),
        Refused(
            lambda: holidays.add_holiday(site, alice, date(2026, 6, 1), date(2026, 9, 1)), "You can take up to",
            ("first", "last"), (("days", 30),),
        ),
    )  # fmt: skip


def test_a_circle_refuses_members_that_cannot_be_seated(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    alice = member_claim(house, circle_id, "Alice")
    me, bob = id_in(house, circle_id, "Alice"), id_in(house, circle_id, "Bob")
    open_seat = NewMatch("hogen", [OpenSeat()])

    def start(*others: int, wanted: NewMatch = open_seat) -> Callable[[], str]:
        return lambda: starting.create_match_and_invite_members(house.site, alice, others, wanted)

    check_refusals(
        Refused(start(bob, bob), "Choose each member once", ("members",)),
        Refused(start(bob, me), "Choose each member once", ("members",)),
        Refused(start(bob, 0), "Someone you chose is not a member"),
        Refused(
            start(bob, wanted=NewMatch("hogen", [Unnamed("dave@example.org")])), "In a circle, people are chosen",
            ("members",),
        ),
    )  # fmt: skip


def test_the_terms_of_a_season_say_which_number_is_out_of_bounds(house: House) -> None:
    game = match_request.require_game("hogen")

    def read(**given: Any) -> terms.SeasonTerms:
        return terms.check_and_complete_terms(house.site, game, given)

    def refuse(name: str, value: int, low: int, high: int, **more: Any) -> Refused:
        facts = (("name", name), ("low", str(low)), ("high", str(high)))
        return Refused(lambda: read(**{name: value}, **more), "“%(name)s” must be between", (f"terms.{name}",), facts)

    wanted = []
    for name, low, high, more in (
        ("division_size", 4, 32, {"seats": 4}),
        ("matches", 1, 12, {}),
        ("days", 1, 366, {}),
        ("rest_days", 0, 366, {}),
        ("promoted", 0, 4, {}),
        ("relegated", 0, 5, {"division_size": 11}),
        ("least", 0, 1000, {}),
    ):
        for value in (low, high):
            given = {"promoted": 0, "relegated": 0, **more, name: value}
            least = max(value, 3) if name == "least" else value
            assert getattr(read(**given), name) == least
        wanted += [refuse(name, value, low, high, **more) for value in (low - 1, high + 1)]
    bots = (("bots", "random, easy, greedy, fair, strong"), ("most", "5"))
    allowed = (("allowed", {"fr": "3 ou 4", "en": "3 or 4"}),)
    check_refusals(
        *wanted,
        Refused(lambda: read(bots=["random"] * 6), "The bots that may fill up", ("terms.bots",), bots),
        Refused(lambda: read(bots=["clever"]), "The bots that may fill up", ("terms.bots",), bots),
        Refused(lambda: read(seats=9), "A table of this game has", ("terms.seats",), allowed),
        Refused(
            lambda: terms.check_start(house.site, house.clock() + timedelta(days=366, seconds=1)),
            "A season can",
            ("starts_at",),
        ),
    )
    assert read(bots=["random"] * 5).bots == ("random",) * 5
    assert terms.check_start(house.site, house.clock() + timedelta(days=366)) == house.clock() + timedelta(days=366)
    assert terms.check_start(house.site, house.clock() - timedelta(days=1)) == house.clock()


def test_a_season_without_given_terms_gets_the_usual_ones(house: House) -> None:
    game = match_request.require_game("hogen")
    usual = terms.check_and_complete_terms(house.site, game, {})
    assert usual == terms.SeasonTerms(
        seats=3, division_size=8, matches=3, days=42, rest_days=7, turn_s=house.site.config.turn_s,
        window_s=min(house.site.config.window_s, house.site.config.turn_s), options=usual.options, promoted=1,
        relegated=1, pairing="rotation", duplicate=False, bots=(), unfinished="half", least=3, rated_with_bots=False,
    )  # fmt: skip
    quick = terms.check_and_complete_terms(house.site, game, {"turn_s": 60})
    assert (quick.turn_s, quick.window_s) == (60, 60)


def test_values_at_both_ends_of_each_bound_are_accepted() -> None:
    assert [standing.parse_weekly(*one, "UTC").hour for one in ((0, 0), (6, 23))] == [0, 23]
    assert [access_tokens.check_lifetime(days) for days in (None, 1, 366)] == [None, 1, 366]
    assert [len(access_tokens.check_label("x" * count)) for count in (1, 60)] == [1, 60]
    assert access_tokens.valid_scopes_in_order(["create", "read", "read"]) == ("read", "create")
    assert (len(rows.check_circle_name("x" * 40)), len(players.normalise_name("x" * 24))) == (40, 24)
    assert [match_request.valid_seconds_or_default(seconds, 7) for seconds in (None, 60, 5_184_000)] == [
        7,
        60,
        5_184_000,
    ]
    bank = match_request.valid_bank_and_increment
    assert [bank(None, None), bank(None, 0), bank(60, None), bank(60, 60)] == [(None, 0), (None, 0), (60, 0), (60, 60)]
    assert match_request.normalise_and_check_lucky_word("x" * 40) == "x" * 40
    assert talk.normalise_and_check_text(" a\r\nb\rc\td\x00\u202e\u2028 ", 7) == "a\nb\nc d"
    assert len(order_checks.check_order_count([1] * 16)) == 16
    assert subjects.check_kinds(("over", "your_turn"), 1) == ("your_turn", "over")
    for beyond in (
        lambda: standing.parse_weekly(-1, 0, "UTC"),
        lambda: standing.parse_weekly(0, -1, "UTC"),
        lambda: standing.parse_weekly(0, 24, "UTC"),
        lambda: access_tokens.check_lifetime(367),
        lambda: access_tokens.check_label("x" * 61),
        lambda: rows.check_circle_name("x" * 41),
        lambda: players.normalise_name("x" * 25),
        lambda: match_request.valid_seconds_or_default(59, 7),
        lambda: match_request.valid_seconds_or_default(5_184_001, 7),
        lambda: bank(None, 1),
        lambda: bank(60, 61),
        lambda: bank(60, -1),
        lambda: bank(59, 0),
    ):
        with pytest.raises(Invalid):
            beyond()


def test_counts_up_to_each_limit_are_allowed_and_one_more_is_refused(house: House) -> None:
    site, alice = house.site, verify_address(house, "Alice")
    with site.writing() as work:
        work.add_all(
            PersonalToken(
                name=f"bot {at}", digest=str(at), player_id=alice, hint="", scopes="read", created_at=house.clock()
            )
            for at in range(19)
        )
    access_tokens.create_token(site, alice, "bot 19", ["read"], None)
    for _ in range(10):
        registry.add_webhook(site, alice, "https://x.example/", ("over",))
    for at in range(3):
        address_change.request_change(site, alice, f"alice{at}@example.org")
    check_refusals(
        Refused(lambda: access_tokens.create_token(site, alice, "x", ["read"], None), "You have", (), (("count", 20),)),
        Refused(
            lambda: registry.add_webhook(site, alice, "https://x.example/", ("over",)), "You have", (), (("count", 10),)
        ),
        Refused(lambda: address_change.request_change(site, alice, "alice9@example.org"), "You have requested several"),
    )
    with pytest.raises(TooMany) as raised:
        address_change.request_change(site, alice, "alice9@example.org")
    assert raised.value.retry_after == 3600
    house.clock.forward(days=1)
    assert address_change.request_change(site, alice, "alice9@example.org").address == "alice9@example.org"
