"""The page of a seat's orders: a form for every rule and question of every game, told before it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser

import pytest
from werkzeug.test import TestResponse

from pbem.games import all_games
from pbem.kit.orders.forms import ask_kinds_allowing_list_orders
from pbem.kit.orders.typed import format_order
from pbem.services.play import moves, ordering, presence, timeouts
from pbem.services.play.order_checks import MOST
from pbem.services.tokens import OrdersClaim
from pbem.services.views.match_views import read_view
from tests.harness.forms import same_each_time
from tests.table import claim_of, play_out
from tests.web.cast import Page, Web, path_of

FORMS = [
    pytest.param(game.meta.slug, form, id=f"{game.meta.slug}-{form}")
    for game in all_games().values()
    for form in (*(rule.word for rule in game.meta.orders), *ask_kinds_allowing_list_orders(game.meta))
]
TYPED = {"divide": "divide 2 3 4 / 5 6 7 / 8 9 10", "place": "place N01 1N r0, place N02 1E"}
"""What stands where a game names no answers to choose among."""
NONE = "always nobori: none"

Values = dict[str, list[str]]


class Filled(HTMLParser):
    """The values of the form for an order, as somebody fills it in who takes the first of everything."""

    def __init__(self, text: str, typed: str = "") -> None:
        super().__init__()
        self.values: Values = {}
        self.action = ""
        self._inside = False
        self._typed = typed
        self._select: str | None = None
        self._several: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag == "form" and "order" in known.get("class", "").split():
            self._inside, self.action = True, known["action"].split("#")[0]
        if not self._inside:
            return
        if tag == "input":
            self._fill(known)
        elif tag == "select":
            self._select = known["name"]
        elif tag == "option" and self._select and known["value"]:
            self.values.setdefault(self._select, []).append(known["value"])
            self._select = None

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "form"

    def _fill(self, known: dict[str, str]) -> None:
        name, kind = known["name"], known.get("type", "text")
        if kind == "radio" and "checked" not in known:
            return
        if kind == "checkbox" and (name in self._several or name == "v-ask_if"):
            return
        self._several.add(name)
        self.values[name] = [self._typed if kind == "text" else known["value"]]


def begin_match_not_asking(web: Web, game: str) -> tuple[str, int]:
    """Returns a match of three that has gone on a little, and a seat that is asked nothing."""
    match_id = web.start(game=game)
    for _ in range(40):
        asked = {ask.seat for ask in read_view(web.site, match_id, None).sheet.asks}
        if version_of(web, match_id) > 12 and len(asked) == 1:
            break
        answer_question(web, match_id, min(asked))
    return match_id, next(seat for seat in range(3) if seat not in asked)


def answer_question(web: Web, match_id: str, seat: int) -> None:
    """The seat answers what it is asked."""
    view = read_view(web.site, match_id, seat)
    assert view.ask is not None
    moves.play_answer(
        web.site, claim_of(web.site, match_id, seat), view.ask.key, view.game.format(view.legal()[0]), "web"
    )


def who_is_asked(web: Web, match_id: str) -> list[int]:
    return [ask.seat for ask in read_view(web.site, match_id, None).sheet.asks]


def version_of(web: Web, match_id: str) -> int:
    return read_view(web.site, match_id, None).sheet.version


def standing_orders(web: Web, match_id: str, seat: int) -> list[str]:
    """The orders of the seat, as they are typed."""
    found = ordering.read_orders(web.site, claim_of(web.site, match_id, seat))
    return [format_order(one, found.game) for one in found.orders]


def orders_page(web: Web, match_id: str, seat: int) -> str:
    """The path of the page of the seat's orders."""
    return f"{web.link('play', match_id, seat)}/orders"


def post_form(web: Web, match_id: str, seat: int, values: Mapping[str, str | list[str]], to: str = "") -> TestResponse:
    return web.client().post(f"{orders_page(web, match_id, seat)}{to}", data=values)


def type_order(web: Web, match_id: str, seat: int, text: str, version: int | None = None, **more: str) -> TestResponse:
    """Sends what is typed."""
    now = version_of(web, match_id) if version is None else version
    values = {"form": "typed", "v-text": text, "version": str(now), "do": "say", **more}
    return post_form(web, match_id, seat, values)


