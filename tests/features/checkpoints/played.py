"""Matches whose logs have heads, written as rows, and checkpoints made of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import update

from pbem.features.checkpoints import published
from pbem.features.checkpoints.days import Checkpoint, parse_checkpoint
from pbem.features.checkpoints.notes import read_note
from pbem.models.tables import EntryRow, Match, table
from pbem.services.site import Site


def hex_digits_for(*parts: object) -> str:
    """Returns 64 hex digits that stand for these parts."""
    return sha256(repr(parts).encode()).hexdigest()


def add_matches(site: Site, names: list[str], status: str = "running", **columns: Any) -> None:
    """Adds matches whose logs have one entry."""
    row = {
        "game": "hogen", "options": "{}", "status": status, "version": 1, "seed": bytes(32), "turn_s": 60,
        "window_s": 60, "spectators": True, "created_at": site.now(), "started_at": site.now(),
    }  # fmt: skip
    rows = [
        row | {"id": name, "commitment": hex_digits_for(name), "head": hex_digits_for(name, 1)} | columns
        for name in names
    ]
    entry = {"n": 1, "at": site.now(), "by": "{}", "key": None, "event": "{}", "sealed": None}
    with site.writing() as work:
        work.connection().execute(table(Match).insert(), rows)
        entries = [entry | {"match_id": name, "head": hex_digits_for(name, 1)} for name in names]
        work.connection().execute(table(EntryRow).insert(), entries)


def add_entry(site: Site, name: str, n: int, **columns: Any) -> None:
    """Adds the n-th entry to a match's log."""
    head, m = hex_digits_for(name, n), table(Match)
    entry = {"match_id": name, "n": n, "at": site.now(), "by": "{}", "key": None, "event": "{}", "head": head}
    with site.writing() as work:
        work.connection().execute(table(EntryRow).insert(), entry)
        work.connection().execute(update(m).where(m.c.id == name).values(version=n, head=head, **columns))


def latest_checkpoint(site: Site) -> Checkpoint:
    """Returns what the latest note says."""
    return parse_checkpoint(read_note(published.read_note(site)).text)


def next_midnight(at: datetime) -> datetime:
    """Returns the beginning of the next day."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
