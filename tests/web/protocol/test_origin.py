"""The only thing that other sites may post here is a mail program's one-click unsubscribe."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.harness.cases import cases
from tests.web.cast import Page, Web

OURS = {"Sec-Fetch-Site": "same-origin", "Origin": "null"}
FORGED = (
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "https://evil.localhost"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
    {"Origin": "https://evil.example"},
    {"Origin": "https://localhost.evil.example"},
    {"Origin": "http://localhost:8001"},
)
UNSIGNED = ({"Origin": "null"},)
"""What a browser without Sec-Fetch-Site sends from our own pages, and from an evil one without a referrer."""

# Every POST outside the API, and its protection. A new one must be listed here.
SESSION = {
    "preferences.change_preferences", "account.sign_out_everywhere", "preferences.set_quiet_hours",
    "preferences.announce_holiday", "preferences.cancel_holiday",
    "preferences.create_token", "preferences.revoke_token",
    "webhooks.make", "webhooks.ping", "webhooks.enable", "webhooks.redeliver", "webhooks.rotate", "webhooks.delete",
    "organising.make", "organising.open_season", "organising.end", "organising.invite", "organising.enter_bots",
    "entry.withdraw", "preferences.set_visibility", "circles.make", "circles.act",
    "privacy.ask_address_change", "privacy.cancel_address_change", "privacy.erase_player", "records.publish",
    "records.withdraw",
}  # fmt: skip
"""It acts for a signed-in player: its form carries the session's token."""
SIGNED_OR_NOT = {"start.create_match", "vacancies.ask_for_seat", "entry.enter", "joining.join"}
"""The same for a signed-in player; anybody else enters an address, and gets a mail there."""
BEGINS = {"start.play_now"}
"""A SameSite=Lax cookie says who plays, so no other site's POST has it; a page that was shown to a stranger has no
token for the session that began since."""
SIGN_IN = {"account.open_session"}
"""It opens a session, so that the cookie's protection does not exist yet."""
LINK = {
    "entry.confirm",
    "acts.mark_news_seen", "play.play_move", "acts.send_new_link", "plan.change", "acts.back", "acts.resign",
    "acts.vote",
    "acts.send_message", "acts.save_note", "lobby.confirm", "lobby.answer_invitation", "lobby.invite_another",
    "lobby.remind_invited", "lobby.withdraw",
    "lobby.open_seat", "lobby.give_seat_to_bot", "lobby.rematch", "vacancies.accept", "account.send_links_to_seat",
    "push.subscribe",
    "push.note_opened", "acts.save_order", "acts.tell_order", "acts.stop_typed_order", "acts.put_away_order_news",
    "acts.stop_all_orders", "acts.take_back", "acts.consent", "acts.withdraw", "acts.tell",
    "acts.set_stand_in", "circles.act_by_link",
}  # fmt: skip
"""The token in its address is the secret: no other site knows it."""
ONE_CLICK = {
    "account.mute", "account.mute_all_matches", "account.stop_emails", "privacy.answer_for_mailbox", "circles.mails",
    "entry.decline",
    "entry.set_weekly",
}  # fmt: skip
"""As LINK; and a mail program posts there by itself (RFC 8058), so its one click comes from anywhere."""
STARTED_HERE = {"start.send_mail_again"}
"""A SameSite=Lax cookie names the match, so no other site's POST has it; it opens nothing, and sends one mail again."""
OPEN = {
    "account.send_links", "account.sign_up", "push.stop", "replay_pictures.ask", "uploads.open_file",
    "theme.choose", "analysis.ask",
    "inbox.answer", "inbox.incoming",  # on this machine alone
    "inbox.take",  # by its own secret
}  # fmt: skip
"""Anybody may do it, and nothing of a session is in it; other sites are kept from doing it in a reader's name."""


