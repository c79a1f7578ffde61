"""Forms in two tabs: what was saved in one is never overwritten by the other unless its reader has seen it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from lxml import html
from werkzeug.test import TestResponse

from pbem.features.circles import founding as circles
from pbem.features.circles.pages.circles import ACTIONS
from pbem.features.leagues import claims, founding
from pbem.features.leagues.entry import entering
from pbem.kit.texts import LANGS
from pbem.services.lobby.match_request import Invitee
from tests.web.cast import Page, Web, path_of_account_link

Values = dict[str, Any]


@dataclass
class Tab:
    """A page that was opened, and what its reader enters in the form with this address."""

    client: FlaskClient
    action: str
    values: Values

    def send(self, **entered: Any) -> TestResponse:
        """Sends the form with what was entered; None leaves a box unticked."""
        values = {**self.values, **{name.rstrip("_"): value for name, value in entered.items()}}
        return self.client.post(self.action, data={name: one for name, one in values.items() if one is not None})


def read_form(text: str, action: str) -> Values:
    """Returns what a browser would send of the form with this address: a list where a field comes more than once."""
    (form,) = (one for one in html.fromstring(text).forms if one.action == action)
    found: Values = {}
    for name, value in form.form_values():
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


@dataclass
class Stored:
    """Where a form is: the page and its address; two ways to fill it in; and how the page that asks again says them."""

    page: str
    action: str
    ways: tuple[Values, Values]
    said: tuple[str, str]
    beside: tuple[Values, Values] | None = None
    """Two ways that touch different fields; None if it has one field."""


def forms_that_overwrite(web: Web, match_id: str) -> dict[str, Stored]:
    """Returns every form by which somebody overwrites what is stored, by the endpoint that takes it."""
    play = web.link("play", match_id, 0)
    circle = circles.found_circle(web.site, 1, "Les Lacs", "Alice")
    begins = web.site.now() + timedelta(days=7)
    made = founding.found_league(web.site, 2, "Ours", "allegeance", {"matches": 1, "seats": 2}, begins)
    entering.invite_to_season(web.site, 2, made.season_id, [Invitee("Zoe", "zoe@example.org")], "en")
    entry = f"/entry/{web.site.tokens.sign_for(claims.EntrantClaim, 1, 'zoe@example.org')}"
    season = f"/season/{made.season_id}"
    return {
        "acts.save_note": Stored(
            f"{play}/talk", f"{play}/note", ({"note": "Bob has a 4"}, {"note": "Bob has a 5\n<b>"}), ("4", "5")
        ),
        "acts.set_stand_in": Stored(
            f"{play}/away", f"{play}/stand-in", ({"bot": "greedy"}, {"bot": "random"}), ("", "")
        ),
        "preferences.change_preferences": Stored(
            "/me", "/me", ({"digest": "7"}, {"digest": "9"}), ("at 7:00", "at 9:00"),
            ({"language": "fr", "pictures": ["0", "1"]}, {"zone": "Asia/Tokyo", "digest": "7"}),
        ),
        "preferences.set_quiet_hours": Stored(
            "/me", "/me/hours", ({"from": "22", "to": "7"}, {"from": "23", "to": "6"}),
            ("22:00 – 7:00", "23:00 – 6:00"),
            ({"weekends": "1"}, {"from": "22", "to": "7"}),
        ),
        "preferences.set_visibility": Stored(
            "/me", "/me/shown", ({"rated": "1"}, {"rated": None}), ("", ""), ({"rated": "1"}, {"weekly": None})
        ),
        "circles.act rename": Stored(
            f"/circle/{circle}", f"/circle/{circle}/rename", ({"title": "Two"}, {"title": "Three"}), ("Two", "Three")
        ),
        "entry.confirm": Stored(entry, entry, ({"name": "Zed"}, {"name": "Zack"}), ("Zed", "Zack")),
        "entry.enter": Stored(season, f"{season}/enter", ({"name": "Ally"}, {"name": "Alicia"}), ("Ally", "Alicia")),
    }  # fmt: skip


FORMS = (
    "acts.save_note", "acts.set_stand_in", "preferences.change_preferences", "preferences.set_quiet_hours",
    "preferences.set_visibility", "circles.act rename",
    "entry.confirm", "entry.enter",
)  # fmt: skip

SEATS = {
    "lobby.invite_another": ("name", {"name": "Erin", "address": "erin@example.org"}),
    "lobby.give_seat_to_bot": ("fill", {"bot": "random"}),
    "lobby.open_seat": ("open", {}),
}
"""The forms by which an organiser gives a free seat to somebody else: the end of their address, and what is entered."""

BUTTON = "a button that says what follows from it, whatever was before"
NEW = "it makes something new"
ONCE = "it answers once"
OTHERS: dict[str, str] = {
    "account.sign_out_everywhere": BUTTON, "account.mute": BUTTON, "account.stop_emails": BUTTON,
    "account.open_session": BUTTON,
    "account.send_links": NEW, "account.sign_up": NEW, "account.mute_all_matches": BUTTON,
    "account.send_links_to_seat": BUTTON,
    "preferences.create_token": NEW, "preferences.revoke_token": BUTTON,
    "analysis.ask": NEW, "replay_pictures.ask": NEW, "uploads.open_file": "it stores nothing",
    "circles.act accept": ONCE, "circles.act decline": ONCE, "circles.act invite": NEW, "circles.act leave": ONCE,
    "circles.act list": BUTTON, "circles.act match": NEW, "circles.act mute": BUTTON, "circles.act open": BUTTON,
    "circles.act remove": ONCE, "circles.act renew": BUTTON, "circles.act say": BUTTON, "circles.act stop": ONCE,
    "circles.act weekly": NEW, "circles.mails": BUTTON, "circles.make": NEW, "joining.join": NEW,
    "entry.decline": BUTTON, "entry.set_weekly": BUTTON, "entry.withdraw": BUTTON,
    "preferences.cancel_holiday": "it names the day", "preferences.announce_holiday": NEW,
    "lobby.rematch": NEW,
    "lobby.answer_invitation": ONCE, "lobby.confirm": ONCE, "lobby.remind_invited": "it has a number",
    "lobby.withdraw": ONCE,
    "inbox.answer": NEW, "inbox.incoming": NEW,
    "acts.save_order": "it names the version of the match, and adds one",
    "acts.put_away_order_news": "it names the version",
    "acts.tell_order": "it stores nothing", "acts.stop_typed_order": "it names the order",
    "acts.stop_all_orders": BUTTON,
    "organising.end": ONCE, "organising.enter_bots": NEW, "organising.invite": NEW, "organising.make": NEW,
    "organising.open_season": NEW,
    "plan.change": "it names the line, and the version",
    "acts.mark_news_seen": "it only grows", "play.play_move": "it names the question",
    "acts.send_new_link": BUTTON,
    "acts.back": BUTTON, "acts.resign": ONCE, "acts.vote": ONCE,
    "privacy.ask_address_change": NEW, "privacy.erase_player": ONCE, "privacy.cancel_address_change": BUTTON,
    "privacy.answer_for_mailbox": ONCE,
    "records.publish": BUTTON, "records.withdraw": BUTTON,
    "start.play_now": NEW, "start.create_match": NEW, "start.send_mail_again": NEW,
    "acts.take_back": "it names the question", "acts.consent": "it names the request",
    "acts.withdraw": ONCE, "acts.tell": NEW, "vacancies.ask_for_seat": NEW, "vacancies.accept": ONCE,
    "push.subscribe": "it names the device", "push.note_opened": BUTTON, "push.stop": BUTTON, "inbox.take": NEW,
    "acts.send_message": NEW,
    "theme.choose": BUTTON,
    "webhooks.delete": ONCE, "webhooks.enable": BUTTON, "webhooks.make": NEW, "webhooks.ping": NEW,
    "webhooks.redeliver": NEW, "webhooks.rotate": NEW,
}  # fmt: skip
"""Every other address that takes a form, and why no save by it overwrites what its sender has not seen."""


@pytest.fixture
def forms(web: Web, hogen: str) -> Callable[[str], Stored]:
    """Returns where one of the forms is."""
    return forms_that_overwrite(web, hogen).__getitem__


@pytest.fixture
def open_tab(web: Web, hogen: str) -> Callable[..., Tab]:
    """Returns a new tab with the form, in Alice's browser, which reads one of the languages."""
    clients: dict[str, FlaskClient] = {}

    def open_form(form: Stored, lang: str = "en") -> Tab:
        if lang not in clients:
            clients[lang] = web.client(lang)
            assert clients[lang].post(path_of_account_link(web)).status_code == 303
        shown = clients[lang].get(form.page)
        assert shown.status_code == 200
        return Tab(clients[lang], form.action, read_form(shown.text, form.action))

    return open_form


