"""Webhook payloads: a program gets what its player may see; a chat gets what the whole table may know, in words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from pbem.features import safe_http
from pbem.features.safe_http import Answer
from pbem.features.webhooks import chats, cursors, payloads, registry, subjects
from pbem.features.webhooks.chats import MOST_LETTERS, Message
from pbem.features.webhooks.tables import Delivery, Webhook
from pbem.kit.codec import plain
from pbem.models.tables import Match, SeatRow
from pbem.services.lobby import match_request, matches
from pbem.services.play import presence
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.features.webhooks.hook_receiver import Receiver, run_receiver
from tests.features.webhooks.hooked import add_webhook_of, all_deliveries, make_due_calls
from tests.services.letterbox import id_of
from tests.table import House, address_of, claim_of

pytestmark = pytest.mark.usefixtures("no_lookups")

DISCORD, SLACK = "https://discord.com/api/webhooks/1/secret", "https://hooks.slack.com/services/T/B/secret"


@pytest.fixture
def home(make_house: Callable[..., House]) -> House:
    """A house that calls this machine."""
    return make_house(webhooks_private=True)


@pytest.fixture
def there() -> Iterator[Receiver]:
    """A server that receives webhook calls."""
    with run_receiver() as here:
        yield here


@pytest.fixture
def calls_made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any, dict[str, str]]]:
    """Returns everything that would be posted to chats."""
    made: list[tuple[str, Any, dict[str, str]]] = []

    def call(url: str, body: bytes, headers: dict[str, str], **_: object) -> Answer:
        made.append((url, msgspec.json.decode(body), headers))
        return Answer(status=200)

    monkeypatch.setattr(safe_http, "post_safely", call)
    return made


def add_chat_webhook(
    house: House, name: str, url: str, preset: str, kinds: tuple[str, ...] = subjects.KINDS, **more: Any
) -> int:
    made, secret = registry.add_webhook(house.site, id_of(house, name), url, kinds, preset, **more)
    assert secret is None, "of a chat the address is the secret"
    return made.id


@pytest.mark.long
def test_a_payload_has_only_its_own_seats_view_of_each_entry(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    with run_receiver() as bobs, run_receiver() as hosts:
        add_webhook_of(home, "Bob", bobs, ("moved",))
        add_webhook_of(home, None, hosts, ("moved",))
        for _ in range(5):
            home.play(match_id, home.asks(match_id)[0].seat)
            make_due_calls(home)
            for seat, to in ((0, there), (1, bobs), (None, hosts)):
                told = to.bodies()[-1]["data"]
                _, seen = match_views.read_events(home.site, match_id, seat, told["after"])
                assert (told["seat"], told["events"]) == (seat, plain(seen.entries))
                assert (told["version"], told["base"], told["head"]) == (seen.entries[-1].n, seen.base, seen.head)
        for to in (there, bobs, hosts):
            afters = [(body["data"]["after"], body["data"]["version"]) for body in to.bodies()]
            assert all(before[1] == after[0] for before, after in itertools.pairwise(afters)), "no gap, no overlap"
        hidden = [body["data"]["events"] for body in hosts.bodies()][:1]
        assert '"card": None' in repr(hidden).replace("'", '"'), "a spectator is not told who chose which ally"


def test_a_payload_cuts_only_a_story_that_is_too_long_and_says_so(
    home: House, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    for missing in (0, 1):
        version = match_views.read_sheet(home.site, match_id, 0).version
        home.play(match_id, home.asks(match_id)[0].seat)
        length = match_views.read_sheet(home.site, match_id, 0).version - version
        monkeypatch.setattr(payloads, "MOST_EVENTS", length - missing)
        make_due_calls(home)
        data = there.bodies()[-1]["data"]
        assert (data["after"], data["version"], data["more"]) == (version, version + length, bool(missing))
        assert [entry["n"] for entry in data["events"]] == [version + 1 + n for n in range(length - missing)]


def test_a_replaced_players_webhook_gets_nothing_more_of_the_match(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there, ("moved",))
    home.play(match_id, 1)
    cursors.queue_calls_for_new_events(home.site)
    with home.site.writing() as session:
        seat = session.get_one(SeatRow, (match_id, 0))
        seat.player_id = id_of(home, "Bob")
        session.add(seat)
    home.play(match_id, 2)
    make_due_calls(home)
    assert there.got == []
    assert [row.result for row in all_deliveries(home)] == ["stale"]


@pytest.mark.on_postgresql
def test_the_hosts_webhook_stops_hearing_of_a_table_turned_private(home: House, there: Receiver) -> None:
    add_webhook_of(home, None, there)
    match_id = home.begin()
    cursors.queue_calls_for_new_events(home.site)
    with home.site.writing() as session:
        match = session.get_one(Match, match_id)
        match.spectators = False
        session.add(match)
    make_due_calls(home)
    assert there.got == []


@pytest.mark.long
def test_a_queued_calls_row_has_ids_only_and_no_content(home: House, there: Receiver) -> None:
    match_id = home.begin()
    add_webhook_of(home, "Alice", there)
    home.play(match_id, 1)
    make_due_calls(home)
    known = repr([row.model_dump() for row in all_deliveries(home)])
    assert "Alice" not in known
    assert there.url() not in known
    assert set(Delivery.model_fields) & {"body", "text", "url", "secret"} == set()
    assert "secret" not in Webhook.model_fields


# --- chats ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_chat_message_says_only_what_everybody_at_the_table_may_know(home: House, calls_made: list[Any]) -> None:
    match_id = home.begin()
    add_chat_webhook(home, "Alice", DISCORD, "discord", language="en")
    add_chat_webhook(home, "Bob", SLACK, "slack", language="fr")
    home.play_out(match_id)
    make_due_calls(home)
    page = home.site.url(f"/match/{match_id}")
    discord = [body for url, body, _ in calls_made if url == DISCORD]
    slack = [body for url, body, _ in calls_made if url == SLACK]
    assert {tuple(body) for body in discord} == {("allowed_mentions", "content")}
    assert {tuple(body) for body in slack} == {("text",)}
    assert all(body["allowed_mentions"] == {"parse": []} for body in discord)
    assert all(body["content"].endswith(f"\n{page}") for body in discord)
    assert all(body["text"].endswith(f"\n{page}") for body in slack)
    assert all("webhook-signature" not in headers for _, _, headers in calls_made)
    said = " ".join(body["content"] for body in discord) + " ".join(body["text"] for body in slack)
    assert "/play/" not in said
    for seat in range(3):
        assert home.token("play", match_id, seat) not in said
    assert "the match is over" in discord[-1]["content"]


def test_payloads_and_chats_name_the_winner_of_a_match_ended_by_resigning(
    home: House, there: Receiver, calls_made: list[Any]
) -> None:
    match_id = home.begin()
    add_chat_webhook(home, "Alice", DISCORD, "discord", language="en")
    add_chat_webhook(home, "Bob", SLACK, "slack", language="fr")
    registry.add_webhook(home.site, id_of(home, "Carol"), "http://127.0.0.1:1/", ("over",), "standard")
    for seat in (0, 2):
        presence.resign(home.site, claim_of(home.site, match_id, seat))
    make_due_calls(home)
    last = {url: body for url, body, _ in calls_made}
    assert "Bob wins: everybody else has resigned." in last[DISCORD]["content"].replace("\\", "")
    assert "Bob gagne\u00a0: tous les autres ont abandonné." in last[SLACK]["text"]
    (program,) = [body for url, body, _ in calls_made if url not in (DISCORD, SLACK)]
    assert program["data"]["outcome"] == {"reason": "last_seat", "winners": [1], "scores": None}


@pytest.mark.long
def test_two_players_chats_of_one_match_get_the_same_messages(home: House, calls_made: list[Any]) -> None:
    match_id = home.begin()
    for name in ("Alice", "Bob"):
        add_chat_webhook(home, name, f"{DISCORD}/{name}", "discord", ("moved",), language="en")
    for _ in range(8):
        home.play(match_id, home.asks(match_id)[0].seat)
        make_due_calls(home)
    told = {name: [body for url, body, _ in calls_made if url.endswith(name)] for name in ("Alice", "Bob")}
    assert told["Alice"] == told["Bob"]
    assert told["Alice"]


def test_a_chat_names_a_player_in_turn_once_for_consecutive_questions(home: House, calls_made: list[Any]) -> None:
    match_id = home.begin()
    add_chat_webhook(home, "Alice", DISCORD, "discord", ("your_turn",), language="en")
    while [ask.seat for ask in home.asks(match_id)] != [0]:
        home.play(match_id, home.asks(match_id)[0].seat)
    make_due_calls(home)
    ((_, said, _),) = calls_made
    assert said["content"].splitlines()[0] == "Hogen with Alice, Bob and Carol: Alice is up."


def test_a_ping_says_in_the_chat_s_language_that_it_works(home: House, calls_made: list[Any]) -> None:
    home.begin()
    player = id_of(home, "Alice")
    registry.send_test_call(home.site, player, add_chat_webhook(home, "Alice", DISCORD, "discord", language="en"))
    make_due_calls(home)
    assert [body["content"] for _, body, _ in calls_made] == ["pbem can write here."]


HOSTILE = ("**x** _y_ `z`", "~~x~~ ||y||", "[x](y)", "#x -y *z", "&lt;!channel&gt;")


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_a_players_name_cannot_become_markup_in_a_chat(home: House, calls_made: list[Any], name: str) -> None:
    people = [
        match_request.Invitee(name, address_of("Alice")),
        *(match_request.Invitee(n, address_of(n)) for n in ("Bob", "Carol")),
    ]
    match_id = matches.create_match(home.site, STRANGER, match_request.NewMatch("hogen", people))
    matches.confirm_match(home.site, home.claim("confirm", match_id, 0), "en", "Europe/Paris")
    add_chat_webhook(home, "Alice", DISCORD, "discord", ("moved",), language="en")
    add_chat_webhook(home, "Alice", SLACK, "slack", ("moved",), language="en")
    for seat in (1, 2):
        matches.accept_invitation(
            home.site,
            home.claim("invitation", match_id, seat),
            "en",
            "Europe/London",
        )
    make_due_calls(home)
    said = {url: body.get("content") or body["text"] for url, body, _ in calls_made}
    discord = said[DISCORD].rpartition("\n")[0]
    assert not re.search(r"(?<!\\)[*_`~|\[\]<>#@]", discord), discord
    assert re.sub(r"\\(.)", r"\1", discord).count(name) >= 1
    assert name.replace("&", "&amp;") in said[SLACK]


def test_a_message_is_never_longer_than_a_chat_takes_and_keeps_its_link() -> None:
    link = "https://pbem.example/match/m0"
    for form in chats.FORMS.values():
        for line in ("x" * 5000, "*" * 5000, "&" * 5000, "<" * 1991):
            body = form(Message("head", (line,), link))
            (said,) = [value for value in body.values() if isinstance(value, str)]
            assert len(said) <= MOST_LETTERS
            assert said.endswith(f"…\n{link}")
            assert (
                not re.search(r"&(?!amp;|lt;|gt;)", said.removesuffix(f"…\n{link}"))
                or form is chats.message_for_discord
            )
            assert not re.search(r"(?<!\\)(\\\\)*\\…", said), "no letter is left half escaped"
