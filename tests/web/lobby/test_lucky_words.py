"""Lucky words in the forms by which people sit down, and the commitment beside them."""

from __future__ import annotations

from html import unescape

import pytest
from sqlmodel import select

from pbem.kit.logs.chain import word_from_seed
from pbem.models.tables import Match, SeatRow
from tests.table import play_out
from tests.web.cast import ALICE, READER, Page, Web, sign_in
from tests.web.everywhere import Everywhere
from tests.web.lobby.joining import CAROL, join_links, start_open_match
from tests.web.lobby.start import values_of_inputs, wrong_in

TOO_LONG = "a" * 41
LONG = "A lucky word has at most 40 characters."
HELP = "Replace it with a word of your own"
SEALED = "is sealed together with the server’s secret number. Only you see it; do not use a password."
OTHERS = "Take one that nobody can guess, but not a password; only you see it."


def row_of_seat(web: Web, match_id: str, seat: int) -> SeatRow:
    """Returns the row of a seat."""
    with web.site.reading() as session:
        return session.get_one(SeatRow, (match_id, seat))


def match_of(web: Web, match_id: str) -> Match:
    """Returns the row of a match."""
    with web.site.reading() as session:
        return session.get_one(Match, match_id)


def the_match(web: Web) -> Match:
    """Returns the row of the only match."""
    with web.site.reading() as session:
        return session.exec(select(Match)).one()


def word_of_seat(web: Web, match_id: str, seat: int) -> str:
    """Returns the word of the seat that follows from the seed."""
    return word_from_seed(match_of(web, match_id).seed, seat)


def value_of(page: Page) -> str:
    """Returns what stands in the field for the word."""
    return next(known["value"] for tag, known in page.tags if tag == "input" and known.get("name") == "word")


@pytest.mark.long
@pytest.mark.parametrize("others", ["friends", "links"])
def test_the_organiser_may_give_a_lucky_word_in_the_form_of_a_match(web: Web, others: str) -> None:
    page = Page(web.client().get(f"/new?game=hogen&others={others}").text)
    assert value_of(page) == ""
    assert SEALED in page.words
    assert HELP not in page.words, "the organiser's word is sealed with the luck"
    form = {"game": "hogen", "others": others, **ALICE}
    refused = web.client().post("/new", data={**form, "word": TOO_LONG})
    assert refused.status_code == 422
    assert wrong_in(Page(refused.text)) == ["word"]
    assert LONG in Page(refused.text).words
    assert web.client().post("/new", data={**form, "word": " Mirabelle "}).status_code == 303
    assert row_of_seat(web, the_match(web).id, 0).word == "mirabelle"


def test_a_match_against_bots_takes_a_lucky_word_too(web: Web) -> None:
    form = {"game": "hogen", "others": "bots", "rest": "greedy"}
    refused = web.client().post("/now", data={**form, "word": TOO_LONG})
    assert refused.status_code == 422
    assert wrong_in(Page(refused.text)) == ["word"]
    assert web.client().post("/now", data={**form, "word": "mirabelle"}).status_code == 303
    assert row_of_seat(web, the_match(web).id, 0).word == "mirabelle"


@pytest.mark.long
def test_an_invitation_proposes_its_lucky_word_and_shows_the_commitment(web: Web) -> None:
    match_id = web.create(word="mirabelle")
    web.confirm(match_id)
    for seat in (1, 2):
        page = Page(web.client().get(web.link("invitation", match_id, seat)).text)
        assert value_of(page) == word_of_seat(web, match_id, seat)
        assert HELP in page.words
        assert OTHERS in page.words
        assert match_of(web, match_id).commitment in page.words.split()
        for other in {0, 1, 2} - {seat}:
            assert word_of_seat(web, match_id, other) not in page.text
        assert "mirabelle" not in page.text, "nobody sees the organiser's"


@pytest.mark.long
@pytest.mark.parametrize(("typed", "kept"), [(" Abricot  Rouge ", "abricot rouge"), (None, None), ("", None)])
def test_a_lucky_word_counts_as_typed_only_if_it_differs_from_the_proposal(
    web: Web, typed: str | None, kept: str | None
) -> None:
    match_id = web.create()
    web.confirm(match_id)
    path = web.link("invitation", match_id, 1)
    proposed = value_of(Page(web.client().get(path).text))
    sent = {**READER, "answer": "accept", "word": proposed if typed is None else typed}
    assert web.client().post(path, data=sent).status_code == 303
    assert row_of_seat(web, match_id, 1).word == kept


def test_an_invalid_lucky_word_is_refused_at_its_field_and_kept_there(web: Web) -> None:
    match_id = web.create()
    web.confirm(match_id)
    path = web.link("invitation", match_id, 1)
    for typed, why in ((TOO_LONG, LONG), ("a\u200bb", "but nothing invisible.")):
        answer = web.client().post(path, data={**READER, "answer": "accept", "word": typed})
        assert answer.status_code == 422
        page = Page(answer.text)
        assert wrong_in(page) == ["word"]
        assert page.words.count(why) == 1
        assert unescape(value_of(page)) == typed
        assert row_of_seat(web, match_id, 1).status == "invited"