def test_every_address_that_takes_a_form_is_listed_in_these_tests(web: Web) -> None:
    found = set()
    for rule in web.app.url_map.iter_rules():
        if "POST" not in (rule.methods or ()) or rule.rule.startswith("/api/") or "<action>" in rule.rule:
            continue
        found.add(rule.endpoint)
    found |= {f"circles.act {action}" for action in (*ACTIONS, "match", "weekly")}
    assert found - {*FORMS, *SEATS, *OTHERS} == set()
    assert {*FORMS, *SEATS, *OTHERS} - found == set()


@pytest.mark.long
@pytest.mark.parametrize("name", FORMS)
def test_each_form_has_a_hidden_field_with_its_version(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab], name: str
) -> None:  # fmt: skip
    form = forms(name)
    assert open_tab(form).values["version"]
    assert open_tab(form).values["version"] == open_tab(form, "fr").values["version"]


CLASHING = [name for name in FORMS if name != "preferences.set_visibility"]
"""Two tabs never want two things of a box that neither has shown: anyone who changes it wants the same."""


@pytest.mark.long
@pytest.mark.parametrize("name", CLASHING)
def test_of_two_tabs_the_second_must_confirm_overwriting_the_first(
    web: Web, forms: Callable[[str], Stored], open_tab: Callable[..., Tab], name: str
) -> None:
    form = forms(name)
    first, second = open_tab(form), open_tab(form)
    one, two = form.ways
    assert first.send(**one).status_code == 303
    before = values_of(web, first.client, form)
    asked = second.send(**two)
    assert asked.status_code == 409
    assert all(words in asked.text for words in form.said)
    assert values_of(web, first.client, form) == before
    agreed = Tab(second.client, form.action, read_form(asked.text, form.action))
    assert {name: as_text(agreed.values[name]) for name in two} == two
    assert agreed.send().status_code == 303
    assert values_of(web, first.client, form) != before
    assert agreed.send().status_code == 303, "the same once more"
    assert first.send(**one).status_code == 409, "its reader has not seen what stands there now"


