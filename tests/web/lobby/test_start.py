"""From the form to the first question: new match, confirm, accept, decline, name another, withdraw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlmodel import select

from pbem.models.tables import Match, OutboxRow
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import Invitee, NewMatch
from pbem.services.who import STRANGER
from tests.web.cast import Form, Page, Web, path_of

READER = {"language": "en", "zone": "America/New_York"}


def filled(*people: tuple[str, str], **more: str) -> dict[str, str]:
    form = {"game": "hogen", "turn": "86400", "spectators": "1", **more}
    for i, (name, address) in enumerate(people):
        form |= {f"name{i}": name, f"address{i}": address}
    return form


THREE = (("Alice", "alice@example.org"), ("Bob", "bob@example.org"), ("Carol", "carol@example.org"))


def mails(web: Web) -> list[tuple[str, int | None]]:
    with web.site.reading() as session:
        return [(row.kind, row.seat) for row in session.exec(select(OutboxRow).order_by("id")).all()]


def inputs(page: Page) -> dict[str, str]:
    return {known["name"]: known.get("value", "") for tag, known in page.tags if tag == "input" and "name" in known}


def test_a_match_is_created_for_as_many_as_are_named_and_only_its_organiser_is_written_to(web: Web) -> None:
    client = web.client()
    assert {"name0", "address0", "name3", "address3"} <= set(inputs(Page(client.get("/new?game=hogen").text)))
    answer = client.post("/new", data=filled(*THREE))
    assert path_of(answer) == "/new/sent"
    assert "/mailbox" in Page(client.get("/new/sent").text).hrefs()
    assert mails(web) == [("confirm", 0)]
    with web.site.reading() as session:
        match = session.exec(select(Match)).one()
        assert (match.turn_s, match.spectators) == (86_400, True)


def test_errors_stand_beside_their_fields_and_nothing_typed_is_lost(web: Web) -> None:
    people = (("Alice", "alice@example.org"), ("www.evil.example", "bob@"), ("", "carol@example.org"))
    answer = web.client().post("/new", data=filled(*people, turn="604800"))
    assert answer.status_code == 422
    page = Page(answer.text)
    typed = inputs(page)
    for i, (name, address) in enumerate(people):
        assert (typed[f"name{i}"], typed[f"address{i}"]) == (name, address)
    wrong = {known["name"] for tag, known in page.tags if tag == "input" and "aria-invalid" in known}
    assert wrong == {"name1", "address1", "name2"}
    assert any(known.get("value") == "604800" and "selected" in known for _, known in page.tags)
    assert mails(web) == []


def test_the_page_opens_at_the_first_field_that_is_wrong_and_else_at_the_button(web: Web) -> None:
    client = web.client()
    for people, where in (
        ((("Alice", "alice@example.org"), ("Bob", "bob@"), ("", "carol@example.org")), ["address1"]),
        (THREE[:2], ["button"]),
    ):
        page = Page(client.post("/new", data=filled(*people)).text)
        assert [known.get("name", tag) for tag, known in page.tags if "autofocus" in known] == where


def test_what_only_all_fields_together_show_is_said_too(web: Web) -> None:
    twice = (*THREE[:2], ("Carol", "ALICE@example.org"))
    for people, hint in ((THREE[:2], "players; you named"), (twice, "is there twice")):
        answer = web.client().post("/new", data=filled(*people))
        assert answer.status_code == 422
        assert hint in Page(answer.text).said
        assert inputs(Page(answer.text))["name1"] == "Bob"


def test_names_are_shown_as_they_are_typed_and_never_run(web: Web) -> None:
    answer = web.client().post("/new", data=filled(('"><script>x', "a@example.org"), *THREE[1:]))
    assert "<script>x" not in answer.text
    assert inputs(Page(answer.text))["name0"] == '"><script>x'


def test_the_organiser_confirms_by_a_button_and_finds_their_seat(web: Web) -> None:
    match_id = web.create()
    path = web.link("confirm", match_id, 0)
    client = web.client()
    page = Page(client.get(path).text)
    assert "Start this match?" in page.said
    assert "/rules/hogen" in page.hrefs()
    answer = client.post(path, data=READER)
    assert path_of(answer) == web.link("play", match_id, 0) + "?done=started"
    assert [kind for kind, _ in mails(web)] == ["confirm", "invitation", "invitation"]
    assert client.post(path, data=READER).status_code == 303
    assert web.link("play", match_id, 0) in Page(client.get(path).text).hrefs()


def test_a_wrong_zone_is_refused_and_the_form_stays(web: Web) -> None:
    match_id = web.create()
    answer = web.client().post(web.link("confirm", match_id, 0), data={"language": "en", "zone": "Mars/Base"})
    assert answer.status_code == 422
    assert "Mars/Base" in Page(answer.text).said
    assert mails(web) == [("confirm", 0)]


def test_the_invited_accept_and_with_the_last_one_the_match_begins(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client = web.client()
    for seat in (1, 2):
        path = web.link("invitation", match_id, seat)
        assert "Alice invites you to play" in Page(client.get(path).text).said
        answer = client.post(path, data={**READER, "answer": "accept"})
        assert path_of(answer) == web.link("play", match_id, seat) + "?done=sat"
    assert "choose your ally" in client.get(web.link("play", match_id, 1)).text
    assert "(New York time)" in Page(client.get(web.link("play", match_id, 1)).text).said


def test_whoever_declines_is_replaced_by_the_organiser(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client, alice = web.client(), web.link("play", match_id, 0)
    path = web.link("invitation", match_id, 2)
    assert path_of(client.post(path, data={"answer": "decline"})) == path
    assert "You have declined" in client.get(path).text
    page = Page(client.get(alice).text)
    assert "Somebody else instead of Carol" in page.said
    form = next(f for f in page.forms if f.fields.get("seat") == "2")
    taken = client.post(form.action, data={**form.fields, "name": "bob", "address": "dave@example.org"})
    assert taken.status_code == 422
    assert kept(Page(taken.text), "2").fields["address"] == "dave@example.org"
    answer = client.post(form.action, data={**form.fields, "name": "Dave", "address": "dave@example.org"})
    assert path_of(answer) == f"{alice}?done=named"
    assert client.get(path).status_code == 401
    assert "Dave" in client.get(web.link("invitation", match_id, 2, epoch=1)).text


def kept(page: Page, seat: str) -> Form:
    return next(f for f in page.forms if f.fields.get("seat") == seat)


def test_only_the_organiser_names_another(web: Web) -> None:
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


def test_withdrawing_takes_a_page_and_a_button(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client, path = web.client(), web.link("play", match_id, 0) + "/withdraw"
    assert "will not take place" in client.get(path).text
    answer = client.post(path)
    assert answer.status_code == 303
    said = Page(client.get(path_of(answer)).text).said
    assert "You have called the match off." in said
    assert "given up" not in said
    assert "The match was called off" in client.get(web.link("play", match_id, 0)).text
    assert "called off" in client.get(web.link("invitation", match_id, 1)).text
    assert client.post(web.link("invitation", match_id, 1), data=READER).status_code == 409


def test_whoever_gives_up_their_seat_is_told_that_they_have(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    web.accept(match_id, 1)
    client = web.client()
    answer = client.post(web.link("play", match_id, 1) + "/withdraw")
    assert "You have given up your seat." in client.get(path_of(answer)).text


def test_whoever_sits_down_is_told_what_comes_next(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    client, said = web.client(), []
    for seat in (1, 2):
        answer = client.post(web.link("invitation", match_id, seat), data={**READER, "answer": "accept"})
        said.append(Page(client.get(path_of(answer)).text).said)
    assert "You have your seat. As soon as everybody has accepted" in said[0]
    assert "You have your seat, and the match begins." in said[1]
    assert "As soon as" not in said[1]
    assert "You have your seat" in client.get(web.link("invitation", match_id, 2)).text


def test_the_browsers_time_zone_is_proposed_until_the_player_has_chosen_one(web: Web) -> None:
    client = web.client()
    assert "data-guess" in client.get(web.link("confirm", web.create(), 0)).text
    first = web.create()
    assert client.post(web.link("confirm", first, 0), data=READER).status_code == 303
    page = client.get(web.link("confirm", web.create(), 0)).text
    assert "data-guess" not in page
    assert "<option selected>America/New_York</option>" in page


def test_starting_many_matches_from_one_place_is_capped_where_mail_leaves(make_web: Callable[..., Web]) -> None:
    web = make_web(mode="production", matches_per_ip_hour=2)
    client = web.client()
    for _ in range(2):
        assert client.post("/new", data=filled(*THREE)).status_code == 303
    answer = client.post("/new", data=filled(*THREE))
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert client.get("/new").status_code == 200


ALIKE = (("Alice", "alice@example.org"), ("Bob", "bob@example.org"), ("Аlice", "carol@example.org"))  # a Cyrillic А
WARNING = {
    "en": "These names look alike: Alice (A) and Аlice (C). Make sure that you know who is who.",
    "fr": "Ces noms se ressemblent : Alice (A) et Аlice (C). Assurez-vous de savoir qui est qui.",
}


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "The names of players 1 and 3 look alike."), ("fr", "Les noms des joueurs 1 et 3 se ressemblent.")],
)
def test_whoever_starts_a_match_is_warned_of_names_that_look_alike(web: Web, lang: str, words: str) -> None:
    client = web.client(lang)
    answer = client.post("/new", data=filled(*ALIKE))
    assert path_of(answer) == "/new/sent?alike=1-3"
    assert words in Page(client.get(path_of(answer)).text).said
    assert mails(web) == [("confirm", 0)], "it is a warning, and no refusal"


def test_the_page_that_warns_says_no_words_but_its_own(web: Web) -> None:
    plain = Page(web.client().get("/new/sent").text).said
    for typed in ("", "1", "a-b", "1-<b>", "1-2-", "0-1", "1-100", "1-2 evil.example", "١-٢"):
        assert Page(web.client().get("/new/sent", query_string={"alike": typed}).text).said == plain


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_whoever_sits_down_is_warned_of_names_that_look_alike(web: Web, lang: str) -> None:
    people = [Invitee(name, address) for name, address in ALIKE]
    match_id = matches.create(web.site, STRANGER, NewMatch("hogen", people, language=lang))
    client, reader = web.client(lang), {"language": lang, "zone": "Europe/Paris"}
    assert WARNING[lang] in Page(client.get(web.link("confirm", match_id, 0)).text).said
    client.post(web.link("confirm", match_id, 0), data=reader)
    assert WARNING[lang] in Page(client.get(web.link("play", match_id, 0)).text).said
    assert WARNING[lang] in Page(client.get(web.link("invitation", match_id, 2)).text).said
    client.post(web.link("invitation", match_id, 1), data=reader)
    begun = client.post(web.link("invitation", match_id, 2), data=reader)
    assert WARNING[lang] in Page(client.get(path_of(begun)).text).said
    assert WARNING[lang] not in Page(client.get(web.link("play", match_id, 2)).text).said, "said where it is news"


def test_names_that_differ_are_warned_of_nowhere(web: Web) -> None:
    match_id = web.create()
    for path in (web.link("confirm", match_id, 0), web.link("invitation", match_id, 1)):
        assert "look alike" not in web.client().get(path).text
    assert path_of(web.client().post("/new", data=filled(*THREE))) == "/new/sent"
