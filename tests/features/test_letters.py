"""A feature writes mails of its own, with a template of its own, while it is on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from pbem.models.tables import OutboxRow
from pbem.services.log import outbox
from tests.features.installed import install_feed, remove_package
from tests.services.letterbox import id_of, text_of
from tests.table import House, address_of

NEWS = """
from __future__ import annotations
from dataclasses import dataclass
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class News(Letter):
    list_name = "feed"
    said: str


def build(context) -> News | str:
    return News(**context.envelope(), said=context.row.key)


KIND = Kind(News, build)
"""
TEMPLATE = """
{% extends layout %}
{% block subject %}News of {{ letter.said }}{% endblock %}
{% block last_line %}pbem, news.{% endblock %}
{% block rows %}{% call row() %}{{ line(letter.said) }}{% endcall %}{% endblock %}
"""


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The feature `feed`, which sends mails of the kind `news`; its folder."""
    files = {"letters/__init__.py": "", "letters/news.py": NEWS, "templates/mail/news.jinja": TEMPLATE}
    with install_feed(tmp_path, monkeypatch, files) as folder:
        yield folder


def queue_news_for_bob(house: House, *on: str) -> None:
    """Queues news for Bob, the only mail that he has yet to get, while these features are on."""
    object.__setattr__(house.site.config, "features", on)
    house.begin()
    house.drain()
    house.mail.clear()
    with house.site.writing() as work:
        outbox.enqueue(work, "news:1", "news", house.site.now(), player_id=id_of(house, "Bob"), key="spring")


def result_of_news(house: House) -> str | None:
    """Returns what became of the news once all mails have left."""
    house.drain()
    with house.site.reading() as session:
        return session.exec(select(OutboxRow.result).where(col(OutboxRow.kind) == "news")).one()


def test_a_feature_sends_a_mail_of_its_own(feed: Path, house: House) -> None:
    queue_news_for_bob(house, "feed")
    assert result_of_news(house) == "sent"
    (mail,) = house.mail.to(address_of("Bob"))
    assert mail["Subject"] == "News of spring"
    assert mail["List-Id"] == "<feed.localhost>"
    assert mail["Message-ID"].startswith("<news-")
    assert "spring" in text_of(mail)


def test_a_mail_of_a_feature_that_is_off_does_not_leave(feed: Path, house: House) -> None:
    queue_news_for_bob(house)
    assert result_of_news(house) == "stale"
    assert house.mail.to(address_of("Bob")) == []


def test_a_mail_of_a_feature_that_is_gone_does_not_leave(feed: Path, house: House) -> None:
    queue_news_for_bob(house, "feed")
    remove_package(feed)
    assert result_of_news(house) == "stale"
    assert house.mail.to(address_of("Bob")) == []
