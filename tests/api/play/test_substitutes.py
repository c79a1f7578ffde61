"""Taking over an abandoned seat by the API."""

from __future__ import annotations

from sqlalchemy import select

from pbem.models.tables import SubstituteRow, table
from pbem.services.mail import sender
from pbem.services.play import timeouts
from pbem.services.tokens import OfferClaim
from tests.api.cast import READER, Api, Table, check_problem, json_of

CHARLIE = {"name": "Charlie", "email": "charlie@example.org", **READER}


def substitute_links(table_: Table) -> list[str | None]:
    """What Alice finds in the sheet."""
    return [seat["substitute"] for seat in json_of(table_.alice.get(table_.path))["seats"]]


def token_of_latest_offer(rest: Api) -> str:
    """The token in the mail to the person who asked last."""
    with rest.site.reading() as session:
        ids = session.execute(select(table(SubstituteRow).c.id)).scalars().all()
    return rest.site.tokens.sign(OfferClaim(max(ids)))


def test_a_substitute_takes_over_a_resigned_seat_by_link_and_mail(rest: Api, hogen: Table) -> None:
    assert substitute_links(hogen) == [None, None, None]
    assert hogen.bob.post(f"{hogen.path}/resign", {}).status_code == 200
    link = substitute_links(hogen)[1]
    assert link is not None
    for other in (rest.caller(), hogen.bob):
        assert [seat["substitute"] for seat in json_of(other.get(hogen.path))["seats"]] == [None, None, None]
    token = link.rpartition("/")[2]
    before = rest.trace(hogen.id)
    nobody = rest.caller()
    refused = check_problem(nobody.post(f"/substitute/{token}", CHARLIE | {"name": "Carol"}), 422, "invalid")
    assert list(refused["fields"]) == ["name"]
    assert rest.trace(hogen.id) == before
    alike = check_problem(nobody.post(f"/substitute/{token}", CHARLIE | {"name": "AIice"}), 422, "invalid")
    assert list(alike["fields"]) == ["name"]
    asked = json_of(nobody.post(f"/substitute/{token}", CHARLIE))
    assert asked == {"id": hogen.id, "seat": 1, "status": "running", "warnings": []}
    taken = json_of(nobody.post(f"/takeover/{token_of_latest_offer(rest)}/accept", READER))
    assert taken == asked
    sheet = json_of(hogen.alice.get(hogen.path))
    assert (sheet["seats"][1]["name"], sheet["seats"][1]["resigned"]) == ("Charlie", False)
    assert substitute_links(hogen) == [None, None, None]
    problem_of_bob = check_problem(hogen.bob.get(hogen.path), 401, "unauthorized")
    assert "taken over this seat" in problem_of_bob["detail"]
    story = json_of(hogen.alice.get(f"{hogen.path}/story?lang=en"))
    assert [line["text"] for line in story["lines"]][-2:] == [
        "Charlie has resigned.",
        "Charlie takes over the seat from here on.",
    ]
    sender.drain(rest.site)
    epoch = 1
    assert json_of(rest.caller(rest.token("play", hogen.id, 1, epoch)).get(f"{hogen.path}/ask"))["ask"] is not None


def test_a_second_substitute_who_accepts_the_seat_gets_gone(rest: Api, hogen: Table) -> None:
    hogen.bob.post(f"{hogen.path}/resign", {})
    link = substitute_links(hogen)[1]
    assert link is not None
    token, nobody = link.rpartition("/")[2], rest.caller()
    nobody.post(f"/substitute/{token}", CHARLIE)
    first = token_of_latest_offer(rest)
    nobody.post(f"/substitute/{token}", {"name": "Erin", "email": "erin@example.org"})
    assert nobody.post(f"/takeover/{token_of_latest_offer(rest)}/accept").status_code == 200
    check_problem(nobody.post(f"/takeover/{first}/accept", READER), 409, "gone")
    check_problem(nobody.post(f"/substitute/{token}", CHARLIE), 409, "gone")
    for wrong in (token, first[:-1], "x"):
        check_problem(nobody.post(f"/takeover/{wrong}/accept", READER), 401, "unauthorized")
    check_problem(nobody.post(f"/substitute/{first}", CHARLIE), 401, "unauthorized")


def test_the_story_names_who_acted_and_is_told_in_french_too(rest: Api, hogen: Table) -> None:
    hogen.bob.post(f"{hogen.path}/resign", {})
    timeouts.sweep_deadlines(rest.site)
    told = json_of(hogen.alice.get(f"{hogen.path}/story"))
    assert told["version"] == json_of(hogen.alice.get(hogen.path))["version"]
    texts = [line["text"] for line in told["lines"]]
    assert "Bob has resigned." in texts
    assert any(text.startswith("Automatic move by Bob. ") for text in texts)
    assert "{" not in "".join(texts)
    after = told["lines"][-1]["n"]
    assert json_of(hogen.alice.get(f"{hogen.path}/story?after={after}"))["lines"] == []
    french = json_of(hogen.alice.get(f"{hogen.path}/story?lang=fr"))["lines"]
    assert any("Bob abandonne" in line["text"] for line in french)
    assert [line["n"] for line in french] == [line["n"] for line in told["lines"]]
