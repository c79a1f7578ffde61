"""Requests with a key of the caller's: done once, and answered again as they were answered the first time."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session


@dataclass(frozen=True)
class Once:
    """A request that its caller may send again: whose it is, his key for it, and a digest of all it asks for."""

    owner: str
    key: str
    digest: str


def earlier(session: Session, once: Once | None, now: datetime) -> str | None:
    """What `keep` was given when this request was done before; None where it is to be done now.

    Belongs into the transaction that does it. Nothing is kept yet: every request is new.
    """
    return None


def keep(session: Session, once: Once | None, answer: str) -> None:
    """Guarantees, with the commit, that the request is answered by this from now on: ids, never a token or secret.

    Nothing is kept yet.
    """
