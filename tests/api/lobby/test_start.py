"""From creation to a running match: creating, confirming, accepting, declining, and the list of games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from pbem.games import all_games
from pbem.kit.endings import endings_of
from pbem.models.tables import OutboxRow, Player, SeatRow, table
from pbem.services.site import Site
from tests.api.cast import READER, Api, Table, body_of_match, check_problem, json_of
from tests.harness.cases import cases
from tests.table import THREE


def test_the_games_are_listed_by_slug_in_both_languages(rest: Api) -> None:
    games = json_of(rest.caller().get("/games"))["games"]
    assert [game["slug"] for game in games] == list(all_games())
    assert games[0]["title"].keys() == {"fr", "en"}


@pytest.mark.long
def test_a_games_resource_has_its_texts_and_its_schemas(rest: Api) -> None:
    meta = all_games()["hogen"].meta
    sheet = json_of(rest.caller().get("/games/hogen"))
    assert set(sheet["asks"]) == set(meta.asks)
    assert set(sheet["endings"]) == set(endings_of(all_games()["hogen"]))
    assert set(sheet["refusals"]) > set(meta.refusals)
    assert sheet["moves"]["discriminator"]["mapping"].keys() == {move.__name__ for move in meta.moves}
    assert {event.__name__ for event in meta.events} < sheet["events"]["discriminator"]["mapping"].keys()
    assert sheet["seats"] == list(meta.seats)


def test_an_unknown_game_is_not_found(rest: Api) -> None:
    said = check_problem(rest.caller().get("/games/chess"), 404, "not_found")
    assert "chess" in said["detail"]


def test_a_new_match_gives_its_id_and_status_and_no_token(rest: Api) -> None:
    created = rest.caller().post("/matches", body_of_match())
    match = json_of(created, 201)
    assert match.keys() == {"id", "status", "warnings", "commitment"}
    assert match["status"] == "unconfirmed"
    assert created.headers["Location"] == f"/api/v1/matches/{match['id']}"


def test_before_a_match_is_confirmed_only_its_organiser_gets_a_mail(rest: Api) -> None:
    match_id = rest.create()
    with rest.site.reading() as session:
        mails = session.execute(select(table(OutboxRow).c.kind, table(OutboxRow).c.seat)).all()
    assert [tuple(mail) for mail in mails] == [("confirm", 0)]
    assert json_of(rest.caller().get(f"/matches/{match_id}"))["status"] == "unconfirmed"


def test_the_match_begins_when_the_last_invitee_accepts(rest: Api) -> None:
    match_id = rest.create()
    nobody = rest.caller()
    confirmed = json_of(nobody.post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER))
    assert confirmed == {"id": match_id, "seat": 0, "status": "inviting", "warnings": []}
    bob, carol = (f"/invitation/{rest.token('invitation', match_id, seat)}/accept" for seat in (1, 2))
    assert json_of(nobody.post(bob, READER)) == {"id": match_id, "seat": 1, "status": "inviting", "warnings": []}
    assert json_of(nobody.post(carol, READER)) == {"id": match_id, "seat": 2, "status": "running", "warnings": []}


@pytest.mark.long
def test_confirming_and_accepting_again_succeeds_and_changes_nothing(rest: Api) -> None:
    match_id = rest.start()
    before = rest.trace(match_id)
    confirm = f"/confirm/{rest.token('confirm', match_id, 0)}"
    accept = f"/invitation/{rest.token('invitation', match_id, 1)}/accept"
    assert json_of(rest.caller().post(confirm, READER))["status"] == "running"
    assert json_of(rest.caller().post(accept, READER))["status"] == "running"
    assert rest.trace(match_id) == before


def test_confirming_without_a_body_keeps_the_language_of_the_match(rest: Api) -> None:
    match_id = rest.create(language="en")
    assert rest.caller(language="fr").post(f"/confirm/{rest.token('confirm', match_id, 0)}").status_code == 200
    with rest.site.reading() as session:
        found = session.execute(select(table(Player).c.language).where(table(Player).c.canonical.like("alice@%")))
        assert found.scalar_one() == "en"


def test_an_invitee_who_declines_leaves_the_seat_and_cannot_accept_later(rest: Api) -> None:
    match_id = rest.create()
    nobody = rest.caller()
    nobody.post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER)
    bob = f"/invitation/{rest.token('invitation', match_id, 1)}"
    assert json_of(nobody.post(f"{bob}/decline")) == {"id": match_id, "seat": 1, "status": "inviting", "warnings": []}
    assert json_of(nobody.get(f"/matches/{match_id}"))["seats"][1]["status"] == "declined"
    check_problem(nobody.post(f"{bob}/accept", READER), 409, "gone")


@pytest.mark.parametrize("path", ["/confirm/{}", "/invitation/{}/accept", "/invitation/{}/decline"])
def test_a_mails_token_is_refused_for_any_other_purpose_than_its_own(rest: Api, path: str) -> None:
    match_id = rest.create()
    before = rest.trace(match_id)
    right = "confirm" if "confirm" in path else "invitation"
    tokens = [rest.token(p, match_id, 0) for p in ("play", "confirm", "invitation", "mute") if p != right]
    for token in [*tokens, rest.token(right, match_id, 0, 1), "x", "a.b.c.d", "%00", "é"]:
        check_problem(rest.caller().post(path.format(token)), 401, "unauthorized")
    assert rest.trace(match_id) == before


@pytest.mark.long
@pytest.mark.parametrize(
    "reader",
    [{"language": "de"}, {"zone": "Europe/Nowhere"}, {"zone": 3}, {"zone": "Europe/Paris\u0000"}, {"sign": "leo"}],
)
def test_confirming_with_an_unknown_language_zone_or_field_is_refused(rest: Api, reader: dict[str, Any]) -> None:
    match_id = rest.create()
    before = rest.trace(match_id)
    said = check_problem(rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", reader), 422, "invalid")
    assert said["fields"].keys() == reader.keys()
    assert rest.trace(match_id) == before


def seats(*more: Any) -> list[Any]:
    return [*body_of_match()["seats"], *more]


def other_person(name: str = "Dave", email: Any = "dave@example.org") -> dict[str, Any]:
    return {"name": name, "email": email}


@pytest.mark.long
@cases(
    "change, word",
    [
        ({"game": "chess"}, "chess"),  # an unknown game
        ({"game": None}, "game"),  # a game that is null
        ({"game": "hogen\u0000"}, "game"),  # a game with NUL
        ({"seats": seats()[:2]}, "2"),  # too few seats
        ({"seats": seats(other_person(), other_person("Charlie", "charlie@example.org"))}, "5"),  # too many seats
        ({"seats": []}, "seats"),  # no seats
        ({"seats": {}}, "seats"),  # seats that are no list
        ({"seats": [1, 2, 3]}, "seats.0"),  # seats that are numbers
        ({"seats": seats({"bot": "clever"})}, "easy"),  # an unknown bot
        ({"seats": seats({**other_person(), "bot": "random"})}, "either"),  # a person and a bot in one
        ({"seats": [{"bot": "random"}, *seats()[1:]]}, "organiser"),  # a bot that organises
        ({"seats": seats({"name": "Dave"})}, "seats.3.email"),  # a seat without address
        ({"seats": seats(other_person(email="dave"))}, "dave"),  # an address without @
        ({"seats": seats(other_person(email="dave@"))}, "dave@"),  # an address without host
        ({"seats": seats(other_person(email="a@b.org, c@d.org"))}, "a@b.org"),  # two addresses in one
        ({"seats": seats(other_person(email="d@example.org\nBcc: x@y.z"))}, "email"),  # a line break
        ({"seats": seats(other_person(email=7))}, "seats.3.email"),  # an address that is a number
        ({"seats": seats(other_person(email="BOB@example.org"))}, "twice"),  # an address twice
        ({"seats": seats(other_person("bob"))}, "Bob"),  # a name twice
        ({"seats": seats(other_person(""))}, "name"),  # an empty name
        ({"seats": seats(other_person("D" * 25))}, "24"),  # a long name
        ({"seats": seats(other_person("see evil.example"))}, "address"),  # a name with a link
        ({"seats": seats(other_person("Da\u202eve"))}, "invisible"),  # a name that turns the text round
        ({"seats": seats(other_person("Da\u0000ve"))}, "name"),  # a name with NUL
        ({"seats": seats({**other_person(), "seat": 3})}, "seats.3.seat"),  # an unknown field of a seat
        ({"options": {"speed": 2}}, "options"),  # an unknown option
        ({"options": [1]}, "options"),  # options that are a list
        ({"clock": {"turn_s": "600"}}, "clock.turn_s"),  # a number in a string
        ({"clock": {"turn_s": True}}, "clock.turn_s"),  # true for a number
        ({"clock": {"turn_s": 1.5}}, "clock.turn_s"),  # half a second
        ({"clock": {"turn_s": 1}}, "one minute"),  # a turn of a second
        ({"clock": {"windows": "loud"}}, "silent"),  # loud windows
        ({"clock": {"turn_s": 10**30}}, "clock.turn_s"),  # a turn of ages
        ({"spectators": 1}, "spectators"),  # a number for true
        ({"language": "de"}, "language"),  # an unknown language
        ({"token": "x"}, "token"),  # an unknown field
    ],
)
def test_an_impossible_new_match_is_refused_and_stores_nothing(rest: Api, change: dict[str, Any], word: str) -> None:
    before = rest.trace("")
    said = check_problem(rest.caller().post("/matches", body_of_match() | change), 422, "invalid")
    assert word in said["detail"]
    assert said["fields"]
    assert rest.trace("") == before


@cases(
    "change, wrong",
    [
        ({"game": "chess"}, {"game"}),  # an unknown game
        ({"seats": seats()[:2]}, {"seats"}),  # too few seats
        ({"seats": seats({"bot": "clever"})}, {"seats.3.bot"}),  # an unknown bot
        ({"seats": [{"bot": "random"}, *seats()[1:]]}, {"seats.0.bot"}),  # a bot that organises
        ({"seats": seats(other_person(email="BOB@example.org"))}, {"seats.1.email", "seats.3.email"}),  # twice
        ({"seats": seats(other_person(" bob"))}, {"seats.1.name", "seats.3.name"}),  # a name twice
        ({"seats": seats(other_person("", "dave"))[1:]}, {"seats.2.name", "seats.2.email"}),  # a seat with two mistakes
        ({"options": {"speed": 2}}, {"options"}),  # an unknown option
        ({"clock": {"turn_s": 1, "window_s": 10**8}}, {"clock.turn_s", "clock.window_s"}),  # no clock
    ],
)
def test_an_invalid_new_match_names_each_wrong_field(rest: Api, change: dict[str, Any], wrong: set[str]) -> None:
    said = check_problem(rest.caller().post("/matches", body_of_match() | change), 422, "invalid")
    assert said["fields"].keys() == wrong
    assert all(said["fields"].values())


def test_unfit_options_are_refused_with_the_parsers_text_only_in_why(rest: Api) -> None:
    said = check_problem(
        rest.caller(language="fr").post("/matches", body_of_match(options={"speed": 2})), 422, "invalid"
    )
    assert "GET /api/v1/games/hogen" in said["detail"]
    assert "speed" in said["why"]
    assert "Object contains" not in said["detail"]


@cases(
    "language, count, sentence",
    [
        ("en", 1, "Hogen takes 3 or 4 players; you named 1 player."),
        ("en", 5, "Hogen takes 3 or 4 players; you named 5 players."),
        ("fr", 1, "Hogen se joue à 3 ou 4\u00a0; vous avez nommé 1\u00a0personne."),
        ("fr", 5, "Hogen se joue à 3 ou 4\u00a0; vous avez nommé 5\u00a0personnes."),
    ],
)
def test_a_refused_number_of_seats_names_the_allowed_numbers(
    rest: Api, language: str, count: int, sentence: str
) -> None:
    people = seats(other_person(), other_person("Charlie", "charlie@example.org"))[:count]
    said = check_problem(
        rest.caller(language=language).post("/matches", body_of_match() | {"seats": people}), 422, "invalid"
    )
    assert said["detail"] == sentence


def test_every_wrong_field_of_a_new_match_is_named_at_once(rest: Api) -> None:
    said = check_problem(rest.caller().post("/matches", {"seats": [{"name": "Alice"}], "x": 1}), 422, "invalid")
    assert said["fields"].keys() == {"game", "seats.0.email", "x"}


def test_refusals_are_in_the_accepted_language_or_else_in_french(rest: Api) -> None:
    english = check_problem(rest.caller().post("/matches", body_of_match(THREE[:2])), 422, "invalid")["detail"]
    french = check_problem(rest.caller(language="fr").post("/matches", body_of_match(THREE[:2])), 422, "invalid")[
        "detail"
    ]
    default = check_problem(rest.caller(language=None).post("/matches", body_of_match(THREE[:2])), 422, "invalid")[
        "detail"
    ]
    assert english != french == default


@pytest.mark.long
def test_in_production_one_ip_address_has_an_hourly_limit_of_matches(
    make_site: Callable[..., Site],
) -> None:
    site = make_site(mode="production", matches_per_ip_hour=3)
    rest = Api(site)
    for _ in range(3):
        assert rest.caller().post("/matches", body_of_match()).status_code == 201
    refused = rest.caller().post("/matches", body_of_match())
    check_problem(refused, 429, "too_many")
    assert 0 < int(refused.headers["Retry-After"]) <= 3600


@pytest.mark.long
def test_in_embedded_mode_new_matches_have_no_rate_limit(make_site: Callable[..., Site]) -> None:
    rest = Api(make_site(matches_per_ip_hour=1, matches_per_address_day=1))
    for _ in range(3):
        rest.create()


@pytest.mark.long
def test_confirming_more_matches_a_day_than_allowed_is_refused(make_site: Callable[..., Site]) -> None:
    rest = Api(make_site(mode="production", matches_per_address_day=1))
    first, second = rest.create(), rest.create()
    json_of(rest.caller().post(f"/confirm/{rest.token('confirm', first, 0)}", READER))
    refused = rest.caller().post(f"/confirm/{rest.token('confirm', second, 0)}", READER)
    check_problem(refused, 429, "too_many")
    assert refused.headers["Retry-After"]
    assert json_of(rest.caller().get(f"/matches/{second}"))["status"] == "unconfirmed"


def test_a_match_sheet_differs_between_callers_only_in_who_they_are(hogen: Table) -> None:
    for_charlie, for_alice = json_of(hogen.charlie.get(hogen.path)), json_of(hogen.alice.get(hogen.path))
    assert (for_charlie.pop("viewer"), for_alice.pop("viewer")) == (None, 0)
    assert (for_charlie.pop("seen"), for_alice.pop("seen")) == (None, 0)
    assert for_charlie == for_alice
    assert [seat["name"] for seat in for_alice["seats"]] == list(THREE)
    assert [ask["seat"] for ask in for_alice["asks"]] == [0, 1, 2]
    assert for_alice["asks"][0]["deadline"] == "2026-03-15T12:00:00Z"


@cases("one, other", [("Alice", "Аlice"), ("mem O", "Mem0"), ("Bob", "B o b")])
def test_names_that_look_alike_are_refused_at_their_seats(rest: Api, one: str, other: str) -> None:
    people = [(one, "alice"), ("Zoe", "bob"), (other, "carol")]  # the first pair differs in a Cyrillic letter
    seats = [{"name": name, "email": f"{address}@example.org"} for name, address in people]
    refused = check_problem(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 422, "invalid")
    assert refused["fields"].keys() == {"seats.0.name", "seats.2.name"}
    assert "Please choose another name" in refused["detail"]


def test_sheet_and_answers_warn_of_stored_names_that_look_alike(rest: Api) -> None:
    made = json_of(rest.caller().post("/matches", body_of_match()), 201)
    with rest.site.writing() as work:
        work.get_one(SeatRow, (made["id"], 2)).name = "Аlice"  # begins with a Cyrillic letter
    text = {
        "fr": "Ces noms se ressemblent\u00a0: Alice (A) et Аlice (C). Assurez-vous de savoir qui est qui.",
        "en": "These names look alike: Alice (A) and Аlice (C). Make sure that you know who is who.",
    }
    warned = [{"code": "names_alike", "seats": [0, 2], "text": text}]
    assert json_of(rest.caller().get(f"/matches/{made['id']}"))["warnings"] == warned
    confirmed = rest.caller().post(f"/confirm/{rest.token('confirm', made['id'], 0)}", READER)
    assert json_of(confirmed)["warnings"] == warned
    accepted = rest.caller().post(f"/invitation/{rest.token('invitation', made['id'], 2)}/accept", READER)
    assert json_of(accepted)["warnings"] == warned
    plain = json_of(rest.caller().post("/matches", body_of_match()), 201)
    assert plain["warnings"] == []


def test_open_seats_raise_no_warning_and_a_lookalike_name_may_not_join(rest: Api) -> None:
    seats = [*body_of_match()["seats"][:1], {"open": True}, {"open": True}]
    match_id = json_of(rest.caller().post("/matches", body_of_match() | {"seats": seats}), 201)["id"]
    assert rest.caller().post(f"/confirm/{rest.token('confirm', match_id, 0)}", READER).status_code == 200
    alice = rest.caller(rest.token("play", match_id, 0))
    assert json_of(alice.get(f"/matches/{match_id}"))["warnings"] == []
    link = json_of(alice.get(f"/matches/{match_id}"))["seats"][1]["join"]
    joined = rest.caller().post("/join/" + link.rpartition("/")[2], {"name": "AIice", "email": "bob@example.org"})
    assert check_problem(joined, 422, "invalid")["fields"].keys() == {"name"}


@cases("name", ["=?utf-8?q?=0AX=3Ay?=", "a\0b", "Al\nice", "\u3164", "\u2800", "\u115f", "=?"])
def test_an_invisible_name_or_one_unfit_for_mail_is_refused_at_its_field(rest: Api, name: str) -> None:
    seats = [*body_of_match()["seats"][:2], {"name": name, "email": "carol@example.org"}]
    refused = rest.caller().post("/matches", body_of_match() | {"seats": seats})
    assert check_problem(refused, 422, "invalid")["fields"].keys() == {"seats.2.name"}
