"""From the form to the first question: new match, confirm, accept, decline, name another, withdraw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlmodel import col, select

from pbem.models.tables import Match, SeatRow
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.cases import cases
from tests.table import address_of
from tests.web.cast import READER, Form, Page, Web, path_of
from tests.web.lobby.start import THREE, fill_form, mails_sent, values_of_inputs, wrong_in


@pytest.mark.long
def test_a_new_match_seats_all_who_are_named_and_mails_its_organiser_alone(web: Web) -> None:
    client = web.client()
    page = Page(client.get("/new?game=hogen").text)
    assert {"name", "address", "friends"} <= {known.get("name") for _, known in page.tags}
    answer = client.post("/new", data=fill_form(*THREE))
    assert path_of(answer) == "/new/sent"
    assert "/mailbox" in Page(client.get("/new/sent").text).hrefs()
    assert mails_sent(web) == [("confirm", 0)]
    with web.site.reading() as session:
        match = session.exec(select(Match)).one()
        assert (match.turn_s, match.spectators) == (86_400, True)
        seats = session.exec(select(SeatRow).order_by(col(SeatRow.seat))).all()
        assert [seat.name for seat in seats] == ["Alice", "Bob", "Carol"]


@pytest.mark.long
def test_errors_stand_beside_their_fields_and_nothing_typed_is_lost(web: Web) -> None:
    people = (("Alice", "alice@"), ("www.evil.example", "bob@example.org"), ("", "carol@example.org"))
    form = fill_form(*people, turn="604800")
    answer = web.client().post("/new", data=form)
    assert answer.status_code == 422
    page = Page(answer.text)
    assert (values_of_inputs(page)["name"], values_of_inputs(page)["address"]) == people[0]
    assert "www.evil.example &lt;bob@example.org&gt;" in answer.text
    assert wrong_in(page) == ["address", "friends"]
    assert "looks like an address" in page.words
    assert any(known.get("value") == "604800" and "selected" in known for _, known in page.tags)
    assert mails_sent(web) == []


@pytest.mark.long
def test_a_refused_match_form_focuses_the_first_wrong_field(web: Web) -> None:
    for people, where in (
        ((("Alice", "alice@example.org"), ("Bob", "bob@")), ["friends"]),
        ((("", "alice@example.org"), ("Bob", "bob@")), ["name"]),
    ):
        page = Page(web.client().post("/new", data=fill_form(*people)).text)
        assert [known.get("name", tag) for tag, known in page.tags if "autofocus" in known] == where


@pytest.mark.long
@cases(
    "friends, hint",
    [
        ("bob@example.org\nBOB@example.org", "The address “bob@example.org” is there twice."),
        ("Bob <alice@example.org>", "The address “alice@example.org” is there twice."),
        ("alice <bob@example.org>", "Two players are called “Alice”."),
        ("bob", "“bob” is not an email address."),
        ("(C) <bob@example.org>", "“(C)” is what a seat without a name is called."),
        ("Bob <>", "“” is not an email address."),
        ("b@example.org c@example.org", "is not an email address."),
        (", ".join(f"p{n}@example.org" for n in range(4)), "Hogen takes 3 or 4 players; you named 5 players."),
    ],
)
def test_errors_about_friends_stand_beside_the_friends_field(web: Web, friends: str, hint: str) -> None:
    answer = web.client().post("/new", data=fill_form(THREE[0], friends=friends))
    assert answer.status_code == 422
    page = Page(answer.text)
    assert wrong_in(page) == ["friends"]
    assert page.words.count(hint) == 1


@pytest.mark.long
def test_a_name_with_html_is_escaped_in_the_refused_form(web: Web) -> None:
    answer = web.client().post("/new", data=fill_form(('"><script>x', "a@example.org"), *THREE[1:]))
    assert "<script>x" not in answer.text
    assert values_of_inputs(Page(answer.text))["name"] == '"><script>x'


@pytest.mark.long
def test_a_friend_without_a_name_is_a_letter_until_they_choose_one(web: Web) -> None:
    """Nothing of an address, such as what stands before its @, is shown to anybody at the table."""
    client = web.client()
    client.post("/new", data=fill_form(THREE[0], ("", "secret.bob@example.org"), ("Carol", "carol@example.org")))
    with web.site.reading() as session:
        match_id = session.exec(select(Match.id)).one()
    web.confirm(match_id)
    carol = client.get(web.link("invitation", match_id, 2)).text
    assert "(B)" in carol
    path = web.link("invitation", match_id, 1)
    assert "name" in values_of_inputs(Page(client.get(path).text))
    for name, hint in (("", "Every player needs a name."), ("carol", "Two players are called “carol”.")):
        refused = client.post(path, data={**READER, "answer": "accept", "name": name})
        assert refused.status_code == 422
        assert wrong_in(Page(refused.text)) == ["name"]
        assert Page(refused.text).words.count(hint) == 1
    assert client.post(path, data={**READER, "answer": "accept", "name": " Bob "}).status_code == 303
    web.accept(match_id, 2)
    for seat in range(3):
        page = client.get(web.link("play", match_id, seat)).text
        assert "Bob" in page
        assert "secret" not in page
    assert "secret" not in carol


@pytest.mark.long
def test_an_unnamed_player_is_proposed_a_name_and_a_named_one_keeps_theirs(web: Web, hogen: str) -> None:
    client = web.client()
    client.post(
        "/new", data=fill_form(("Dora", "dora@example.org"), ("", "bob@example.org"), ("Carol", "c@example.org"))
    )
    with web.site.reading() as session:
        match_id = session.exec(select(Match.id).where(Match.id != hogen)).one()
    web.confirm(match_id)
    assert values_of_inputs(Page(client.get(web.link("invitation", match_id, 1)).text))["name"] == "Bob"
    path = web.link("invitation", match_id, 2)
    assert "name" not in values_of_inputs(Page(client.get(path).text))
    assert client.post(path, data={**READER, "answer": "accept", "name": "Mallory"}).status_code == 303
    assert match_views.read_sheet(web.site, match_id, 0).names[2] == "Carol"


def test_the_organiser_confirms_by_a_button_and_finds_their_seat(web: Web) -> None:
    match_id = web.create()
    path = web.link("confirm", match_id, 0)
    client = web.client()
    page = Page(client.get(path).text)
    assert "Start this match of Hogen?" in page.words
    assert "/rules/hogen" in page.hrefs()
    answer = client.post(path, data=READER)
    assert path_of(answer) == web.link("play", match_id, 0) + "?done=started"
    assert [kind for kind, _ in mails_sent(web)] == ["confirm", "invitation", "invitation"]
    assert client.post(path, data=READER).status_code == 303
    assert web.link("play", match_id, 0) in Page(client.get(path).text).hrefs()


def test_a_wrong_zone_is_refused_and_the_form_stays(web: Web) -> None:
    match_id = web.create()
    answer = web.client().post(web.link("confirm", match_id, 0), data={"language": "en", "zone": "Mars/Base"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.words.count("There is no time zone “Mars/Base”.") == 1
    (zone,) = (known for tag, known in page.tags if known.get("name") == "zone")
    assert (zone["value"], zone["aria-invalid"]) == ("Mars/Base", "true")
    assert "zone-trouble" in zone["aria-describedby"]
    assert "data-guess" not in zone
    assert mails_sent(web) == [("confirm", 0)]


@pytest.mark.long
def test_a_zone_can_be_searched_by_its_country_in_the_readers_language(web: Web) -> None:
    path = web.link("confirm", web.create(), 0)
    assert (
        '<option value="Asia/Tokyo" data-time="heure de Tokyo">Japon</option>'
        in web.client("fr").get(f"{path}?lang=fr").text
    )
    assert '<option value="Asia/Tokyo" data-time="Tokyo time">Japan</option>' in web.client().get(path).text


@pytest.mark.long
def test_the_invited_accept_and_with_the_last_one_the_match_begins(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client = web.client()
    for seat in (1, 2):
        path = web.link("invitation", match_id, seat)
        assert "Alice invites you to Hogen" in Page(client.get(path).text).words
        answer = client.post(path, data={**READER, "answer": "accept"})
        assert path_of(answer) == web.link("play", match_id, seat) + "?done=sat"
    assert "choose your ally" in client.get(web.link("play", match_id, 1)).text
    assert "till Sun 15 Mar 08:00" in Page(client.get(web.link("play", match_id, 1)).text).words


@pytest.mark.long
def test_a_player_who_declines_is_replaced_by_the_organiser(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client, alice = web.client(), web.link("play", match_id, 0)
    path = web.link("invitation", match_id, 2)
    assert path_of(client.post(path, data={"answer": "decline"})) == path
    assert "<h1>You have declined</h1>" in client.get(path).text
    page = Page(client.get(alice).text)
    assert "Somebody else instead of Carol" in page.words
    form = next(f for f in page.forms if f.fields.get("seat") == "2")
    taken = client.post(form.action, data={**form.fields, "name": "bob", "address": "dave@example.org"})
    assert taken.status_code == 422
    assert form_of_seat(Page(taken.text), "2").fields["address"] == "dave@example.org"
    answer = client.post(form.action, data={**form.fields, "name": "Dave", "address": "dave@example.org"})
    assert path_of(answer) == f"{alice}?done=named"
    assert client.get(path).status_code == 409
    assert "Dave" in client.get(web.link("invitation", match_id, 2, epoch=1)).text


def form_of_seat(page: Page, seat: str) -> Form:
    return next(f for f in page.forms if f.fields.get("seat") == seat)


@pytest.mark.long
def test_only_the_organiser_names_another_player_for_a_seat(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    web.accept(match_id, 1)
    before = web.everything()
    form: dict[str, Any] = {"seat": "2", "name": "Dave", "address": "dave@example.org"}
    assert web.client().post(web.link("play", match_id, 1) + "/name", data=form).status_code == 403
    for seat in ("9", "-1", "x", ""):
        answer = web.client().post(web.link("play", match_id, 0) + "/name", data={**form, "seat": seat})
        assert answer.status_code == 404
    assert web.everything() == before


def test_the_organiser_calls_the_match_off_by_a_page_and_its_button(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client, path = web.client(), web.link("play", match_id, 0) + "/withdraw"
    assert "will not take place" in client.get(path).text
    answer = client.post(path)
    assert answer.status_code == 303
    said = Page(client.get(path_of(answer)).text).words
    assert "You have called the match off." in said
    assert "given up" not in said
    assert "The match was called off" in client.get(web.link("play", match_id, 0)).text
    assert "called off" in client.get(web.link("invitation", match_id, 1)).text
    assert client.post(web.link("invitation", match_id, 1), data=READER).status_code == 409


@pytest.mark.long
def test_a_player_who_gives_up_their_seat_is_told_that_they_have(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    web.accept(match_id, 1)
    client = web.client()
    answer = client.post(web.link("play", match_id, 1) + "/withdraw")
    assert "You have given up your seat." in client.get(path_of(answer)).text


def test_a_player_who_sits_down_is_told_what_comes_next(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client, said = web.client(), []
    for seat in (1, 2):
        answer = client.post(web.link("invitation", match_id, seat), data={**READER, "answer": "accept"})
        said.append(Page(client.get(path_of(answer)).text).words)
    assert "You have your seat. The match begins when" in said[0]
    assert "You have your seat, and the match begins." in said[1]
    assert "As soon as" not in said[1]
    assert "You have your seat" in client.get(web.link("invitation", match_id, 2)).text


def test_the_browsers_time_zone_is_proposed_until_the_player_chooses_one(web: Web) -> None:
    client = web.client()
    assert "data-guess" in client.get(web.link("confirm", web.create(), 0)).text
    first = web.create()
    assert client.post(web.link("confirm", first, 0), data=READER).status_code == 303
    page = client.get(web.link("confirm", web.create(), 0)).text
    assert "data-guess" not in page
    assert 'name="zone" list="zones" value="America/New_York"' in page


@pytest.mark.long
@pytest.mark.parametrize("typed", ["Europe/London", "europe/london", " London ", "LONDON"])
def test_a_zone_may_be_typed_by_its_city_in_any_case(web: Web, typed: str) -> None:
    match_id = web.create()
    assert (
        web.client().post(web.link("confirm", match_id, 0), data={"language": "en", "zone": typed}).status_code == 303
    )
    assert web.everything()["players"][0]["zone"] == "Europe/London"


@pytest.mark.long
def test_in_production_one_network_may_start_a_limited_number_of_matches(make_web: Callable[..., Web]) -> None:
    web = make_web(mode="production", matches_per_ip_hour=2)
    client = web.client()
    for _ in range(2):
        assert client.post("/new", data=fill_form(*THREE)).status_code == 303
    answer = client.post("/new", data=fill_form(*THREE))
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert client.get("/new").status_code == 200


ALIKE = (("Alice", "alice@example.org"), ("Bob", "bob@example.org"), ("Аlice", "carol@example.org"))  # a Cyrillic А
WARNING = {
    "en": "These names look alike: Alice (A) and Аlice (C). Make sure that you know who is who.",
    "fr": "Ces noms se ressemblent : Alice (A) et Аlice (C). Assurez-vous de savoir qui est qui.",
}


@pytest.mark.long
@cases("lang, words", [("en", "Two players would have names that look alike"), ("fr", "Deux noms se ressembleraient")])
def test_a_player_who_starts_a_match_is_refused_names_that_look_alike(web: Web, lang: str, words: str) -> None:
    answer = web.client(lang).post("/new", data=fill_form(*ALIKE))
    assert answer.status_code == 422
    assert words in Page(answer.text).words
    assert mails_sent(web) == []


def test_the_page_warning_of_lookalike_names_shows_no_text_of_the_url(web: Web) -> None:
    plain = Page(web.client().get("/new/sent").text).words
    for typed in ("", "1", "a-b", "1-<b>", "1-2-", "0-1", "1-100", "1-2 evil.example", "١-٢"):
        assert Page(web.client().get("/new/sent", query_string={"alike": typed}).text).words == plain


@pytest.mark.long
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_an_old_table_warns_its_players_of_names_that_look_alike(web: Web, lang: str) -> None:
    people = [Invitee(name, address_of(name)) for name in ("Alice", "Bob", "Carol")]
    match_id = matches.create_match(web.site, STRANGER, NewMatch("hogen", people, language=lang))
    web.rename(match_id, 2, ALIKE[2][0])
    client, reader = web.client(lang), {"language": lang, "zone": "Europe/Paris"}
    assert WARNING[lang] in Page(client.get(web.link("confirm", match_id, 0)).text).words
    client.post(web.link("confirm", match_id, 0), data=reader)
    assert WARNING[lang] in Page(client.get(web.link("play", match_id, 0)).text).words
    assert WARNING[lang] in Page(client.get(web.link("invitation", match_id, 2)).text).words
    client.post(web.link("invitation", match_id, 1), data=reader)
    begun = client.post(web.link("invitation", match_id, 2), data=reader)
    assert WARNING[lang] in Page(client.get(path_of(begun)).text).words
    assert WARNING[lang] not in Page(client.get(web.link("play", match_id, 2)).text).words, "said where it is news"


@pytest.mark.long
def test_no_page_warns_of_distinct_names(web: Web) -> None:
    match_id = web.create()
    for path in (web.link("confirm", match_id, 0), web.link("invitation", match_id, 1)):
        assert "look alike" not in web.client().get(path).text
    assert path_of(web.client().post("/new", data=fill_form(*THREE))) == "/new/sent"