def endpoints_of_posts(web: Web) -> dict[str, str]:
    """Returns the endpoint of every route outside the API that changes something."""
    return {
        re.sub(r"<int:\w+>", "1", rule.rule).replace("<token>", "t.1.2.3"): rule.endpoint
        for rule in web.app.url_map.iter_rules()
        if (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"} and not rule.rule.startswith("/api/")
    }


def paths_of_endpoints(web: Web, group: set[str]) -> list[str]:
    """The routes of these endpoints."""
    return [path for path, endpoint in endpoints_of_posts(web).items() if endpoint in group]


def post_from_origin(client: FlaskClient, path: str, headers: dict[str, str], **form: str) -> Any:
    return client.post(path, data=form, headers=headers)


def test_every_post_route_declares_its_protection_against_cross_site_forms(web: Web) -> None:
    declared = [SESSION, SIGNED_OR_NOT, BEGINS, SIGN_IN, LINK, ONE_CLICK, STARTED_HERE, OPEN]
    assert sorted(set(endpoints_of_posts(web).values())) == sorted(name for group in declared for name in group)


@pytest.mark.long
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["in turn", "every"])
def test_a_post_from_another_site_is_refused_on_every_page(web: Web, every: bool) -> None:
    """Pages take the headers in turn where not every page gets all of them."""
    ours: tuple[dict[str, str], ...] = ({"Sec-Fetch-Site": "none"}, {"Origin": "http://localhost"}, {}, OURS)
    for n, (path, endpoint) in enumerate(endpoints_of_posts(web).items()):
        for headers in FORGED if every else (FORGED[n % len(FORGED)],):
            refused = post_from_origin(web.client(), path, headers)
            assert refused.status_code == 403, (endpoint, headers)
            assert "another site" in Page(refused.text).words
        # A script or a mail program: no browser, no cookie.
        for headers in ours if every else (ours[n % len(ours)],):
            assert post_from_origin(web.client(), path, headers).status_code != 403, (endpoint, headers)


def test_without_sec_fetch_site_only_opening_a_session_needs_the_origin(web: Web) -> None:
    refused = {
        endpoint for path, endpoint in endpoints_of_posts(web).items() for headers in UNSIGNED
        if post_from_origin(web.client(), path, headers).status_code == 403
    }  # fmt: skip
    assert refused == SIGN_IN


@pytest.mark.long
def test_only_a_mail_programs_one_click_unsubscribe_may_come_from_anywhere(web: Web) -> None:
    for path in paths_of_endpoints(web, ONE_CLICK):
        for headers in (*FORGED, *UNSIGNED, {}):
            answer = post_from_origin(web.client(), path, headers, **{"List-Unsubscribe": "One-Click"})
            assert answer.status_code == 401, "the token is looked at, not where the click comes from"
    for path in set(endpoints_of_posts(web)) - set(paths_of_endpoints(web, ONE_CLICK)):
        refused = post_from_origin(web.client(), path, FORGED[0], **{"List-Unsubscribe": "One-Click"})
        assert refused.status_code == 403, path


@pytest.mark.long
def test_one_click_mutes_from_another_site_without_a_cookie(web: Web, hogen: str) -> None:
    path = web.link("mute", hogen, 1)
    done = post_from_origin(web.client(), path, FORGED[0], **{"List-Unsubscribe": "One-Click"})
    assert (done.status_code, done.text) == (200, "ok")
    assert "Set-Cookie" not in done.headers
    assert post_from_origin(web.client(), path, FORGED[0], muted="0").status_code == 403


def path_of_account_link(web: Web, player: int) -> str:
    return f"/account/{web.site.tokens.for_account(player, 0, web.site.now())}"


@pytest.mark.long
@cases("headers", [*FORGED, *UNSIGNED])
def test_a_sign_in_posted_from_another_site_is_refused(web: Web, hogen: str, headers: dict[str, str]) -> None:
    reader = web.client()
    refused = post_from_origin(reader, path_of_account_link(web, 2), headers)
    assert refused.status_code == 403
    assert "Set-Cookie" not in refused.headers
    assert reader.get("/me").status_code == 401


@pytest.mark.long
@pytest.mark.parametrize("headers", [*FORGED, *UNSIGNED])
def test_another_site_cannot_switch_a_signed_in_reader_to_another_player(
    web: Web, hogen: str, headers: dict[str, str]
) -> None:
    reader = web.client()
    assert post_from_origin(reader, path_of_account_link(web, 1), OURS).status_code == 303
    assert post_from_origin(reader, path_of_account_link(web, 2), headers).status_code == 403
    assert "alice@example.org" in reader.get("/me").text


@pytest.mark.long
@pytest.mark.parametrize(
    "headers",
    [OURS, {"Origin": "http://localhost"}, {"Origin": "https://localhost"}, {"Origin": "http://127.0.0.1:8000"}],
)
def test_the_button_of_the_mailed_link_signs_in(web: Web, hogen: str, headers: dict[str, str]) -> None:
    reader = web.client()
    asked = reader.get(path_of_account_link(web, 1))
    assert asked.headers["Referrer-Policy"] == "strict-origin", "so that any browser's form says where it comes from"
    assert post_from_origin(reader, path_of_account_link(web, 1), headers).status_code == 303
    assert "alice@example.org" in reader.get("/me").text


@pytest.mark.long
def test_a_form_of_the_session_needs_its_token_even_from_our_own_pages(web: Web, hogen: str) -> None:
    reader = web.client()
    post_from_origin(reader, path_of_account_link(web, 1), OURS)
    for path in paths_of_endpoints(web, SESSION):
        assert post_from_origin(reader, path, OURS).status_code == 400, path
    assert post_from_origin(reader, "/new", OURS).status_code == 400
