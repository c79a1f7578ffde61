"""A feature writes mails of its own, with templates of its own, while it is on."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from pbem import discovery
from pbem.mail import kinds, words
from pbem.models.tables import OutboxRow
from pbem.services.log import outbox
from pbem.services.mail.kinds import builder_of
from pbem.services.players.bounces import proofs
from tests.services.letterbox import id_of, text_of
from tests.table import House, address_of

NEWS = """
from __future__ import annotations
from dataclasses import dataclass
from pbem.mail.letters import Kind, Letter


@dataclass(frozen=True, kw_only=True)
class News(Letter):
    kind = "news"
    list_name = "feed"
    said: str


def build(context) -> News | str:
    return News(**context.envelope(), said=context.row.key)


KIND = Kind(News)
"""
TEXTS = {
    "subject.txt": "News of {{ letter.said }}",
    "last_line.txt": "pbem, news.",
    "body.txt": '{% extends "layout.txt" %}{% block body %}{{ letter.said }}{% endblock %}',
    "body.html": '{% extends "layout.html" %}{% block rows %}{{ letter.said }}{% endblock %}',
}
CACHED = (
    discovery.features, discovery.part, discovery.folder, discovery.room, kinds.all_kinds, builder_of, proofs,
    words.find_template, words.environment,
)  # fmt: skip


@pytest.fixture
def feed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package `pbem_feed` with the feature `feed`, which sends mails of the kind `news`."""
    letters, texts = tmp_path / "pbem_feed" / "letters", tmp_path / "pbem_feed" / "templates" / "mail" / "news"
    letters.mkdir(parents=True)
    texts.mkdir(parents=True)
    for name, text in (("../__init__.py", ""), ("__init__.py", ""), ("news.py", NEWS)):
        (letters / name).write_text(text)
    for name, text in TEXTS.items():
        (texts / name).write_text(text)
    info = tmp_path / "pbem_feed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pbem-feed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pbem.features]\nfeed = pbem_feed\n")
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield
    forget()
    for name in [name for name in sys.modules if name.partition(".")[0] == "pbem_feed"]:
        del sys.modules[name]


def forget() -> None:
    """Looks for features again."""
    for each in CACHED:
        each.cache_clear()


def queue(house: House, *on: str) -> None:
    """Queues news for Bob, the only mail that he has yet to get, while these features are on."""
    object.__setattr__(house.site.config, "features", on)
    house.begin()
    house.drain()
    house.mail.clear()
    with house.site.writing() as work:
        outbox.enqueue(work, "news:1", "news", house.site.now(), player_id=id_of(house, "Bob"), key="spring")


def result(house: House) -> str | None:
    """Returns what became of the news once all mails have left."""
    house.drain()
    with house.site.reading() as session:
        return session.exec(select(OutboxRow.result).where(col(OutboxRow.kind) == "news")).one()


def test_a_feature_sends_a_mail_of_its_own(feed: None, house: House) -> None:
    queue(house, "feed")
    assert result(house) == "sent"
    (mail,) = house.mail.to(address_of("Bob"))
    assert mail["Subject"] == "News of spring"
    assert mail["List-Id"] == "<feed.localhost>"
    assert mail["Message-ID"].startswith("<news-")
    assert "spring" in text_of(mail)


def test_a_mail_of_a_feature_that_is_off_does_not_leave(feed: None, house: House) -> None:
    queue(house)
    assert result(house) == "stale"
    assert house.mail.to(address_of("Bob")) == []


def test_a_mail_of_a_feature_that_is_gone_does_not_leave(feed: None, house: House, tmp_path: Path) -> None:
    queue(house, "feed")
    shutil.rmtree(tmp_path / "pbem_feed-1.0.dist-info")
    forget()
    assert result(house) == "stale"
    assert house.mail.to(address_of("Bob")) == []
