"""While circles are off, no page names them and none of their mails leaves; what they store is erased all the same."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import col, select

from pbem import create_app
from pbem.features.circles import founding, joining
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.tables import CircleMember
from pbem.features.leagues import weekly
from pbem.limits import JOINS_PER_HOUR
from pbem.models.tables import Player
from pbem.services.privacy import erasure
from pbem.services.site import Site
from tests.features.circles.people import circle_of, member_claim, rows_queued, verify_address
from tests.features.circles.tables import FIRST
from tests.services.letterbox import kinds_of_mails
from tests.table import House, address_of
from tests.web.cast import Page, Web, sign_in


def id_in(web: Web, name: str) -> int:
    """Returns the id of one of the cast."""
    with web.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(name))).one()
        assert player.id is not None
        return player.id


def switch(site: Site, *on: str) -> None:
    """Leaves only these features on, as after a restart."""
    object.__setattr__(site.config, "features", on)


@pytest.mark.parametrize("on", [True, False])
def test_the_pages_of_a_player_name_circles_only_while_they_are_on(make_web: Callable[..., Web], on: bool) -> None:
    web = make_web(**({} if on else {"features": ()}))
    web.start()
    founding.found_circle(web.site, id_in(web, "Bob"), "Les Lacs", "Bob")
    bob = sign_in(web, "Bob")
    for path in ("/", "/me", "/new?game=hogen&others=friends"):
        assert any(href.startswith("/circle") for href in Page(bob.get(path).text).hrefs()) == on, path
    assert ("<h2>Circles</h2>" in bob.get("/help").text) == on


def test_with_circles_off_a_queued_circle_mail_is_not_sent(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    joining.invite_address(house.site, member_claim(house, circle_id, "Bob"), "Charlie", address_of("Charlie"), "en")
    switch(house.site)
    house.drain()
    assert kinds_of_mails(house, "Charlie") == []
    assert [row.result for row in rows_queued(house, "circle")] == ["stale"]


def test_with_circles_off_one_click_unsubscribe_still_works(web: Web) -> None:
    web.start()
    circle_id = founding.found_circle(web.site, id_in(web, "Bob"), "Les Lacs", "Bob")
    with web.site.reading() as session:
        member = session.exec(select(CircleMember).where(CircleMember.circle_id == circle_id)).one()
    token = web.site.tokens.sign(MemberClaim(member.id or 0, member.epoch))
    switch(web.site)
    off = create_app(site=web.site).test_client()
    assert off.post(f"/circle/member/{token}/mails", data={"muted": "1"}).status_code == 410
    click = off.post(f"/circle/member/{token}/mails", data={"List-Unsubscribe": "One-Click"})
    assert (click.status_code, click.text) == (200, "ok")
    with web.site.reading() as session:
        assert session.get_one(CircleMember, member.id).muted


def test_with_circles_off_their_members_get_no_weekly_mail(house: House) -> None:
    circle_of(house, "Alice", "Bob")
    house.clock.at = FIRST + timedelta(hours=16)
    switch(house.site)
    assert weekly.queue_weekly_mails(house.site) == 0
    switch(house.site, "circles")
    assert weekly.queue_weekly_mails(house.site) == 2


def test_erasing_a_player_removes_them_from_circles_even_if_off(house: House) -> None:
    circle_of(house, "Alice", "Bob")
    switch(house.site)
    erasure.erase_player(house.site, verify_address(house, "Bob"))
    with house.site.reading() as session:
        rows = session.exec(select(CircleMember).order_by(col(CircleMember.id))).all()
    assert [(row.name, row.status, row.player_id is None) for row in rows] == [
        ("Alice", "member", False), ("", "left", True),
    ]  # fmt: skip


def test_joining_a_circle_by_link_has_the_rate_limit_of_other_joins(make_web: Callable[..., Web]) -> None:
    web = make_web(mode="production")
    path = "/circle/join/c0ffee.0.x"
    for _ in range(JOINS_PER_HOUR):
        assert web.client().post(path).status_code == 401
    assert web.client().post(path).status_code == 429