def as_text(value: str) -> str:
    return value.replace("\r\n", "\n").removeprefix("\n")


def values_of(web: Web, client: FlaskClient, form: Stored) -> str:
    """Returns what the form shows; of a season's, which is shown no more, who has entered."""
    shown = client.get(form.page).text
    if form.action in (one.action for one in html.fromstring(shown).forms):
        return str(read_form(shown, form.action) | {"csrf_token": ""})
    return str(web.everything()["entrants"])


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["preferences.change_preferences", "preferences.set_quiet_hours", "preferences.set_visibility"]
)
def test_two_tabs_changing_different_fields_of_a_form_both_count(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab], name: str
) -> None:
    form = forms(name)
    assert form.beside is not None
    first, second = open_tab(form), open_tab(form)
    one, two = form.beside
    assert first.send(**one).status_code == 303
    assert second.send(**two).status_code == 303
    now = open_tab(form).values
    assert {name: now.get(name) for name in {**one, **two}} == {**one, **two}


@pytest.mark.long
@pytest.mark.parametrize("name", FORMS)
def test_a_form_without_a_version_is_saved(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab], name: str
) -> None:
    form = forms(name)
    tab = open_tab(form)
    for way in form.ways:
        assert tab.send(**way, version=None).status_code == 303


@pytest.mark.parametrize("name", FORMS)
def test_an_invalid_version_may_only_save_what_is_already_stored(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab], name: str
) -> None:
    form = forms(name)
    tab = open_tab(form)
    assert tab.send(**form.ways[0]).status_code == 303
    for version in ("x", "", "-" * 9, "é\0", "0" * 9000):
        assert tab.send(**form.ways[1], version=version).status_code == 409, version
        assert tab.send(**form.ways[0], version=version).status_code == 303, "it is what stands there"


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_to_confirm_overwriting_is_in_the_readers_language(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab], web: Web, hogen: str, lang: str
) -> None:
    form = forms("preferences.set_quiet_hours")
    first, second = open_tab(form, lang), open_tab(form, lang)
    first.client.get(f"/me?lang={lang}")
    first.send(**form.ways[0])
    said = Page(second.send(**form.ways[1]).text).words
    assert {"en": "Changed meanwhile", "fr": "Modifié entre-temps"}[lang] in said


