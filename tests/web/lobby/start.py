"""The form that starts a match, filled in."""

from __future__ import annotations

from sqlmodel import select

from pbem.models.tables import OutboxRow
from tests.web.cast import Page, Web


def fill_form(*people: tuple[str, str], **more: str) -> dict[str, str]:
    """Returns the form with these people, by name and address; the first is the organiser."""
    (name, address), *friends = people
    typed = "\r\n".join(f"{friend} <{where}>" if friend else where for friend, where in friends)
    form = {"game": "hogen", "name": name, "address": address, "friends": typed}
    return {**form, "turn": "86400", "spectators": "1", **more}


THREE = (("Alice", "alice@example.org"), ("Bob", "bob@example.org"), ("Carol", "carol@example.org"))


def mails_sent(web: Web) -> list[tuple[str, int | None]]:
    with web.site.reading() as session:
        return [(row.kind, row.seat) for row in session.exec(select(OutboxRow).order_by("id")).all()]


def values_of_inputs(page: Page) -> dict[str, str]:
    return {known["name"]: known.get("value", "") for tag, known in page.tags if tag == "input" and "name" in known}


def wrong_in(page: Page) -> list[str]:
    """Returns the names of the fields that are wrong, each described by its error."""
    wrong = [known for _, known in page.tags if "aria-invalid" in known]
    ids = {known["id"] for _, known in page.tags if "id" in known}
    assert all(known["aria-describedby"].split()[0] in ids for known in wrong)
    return [known["name"] for known in wrong]