def test_a_wrong_name_is_not_marked_at_the_field_of_the_lucky_word(web: Web) -> None:
    match_id = start_open_match(web)
    (path,) = join_links(web, match_id)
    web.create(("Alice", "Bob", "Fanny"))
    client = sign_in(web, "Fanny")
    form = Page(client.get(path).text).form("stack")
    assert form is not None
    answer = client.post(path, data={**form.fields, "name": "", "word": "prune"})
    assert answer.status_code == 422
    assert wrong_in(Page(answer.text)) == []
    assert value_of(Page(answer.text)) == "prune"


def test_a_request_for_a_seat_asks_for_no_lucky_word_and_ignores_one(web: Web) -> None:
    match_id = start_open_match(web)
    (path,) = join_links(web, match_id)
    page = Page(web.client().get(path).text)
    assert "word" not in values_of_inputs(page)
    assert match_of(web, match_id).commitment in page.words.split()
    assert web.client().post(path, data={**CAROL, "word": "Quetsche"}).status_code == 303
    assert row_of_seat(web, match_id, 2).word is None
    invitation = web.link("invitation", match_id, 2, row_of_seat(web, match_id, 2).epoch)
    own = Page(web.client().get(invitation).text)
    assert value_of(own) == word_of_seat(web, match_id, 2), (
        "whoever holds the link may have typed somebody else's address"
    )
    refused = web.client().post(invitation, data={**READER, "answer": "accept", "word": TOO_LONG})
    assert value_of(Page(refused.text)) == TOO_LONG
    accepted = web.client().post(invitation, data={**READER, "answer": "accept", "word": value_of(own)})
    assert accepted.status_code == 303
    assert row_of_seat(web, match_id, 2).word is None


@pytest.mark.long
def test_a_signed_in_player_joins_with_their_lucky_word_at_once(web: Web) -> None:
    match_id = start_open_match(web)
    (path,) = join_links(web, match_id)
    web.create(("Alice", "Bob", "Fanny"))
    client = sign_in(web, "Fanny")
    page = Page(client.get(path).text)
    assert value_of(page) == word_of_seat(web, match_id, 2)
    form = page.form("stack")
    assert form is not None
    sent = {**form.fields, "name": "Fanny", "word": "prune"}
    assert client.post(path, data=sent).status_code == 303
    assert (row_of_seat(web, match_id, 2).status, row_of_seat(web, match_id, 2).word) == ("accepted", "prune")


@pytest.mark.long
def test_every_player_of_a_rematch_may_give_a_lucky_word(web: Web) -> None:
    match_id = web.start()
    play_out(web.site, match_id)
    paths = [web.link("play", match_id, seat) for seat in range(3)]
    page = Page(web.client().get(paths[1]).text)
    assert "word" in values_of_inputs(page)
    assert HELP not in page.words
    refused = web.client().post(f"{paths[1]}/rematch", data={"word": TOO_LONG})
    assert refused.status_code == 422
    assert wrong_in(Page(refused.text)) == ["word"]
    assert Page(refused.text).words.count(LONG) == 1
    assert web.client().post(f"{paths[1]}/rematch", data={"word": "prune"}).status_code == 303
    with web.site.reading() as session:
        again = session.exec(select(Match).where(Match.rematch_of == match_id)).one()
    assert row_of_seat(web, again.id, 0).word == "prune"
    assert "word" not in values_of_inputs(Page(web.client().get(paths[1]).text)), "it is sealed now"
    assert HELP in Page(web.client().get(paths[2]).text).words
    assert web.client().post(f"{paths[2]}/rematch", data={"word": "quetsche"}).status_code == 303
    assert row_of_seat(web, again.id, 1).word == "quetsche"
    assert "prune" not in web.client().get(paths[2]).text


@pytest.mark.long
def test_no_lucky_word_is_asked_for_if_a_mail_leads_into_the_rematch(web: Web) -> None:
    match_id = web.start()
    play_out(web.site, match_id)
    carol, somebody = web.link("play", match_id, 2), sign_in(web, "Alice")
    assert "word" in values_of_inputs(Page(somebody.get(carol).text)), (
        "there is no rematch yet, so it would be the first word"
    )
    assert web.client().post(web.link("play", match_id, 1) + "/rematch").status_code == 303
    assert "word" in values_of_inputs(Page(web.client().get(carol).text))
    assert "word" not in values_of_inputs(Page(somebody.get(carol).text)), "another player is signed in"
    with web.site.reading() as session:
        again = session.exec(select(Match).where(Match.rematch_of == match_id)).one()
    assert somebody.post(f"{carol}/rematch", data={"word": "quetsche"}).status_code == 303
    assert row_of_seat(web, again.id, 1).word is None


@pytest.mark.long
def test_a_substitute_is_asked_for_no_lucky_word_and_sees_the_commitment(everywhere: Everywhere) -> None:
    web = everywhere.web
    offers = [path for path in everywhere.paths if path.startswith(("/substitute/", "/takeover/"))]
    offers = [path for path in offers if not path.endswith("/sent")]
    assert len(offers) == 2
    for path in offers:
        page = Page(web.client().get(path).text)
        assert "word" not in values_of_inputs(page)
        assert match_of(web, everywhere.matches["left"]).commitment in page.words.split()