def test_saving_a_conflicting_form_anyway_keeps_the_other_tabs_fields(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab]
) -> None:
    form = forms("preferences.change_preferences")
    first, second = open_tab(form), open_tab(form)
    first.send(digest="7", language="fr")
    asked = second.send(digest="9", zone="Asia/Tokyo")
    assert "Tokyo" in asked.text, "it is saved with the other"
    Tab(second.client, form.action, read_form(asked.text, form.action)).send()
    now = open_tab(form).values
    assert (now["digest"], now["language"], now["zone"]) == ("9", "fr", "Asia/Tokyo")


@pytest.mark.long
def test_a_refused_form_keeps_the_version_of_what_its_reader_has_seen(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab]
) -> None:
    form = forms("acts.save_note")
    first, second = open_tab(form), open_tab(form)
    first.send(note="quicker")
    refused = second.send(note="y" * 4001)
    assert refused.status_code == 422
    again = Tab(second.client, form.action, read_form(refused.text, form.action))
    assert again.send(note="slower").status_code == 409
    assert open_tab(form).values["note"].strip() == "quicker"


@pytest.mark.long
def test_a_rating_ended_elsewhere_is_not_begun_again_by_an_older_page(
    forms: Callable[[str], Stored], open_tab: Callable[..., Tab]
) -> None:
    form = forms("preferences.set_visibility")
    open_tab(form).send(rated="1")
    older = open_tab(form)
    open_tab(form).send(rated=None)
    assert older.send(pace_shown="1").status_code == 303
    now = open_tab(form).values
    assert ("rated" in now, now["pace_shown"]) == (False, "1")


@pytest.mark.long
@pytest.mark.parametrize("name", SEATS)
def test_a_seat_given_away_in_another_tab_is_not_given_away_again_unseen(web: Web, name: str) -> None:
    match_id = web.create()
    web.confirm(match_id)
    play, client = web.link("play", match_id, 0), web.client()
    end, entered = SEATS[name]
    older = client.get(play).text
    dora = {"name": "Dora", "address": "dora@example.org"}
    first = {**read_seat_form(older, f"{play}/name"), **dora}
    assert client.post(f"{play}/name", data=first).status_code == 303
    before = web.everything()
    sent = {**read_seat_form(older, f"{play}/{end}"), **entered}
    asked = client.post(f"{play}/{end}", data=sent)
    assert asked.status_code == 409
    assert web.everything() == before
    again = read_seat_form(asked.text, f"{play}/{end}")
    assert "Dora" in again["version"]
    if name == "lobby.invite_another":
        assert (again["name"], again["address"]) == ("Erin", "erin@example.org"), "it stays in its fields"
    assert client.post(f"{play}/{end}", data={**again, **entered}).status_code == 303


def read_seat_form(text: str, action: str) -> Values:
    """Returns the fields of the form for the second seat."""
    forms = (dict(one.form_values()) for one in html.fromstring(text).forms if one.action == action)
    return next(values for values in forms if values["seat"] == "1")