def save_typed_order(web: Web, match_id: str, seat: int, text: str = NONE) -> None:
    """Saves a typed order."""
    done = type_order(web, match_id, seat, text, do="save", said=text)
    assert done.status_code == 303, Page(done.text).words


def value_of_hidden(page: Page, name: str) -> str | None:
    return next((known["value"] for tag, known in page.tags if tag == "input" and known.get("name") == name), None)


# --- forms -------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize(("game", "form"), FORMS)
def test_every_order_form_describes_the_order_before_saving_it(web: Web, game: str, form: str, lang: str) -> None:
    match_id, seat = begin_match_not_asking(web, game)
    path = orders_page(web, match_id, seat)
    client = web.client()
    page = Page(client.get(f"{path}?lang={lang}").text)
    assert f"{path}?order={form}" in page.hrefs("ctl")
    opened = client.get(f"{path}?order={form}")
    filled = Filled(opened.text, TYPED.get(form, ""))
    assert filled.action == path
    assert 'name="said"' not in opened.text, "nothing was entered, so nothing is told"
    told = Page(client.post(filled.action, data={**filled.values, "do": "say"}).text)
    said = value_of_hidden(told, "said")
    assert said, told.words
    assert standing_orders(web, match_id, seat) == []
    done = client.post(filled.action, data={**filled.values, "do": "save", "said": said})
    assert done.status_code == 303
    assert standing_orders(web, match_id, seat) == [said]
    shown = Page(client.get(path_of(done)).text)
    assert _sentence(told) in shown.words
    assert {"en": "Order saved.", "fr": "Consigne enregistrée."}[lang] in shown.words


def _sentence(page: Page) -> str:
    """What stands above the button."""
    start = page.text.index('class="does"')
    inside = page.text[page.text.index("</b>", start) + 4 : page.text.index("</p>", start)]
    return Page(f"<p>{inside}</p>").words


