"""The form of a new match: bots, links and people in its seats, options in words, signed-in players."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from sqlmodel import col, select

from pbem.games import all_games, find_game
from pbem.kit.options import options_of
from pbem.models.tables import Match, SeatRow
from pbem.services.lobby.match_request import Invitee, Person, Unnamed
from pbem.web.lobby.match_form import Form, read_people
from tests.harness.cases import cases
from tests.harness.growth import LINEAR, growth_of_cpu_time
from tests.web.cast import ALICE, Page, Web, path_of, secret_of, sign_in
from tests.web.lobby.start import mails_sent, values_of_inputs, wrong_in


def choices_by_name(page: Page) -> dict[str, list[tuple[str, bool]]]:
    """Returns the choices of every select and of all radios by their name, each with whether it is chosen."""
    found: dict[str, list[tuple[str, bool]]] = {}
    name = ""
    for tag, known in page.tags:
        if tag == "select":
            name = known["name"]
            found[name] = []
        if tag == "option":
            found[name].append((known["value"], "selected" in known))
        if known.get("type") == "radio":
            found.setdefault(known["name"], []).append((known["value"], "checked" in known))
    return found


def choices_on(page: Page) -> dict[str, str]:
    return {name: next(value for value, on in values if on) for name, values in choices_by_name(page).items()}


def the_match(web: Web) -> tuple[Match, list[SeatRow]]:
    with web.site.reading() as session:
        match = session.exec(select(Match)).one()
        seats = list(session.exec(select(SeatRow).order_by(col(SeatRow.seat))).all())
        session.expunge_all()
    return match, seats


@pytest.mark.long
@pytest.mark.parametrize("slug", list(all_games()))
@pytest.mark.parametrize("lang", ["fr", "en"])
def test_every_game_offers_its_seats_its_bots_and_its_options_in_words(web: Web, slug: str, lang: Any) -> None:
    game = all_games()[slug]
    page = Page(web.client(lang).get(f"/new?game={slug}&lang={lang}").text)
    offered = choices_by_name(page)
    counts = [str(count) for count in game.meta.seats]
    assert [word for word, _ in offered["players"]] == ["", *counts]
    assert offered["fill"] == [("link", True), ("bots", False)]
    assert [word for word, _ in offered["rest"]] == ["random", "easy", "greedy", "fair", "strong"]
    assert choices_on(page)["rest"] == "greedy"
    for option in options_of(game.meta):
        assert [word for word, _ in offered[f"option.{option.name}"]] == [choice.word for choice in option.choices]
        assert choices_on(page)[f"option.{option.name}"] == option.usual
        for text in (option.title, option.hint, *(choice.text for choice in option.choices)):
            assert " ".join(text[lang].split(" ")) in page.text.replace("&#39;", "'")
    asks_in_windows = game.meta.has_windows
    assert ("window" in offered) == ("windows" in offered) == asks_in_windows


@pytest.mark.long
def test_against_bots_a_newcomer_plays_at_once_without_name_or_address(web: Web) -> None:
    client = web.client()
    (form,) = Page(text := client.get("/new?game=hogen&others=bots").text).forms
    assert form.action == "/now"
    assert {known.get("type") for tag, known in Page(text).tags if tag == "input"} == {
        "hidden", "checkbox", "radio", None,
    }  # fmt: skip
    assert set(values_of_inputs(Page(text))) >= {"word"}, "the one field that is typed in, and it is folded"
    assert (choices_on(Page(text))["rest"], choices_on(Page(text))["players"]) == ("greedy", "3")
    assert "invite" not in Page(text).words.lower()
    answer = client.post(form.action, data={**form.fields, **choices_on(Page(text)), "rest": "random", "players": "4"})
    assert answer.status_code == 303
    match, seats = the_match(web)
    assert [seat.bot for seat in seats] == [None, "random", "random", "random"]
    assert (match.status, match.untimed, match.spectators) == ("running", True, True)
    assert client.get(answer.location).status_code == 200
    assert mails_sent(web) == []


@pytest.mark.long
def test_a_match_against_bots_has_the_chosen_options_or_is_refused(web: Web) -> None:
    client, form = web.client(), {"game": "allegeance", "others": "bots"}
    for wrong, hint in (({"rest": "deep thought"}, "There is no bot"), ({"option.target": "17"}, "not valid")):
        answer = client.post("/now", data={**form, **wrong})
        assert answer.status_code == 422
        assert hint in Page(answer.text).words
    assert client.post("/now", data={**form, "option.target": "2"}).status_code == 303
    match, _ = the_match(web)
    assert msgspec.json.decode(match.options)["target"] == 2
    assert not match.spectators


@pytest.mark.long
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({}, ["open", "open"]),
        ({"friends": "Bob <bob@example.org>"}, ["Bob", "open"]),
        ({"friends": "bob@example.org", "rest": "random"}, ["(B)", "bot"]),
        ({"friends": "bob@example.org", "players": "4", "rest": "greedy"}, ["(B)", "bot", "bot"]),
        ({"friends": "bob@example.org", "fill": "bots", "rest": "easy"}, ["(B)", "bot"]),
        ({"friends": "bob@example.org", "fill": "link", "rest": "easy"}, ["(B)", "open"]),
        ({"friends": "b@example.org;c@example.org,d@example.org", "players": "3"}, ["(B)", "(C)", "(D)"]),
        ({"others": "bots", "rest": "random", "players": "4"}, ["bot", "bot", "bot"]),
        ({"others": "bots", "friends": "bob@example.org"}, ["bot", "bot"]),
        ({"others": "links", "players": "3"}, ["open", "open"]),
        ({"others": "anybody"}, ["open", "open"]),
    ],
)
def test_the_form_invites_friends_and_fills_other_seats_as_chosen(
    web: Web, form: dict[str, str], expected: list[str]
) -> None:
    rest = {"rest": "greedy"} if form.get("others") == "bots" else {}
    assert web.client().post("/new", data={"game": "hogen", **ALICE, **rest, **form}).status_code == 303
    _, (alice, *others) = the_match(web)
    assert alice.name == "Alice"
    assert ["bot" if s.bot else "open" if s.status == "open" else s.name for s in others] == expected


@cases(
    "typed, people",
    [
        ("bob@example.org", [Unnamed("bob@example.org")]),
        ("Bob <bob@example.org>", [Invitee("Bob", "bob@example.org")]),
        ("Bob bob@example.org", [Invitee("Bob", "bob@example.org")]),
        (
            "Bob Stone\tbob@example.org; a@example.org",
            [Invitee("Bob Stone", "bob@example.org"), Unnamed("a@example.org")],
        ),
        ('"Stone, Bob" bob@example.org', [Invitee("Stone, Bob", "bob@example.org")]),
        ("Bob Stone, bob@example.org", [Unnamed("Bob Stone"), Unnamed("bob@example.org")]),
        ("a@example.org b@example.org", [Unnamed("a@example.org b@example.org")]),
        ("Bob bob", [Unnamed("Bob bob")]),
    ],
)
def test_a_name_may_stand_before_an_address_without_brackets(typed: str, people: list[Person]) -> None:
    assert read_people(typed) == people


def test_a_folded_setting_shows_its_value_and_unfolds_for_an_error(web: Web) -> None:
    client = web.client()
    page = Page(client.get("/new?game=allegeance").text)
    assert [known["class"] for tag, known in page.tags if tag == "details"] == ["hint", *["fold"] * 3]
    assert "Pace 3 days a turn Time" in page.words
    assert "Rules as printed" in page.words
    assert "More open to spectators" in page.words
    form = {"game": "allegeance", **ALICE, "bank": "3600", "increment": "86400", "option.memory": "open"}
    answer = client.post("/new", data={**form, "players": "2", "rest": "random"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert wrong_in(page) == ["increment"]
    assert ["open" in known for tag, known in page.tags if tag == "details"] == [False, True, False, False]
    assert "Pace 1 hour for all turns together" in page.words
    assert "Rules as printed" not in page.words
    assert "More players only" in page.words


def test_a_match_has_the_options_and_times_chosen_in_the_form(web: Web) -> None:
    form = {
        "others": "bots", "rest": "random", "option.target": "2", "option.memory": "open", "turn": "3600",
        "window": "600",
    }  # fmt: skip
    assert web.client().post("/new", data={"game": "allegeance", **form, **ALICE}).status_code == 303
    match, _ = the_match(web)
    assert msgspec.json.decode(match.options) == {"target": 2, "memory": "open"}
    assert (match.turn_s, match.window_s, match.spectators) == (3600, 600, False)


@pytest.mark.long
def test_windows_are_silent_by_default_and_the_form_explains_the_choice(web: Web) -> None:
    page = Page(web.client().get("/new?game=allegeance").text)
    assert choices_by_name(page)["windows"] == [("silent", True), ("at_once", False)]
    assert "everybody sees who has answered and how fast" in page.words
    assert web.client().post("/new", data={"game": "allegeance", "windows": "at_once", **ALICE}).status_code == 303
    match, _ = the_match(web)
    assert not match.silent
    invitation = Page(web.client().get(web.link("confirm", match.id, 0)).text)
    assert "Windows close at once" in invitation.words


@pytest.mark.long
def test_the_match_form_sets_the_rule_for_late_players_and_the_time_bank(web: Web) -> None:
    page = Page(web.client().get("/new?game=hogen").text)
    offered = choices_by_name(page)
    assert offered["late"] == [("fallback", True), ("vote", False)]
    bank, increment = offered["bank"][-1][0], offered["increment"][-1][0]
    form = {"late": "vote", "bank": bank, "increment": increment, **ALICE}
    assert web.client().post("/new", data={"game": "hogen", **form}).status_code == 303
    match, _ = the_match(web)
    assert (match.late, str(match.bank_s), str(match.increment_s)) == ("vote", bank, increment)


@pytest.mark.long
def test_an_answer_takes_at_most_a_turns_time_unless_chosen_otherwise(web: Web) -> None:
    form = {"turn": "3600", "window": ""}
    assert web.client().post("/new", data={"game": "allegeance", **form, **ALICE}).status_code == 303
    assert the_match(web)[0].window_s == 3600


@cases(
    "change, hint",
    [
        ({"option.memory": "sideways"}, "The options are not valid"),
        ({"option.target": "17"}, "The options are not valid"),
        ({"rest": "deep thought"}, "There is no bot"),
        ({"turn": "5"}, "between one minute and sixty days"),
        ({"name": ""}, "Every player needs a name."),
        ({"friends": "bob@"}, "is not an email address"),
    ],
)
def test_an_invalid_match_form_names_errors_and_keeps_the_input(web: Web, change: dict[str, str], hint: str) -> None:
    form = {"option.memory": "open", "turn": "604800", "window": "600", **ALICE, **change}
    answer = web.client().post("/new", data={"game": "allegeance", **form})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert hint in page.words
    assert values_of_inputs(page)["address"] == "alice@example.org"
    kept = {name: values for name, values in choices_by_name(page).items() if name not in change}
    for name, values in kept.items():
        if name in form:
            assert (form[name], True) in values
    assert mails_sent(web) == []


# --- signed in -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_form_knows_a_signed_in_player_and_their_match_needs_no_mail(web: Web, hogen: str) -> None:
    client = sign_in(web, "alice")
    text = client.get("/new?game=hogen").text
    page = Page(text)
    assert values_of_inputs(page)["name"] == "Alice"
    assert "address" not in values_of_inputs(page)
    assert "alice@example.org" in page.words
    form = {**page.forms[0].fields, **choices_on(page), "fill": "bots"}
    before = mails_sent(web)
    answer = client.post("/new", data=form)
    assert path_of(answer).startswith("/play/")
    assert path_of(answer).endswith("?done=started")
    said = Page(client.get(path_of(answer)).text).words
    assert "choose your ally" in said
    assert {kind for kind, _ in mails_sent(web)[len(before) :]} <= {"turn", "started"}


@pytest.mark.long
def test_a_signed_in_player_starts_a_match_against_bots_under_their_name(web: Web, hogen: str) -> None:
    client = sign_in(web, "alice")
    (form,) = Page(client.get("/new?game=hogen&others=bots").text).forms
    assert client.post("/now", data=form.fields).status_code == 303
    with web.site.reading() as session:
        newest = session.exec(select(Match).where(Match.id != hogen)).one()
        assert session.get_one(SeatRow, (newest.id, 0)).name == "Alice"


def test_the_match_form_ignores_an_address_sent_by_a_signed_in_player(web: Web, hogen: str) -> None:
    client = sign_in(web, "bob")
    secret = secret_of(client.get("/new?game=hogen").text)
    form = {"name": "Bob", "address": "alice@example.org"}
    assert client.post("/new", data={"game": "hogen", "csrf_token": secret, **form}).status_code == 303
    with web.site.reading() as session:
        newest = session.exec(select(Match).where(Match.id != hogen)).one()
        assert newest.organiser_id == 2
        assert newest.status == "inviting"


@pytest.mark.long
def test_a_cross_site_match_form_starts_nothing_for_a_signed_in_player(web: Web, hogen: str) -> None:
    client = sign_in(web, "alice")
    client.get("/new?game=hogen")
    before = web.everything()
    form = {"game": "hogen", "others": "bots", "rest": "random", "name": "Alice"}
    for secret in ({}, {"csrf_token": "forged"}):
        assert client.post("/new", data=form | secret).status_code == 400
    assert web.everything() == before


def test_reading_the_friends_takes_time_in_proportion_to_what_was_typed(web: Web) -> None:
    game = find_game("hogen")
    assert game

    def read(typed: str) -> None:
        for _ in range(20):
            form = Form(game, "friends", "", "", {"friends": typed}, web.site.config)
            assert len(form.friends_as_typed) == 1

    def takes_longer(few: str) -> float:
        return growth_of_cpu_time(lambda: read(f"a{few * 199}b"), lambda: read(f"a{few * 1990}b"))

    assert max(takes_longer(few) for few in (" ", "a ", "a")) < 10 * LINEAR