@pytest.mark.long
def test_an_order_changed_after_its_description_is_described_again_unsaved(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    other = type_order(web, match_id, seat, "lowest for match", do="save", said="lowest")
    assert other.status_code == 200
    assert value_of_hidden(Page(other.text), "said") == "lowest for match"
    assert type_order(web, match_id, seat, "lowest", said="lowest").status_code == 200, "the other button"
    assert standing_orders(web, match_id, seat) == []


@pytest.mark.long
def test_an_order_that_is_saved_twice_stands_once_and_the_newest_is_first(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    for text in ("lowest", "only", "lowest", "lowest"):
        save_typed_order(web, match_id, seat, text)
    assert standing_orders(web, match_id, seat) == ["lowest", "only"]


@pytest.mark.long
def test_saving_another_order_keeps_the_scope_of_earlier_orders(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    save_typed_order(web, match_id, seat, "only for question")
    before = _body(web, match_id, seat)
    save_typed_order(web, match_id, seat, "lowest")
    assert before.strip("[]") in _body(web, match_id, seat)


def _body(web: Web, match_id: str, seat: int) -> str:
    return next(
        str(row["body"]) for row in web.everything()["orders"] if (row["match_id"], row["seat"]) == (match_id, seat)
    )


def test_an_order_form_that_the_game_does_not_have_is_not_opened(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    for word in ("back", "<script>", ""):
        page = web.client().get(orders_page(web, match_id, seat), query_string={"order": word})
        assert page.status_code == 200
        assert 'class="stack order"' not in page.text


def test_a_script_gets_only_the_orders_description_and_saves_nothing(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    told = post_form(web, match_id, seat, {"form": "card", "v-moves": "play F", "v-scope": "round"}, "/say")
    assert told.status_code == 200
    assert "<main" not in told.text
    assert 'href="#fool"' not in told.text or "<symbol" in told.text
    assert "Old Fool" in told.text or "<b>F</b>" in told.text
    assert standing_orders(web, match_id, seat) == []


# --- what is wrong -----------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "values", "field", "why"),
    [
        ("hagakure", {"form": "card"}, "moves", "Choose at least one."),
        ("hagakure", {"form": "card", "v-moves": ["sing"]}, "moves", "play"),
        ("hagakure", {"form": "lowest", "v-scope": "ever"}, "scope", "That is not possible here."),
        ("hexen-rennen", {"form": "advance", "v-least": "900"}, "least", "That is not possible here."),
        ("hexen-rennen", {"form": "advance", "v-least": "x"}, "least", "A number from 1 to 48."),
        ("hexen-rennen", {"form": "dice", "v-witches": ["0"]}, "witches", "That is not possible here."),
        ("niigata", {"form": "lay", "v-margin": "0"}, "moves", "Choose at least one."),
    ],
)
def test_an_invalid_order_form_says_why_at_the_field_and_saves_nothing(
    web: Web, game: str, values: dict[str, str | list[str]], field: str, why: str
) -> None:
    match_id, seat = begin_match_not_asking(web, game)
    answered = post_form(
        web, match_id, seat, {"version": str(version_of(web, match_id)), "do": "save", "said": "x", **values}
    )
    text = answered.text
    assert answered.status_code == 200
    start = text.index(f'data-input="{field}"')
    beside = text[start : text.index("</fieldset>" if "<fieldset" in text[start - 40 : start] else "</label>", start)]
    assert f'<em data-field="{field}">' in beside
    assert why in Page(text).words
    assert value_of_hidden(Page(text), "said") is None
    assert standing_orders(web, match_id, seat) == []


def test_an_order_refused_by_the_rules_names_the_rule(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    told = post_form(web, match_id, seat, {"form": "nobori", "v-moves": "look E"})
    assert "No one sits" in Page(told.text).words
    assert "/rules/hagakure#2.4" in told.text


@pytest.mark.long
def test_an_unreadable_order_is_shown_again_as_typed_and_escaped(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    told = type_order(web, match_id, seat, '"><script>alert(1)</script>')
    assert told.status_code == 200
    assert "<script>alert" not in told.text
    assert "cannot be read as an order" in Page(told.text).words
    assert "&lt;script&gt;" in told.text


@pytest.mark.long
@pytest.mark.parametrize("do", ["save", "say"])
def test_saving_an_order_at_an_old_version_keeps_what_was_typed(web: Web, do: str) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    version = version_of(web, match_id)
    while seat in who_is_asked(web, match_id) or version_of(web, match_id) == version:
        answer_question(web, match_id, who_is_asked(web, match_id)[0])
    late = type_order(web, match_id, seat, "lowest for match", version, do=do, said="lowest for match")
    page = Page(late.text)
    assert late.status_code == 409
    assert "The match has moved on" in page.words
    assert value_of_hidden(page, "v-text") == "lowest for match"
    assert value_of_hidden(page, "said") == "lowest for match"
    assert value_of_hidden(page, "version") == str(version_of(web, match_id))
    assert standing_orders(web, match_id, seat) == []
    save_typed_order(web, match_id, seat, "lowest for match")
    assert standing_orders(web, match_id, seat) == ["lowest for match"]


@pytest.mark.long
def test_an_order_form_with_any_malformed_version_is_answered_as_stale(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    for version in ("", "x", "-1", "9" * 30, "٣"):
        late = post_form(web, match_id, seat, {"form": "typed", "v-text": NONE, "version": version, "said": NONE})
        assert late.status_code == 409
    assert standing_orders(web, match_id, seat) == []


@pytest.mark.long
def test_orders_beyond_a_seats_limit_are_refused_and_earlier_ones_stand(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    texts = [f"card: play V{number}" for number in range(1, MOST + 2)]
    for text in texts[:-1]:
        save_typed_order(web, match_id, seat, "always " + text)
    refused = type_order(web, match_id, seat, "always " + texts[-1], do="save", said="always " + texts[-1])
    assert refused.status_code == 422
    assert "at most 16 orders" in Page(refused.text).words
    assert len(standing_orders(web, match_id, seat)) == MOST


# --- what follows ------------------------------------------------------------------------------------------


@pytest.mark.long
def test_an_order_for_an_open_question_plays_at_once_and_says_so(web: Web) -> None:
    match_id = web.start(game="hagakure")
    (seat,) = who_is_asked(web, match_id)
    version = version_of(web, match_id)
    done = type_order(web, match_id, seat, NONE, do="save", said=NONE)
    assert version_of(web, match_id) > version
    assert who_is_asked(web, match_id) != [seat]
    assert "your order has answered it" in Page(web.client().get(path_of(done)).text).words


def test_orders_can_always_be_stopped_one_by_one_or_all_at_once(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    for text in ("lowest", "only", NONE):
        save_typed_order(web, match_id, seat, text)
    stopped = post_form(web, match_id, seat, {"order": "only"}, "/stop")
    assert standing_orders(web, match_id, seat) == [NONE, "lowest"]
    assert "Order stopped." in Page(web.client().get(path_of(stopped)).text).words
    post_form(web, match_id, seat, {"order": "only"}, "/stop")
    assert standing_orders(web, match_id, seat) == [NONE, "lowest"]
    everything = post_form(web, match_id, seat, {"all": "1"}, "/stop")
    assert standing_orders(web, match_id, seat) == []
    assert post_form(web, match_id, seat, {"all": "1"}, "/stop").status_code == 303
    page = Page(web.client().get(path_of(everything)).text)
    assert "All your orders are stopped." in page.words
    assert "Stop all orders" not in page.words
    assert not web.everything()["orders"]


@pytest.mark.long
def test_the_button_to_stop_all_orders_stands_first_on_the_page(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    save_typed_order(web, match_id, seat, "lowest")
    said = Page(web.client().get(orders_page(web, match_id, seat)).text).words
    assert said.index("Stop all orders") < said.index("plays your lowest card") < said.index("Type an order")


def test_the_page_of_orders_opens_by_the_link_of_the_seat_alone(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    path = web.link("play", match_id, seat)
    assert path in Page(web.client().get(f"{path}/orders").text).hrefs()
    assert web.client().get(f"{path[:-3]}/orders").status_code == 401
    assert web.client().post(f"{path[:-3]}/orders/stop", data={"all": "1"}).status_code == 401


def test_orders_are_refused_before_and_after_the_match(web: Web) -> None:
    waiting = web.create()
    web.confirm(waiting)
    assert post_form(web, waiting, 0, {"form": "typed", "v-text": NONE}).status_code == 409
    assert web.client().get(orders_page(web, waiting, 0)).status_code == 409
    over = web.start()
    play_out(web.site, over)
    assert "No order can answer anything" in web.client().get(orders_page(web, over, 0)).text
    late = type_order(web, over, 0, "always ally: ally F1", do="save", said="always ally: ally F1")
    assert late.status_code == 409


# --- what orders have done ---------------------------------------------------------------------------------


def match_with_following_seat(web: Web, *orders: str) -> tuple[str, int]:
    """A match in which the seat behind the first has these orders, and is asked for a card after they had to answer."""
    match_id = web.start(game="hagakure")
    seat = (who_is_asked(web, match_id)[0] + 1) % 3
    for text in orders:
        save_typed_order(web, match_id, seat, text)
    while read_view(web.site, match_id, None).sheet.asks[0].kind != "card" or who_is_asked(web, match_id) != [seat]:
        answer_question(web, match_id, who_is_asked(web, match_id)[0])
        timeouts.let_orders_answer(web.site, web.site.now())
    return match_id, seat


@pytest.mark.long
@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_orders_page_says_what_orders_answered_until_marked_as_read(web: Web, lang: str) -> None:
    match_id, seat = match_with_following_seat(web, NONE)
    client, path = web.client(), orders_page(web, match_id, seat)
    page = Page(client.get(f"{path}?lang={lang}").text)
    heading = {"en": "Your orders have answered 1 question", "fr": "Vos consignes ont répondu à 1 question"}[lang]
    assert heading in page.words
    assert {"en": "no banner", "fr": "pas de bannière"}[lang] in page.text[page.text.index('class="notice ordered"') :]
    read = client.post(f"{path}/read", data={"version": value_of_hidden(page, "version") or ""})
    assert path_of(read) == path
    assert heading not in Page(client.get(path).text).words


def test_the_orders_page_says_why_an_order_left_a_question_to_its_owner(web: Web) -> None:
    match_id, seat = match_with_following_seat(web, NONE, "card: play V1, play V2")
    page = Page(web.client().get(orders_page(web, match_id, seat)).text)
    assert "Your orders have answered 1 question · 1 question left to you" in page.words
    assert "is not in your hand" in page.words


def test_news_of_orders_newer_than_the_version_read_stays_unread(web: Web) -> None:
    match_id, seat = match_with_following_seat(web, NONE)
    post_form(web, match_id, seat, {"version": "1"}, "/read")
    assert "Your orders have answered" in web.client().get(orders_page(web, match_id, seat)).text
    assert post_form(web, match_id, seat, {"version": "x"}, "/read").status_code == 303


@pytest.mark.long
def test_only_a_seats_owner_reads_what_its_orders_answered(web: Web) -> None:
    match_id, seat = match_with_following_seat(web, NONE)
    before = {other: receive_page(web, match_id, other) for other in (0, 1, 2, None) if other != seat}
    assert not any(b"Your orders" in page for page, _, _ in before.values())
    post_form(web, match_id, seat, {"version": str(version_of(web, match_id))}, "/read")
    post_form(web, match_id, seat, {"all": "1"}, "/stop")
    assert {other: receive_page(web, match_id, other) for other in before} == before


def test_a_mails_link_stops_all_orders_by_a_button_and_does_nothing_else(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    save_typed_order(web, match_id, seat, "lowest for match")
    token = web.site.tokens.sign(OrdersClaim(match_id, seat, 0))
    page = Page(web.client().get(f"/stop-orders/{token}").text)
    assert standing_orders(web, match_id, seat) == ["lowest for match"], "looking changes nothing"
    assert web.link("play", match_id, seat) not in page.text
    assert "Stop all orders" in page.words
    done = web.client().post(f"/stop-orders/{token}")
    assert standing_orders(web, match_id, seat) == []
    assert "No order of yours stands in this match." in Page(web.client().get(path_of(done)).text).words
    assert web.client().post(f"/stop-orders/{token}").status_code == 303
    for purpose in ("play", "mute", "invitation"):
        other = web.link(purpose, match_id, seat).split("/")[-1]
        assert web.client().post(f"/stop-orders/{other}").status_code == 401
    assert web.client().get(f"/play/{token}").status_code == 401
    assert web.client().get(f"/mute/{token}").status_code == 401


# --- secrecy -----------------------------------------------------------------------------------------------


def receive_page(web: Web, match_id: str, seat: int | None) -> tuple[bytes, str, str]:
    """The page of a viewer, its headers, and the answer to who asks for it with that tag."""
    path = f"/match/{match_id}" if seat is None else web.link("play", match_id, seat)
    page = web.client().get(path)
    again = web.client().get(path, headers={"If-None-Match": page.headers["ETag"]})
    headers = [(name, value) for name, value in page.headers if name != "X-Request-ID"]
    return same_each_time(page.data), repr(headers), again.status


@pytest.mark.long
def test_saving_orders_changes_only_the_owners_own_page(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    viewers = [other for other in (0, 1, 2, None) if other != seat]
    before = {viewer: receive_page(web, match_id, viewer) for viewer in (*viewers, seat)}
    own = web.client().get(web.link("play", match_id, seat)).headers["ETag"]
    for text in ("lowest for match", NONE):
        save_typed_order(web, match_id, seat, text)
        assert {viewer: receive_page(web, match_id, viewer) for viewer in viewers} == {v: before[v] for v in viewers}
        fresh = web.client().get(web.link("play", match_id, seat), headers={"If-None-Match": own})
        assert fresh.status_code == 200
        assert fresh.headers["ETag"] != own
        own = fresh.headers["ETag"]
    post_form(web, match_id, seat, {"all": "1"}, "/stop")
    assert receive_page(web, match_id, seat) == before[seat]


@pytest.mark.long
def test_only_a_seats_renewed_link_shows_its_orders(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    save_typed_order(web, match_id, seat, "lowest for match")
    old = web.link("play", match_id, seat)
    assert web.client().post(f"{old}/renew").status_code == 200
    assert "plays your lowest card" in web.client().get(f"{web.link('play', match_id, seat, epoch=1)}/orders").text
    assert web.client().get(f"{old}/orders").status_code == 401


@pytest.mark.long
def test_a_player_who_resigns_has_no_orders_any_more(web: Web) -> None:
    match_id, seat = begin_match_not_asking(web, "hagakure")
    save_typed_order(web, match_id, seat, "lowest for match")
    presence.resign(web.site, claim_of(web.site, match_id, seat))
    assert not web.everything()["orders"]
    assert "Your orders" not in web.client().get(orders_page(web, match_id, seat)).text
