"""The pages of a match that is over: who won, said to each reader; the ranking; the scores; what can be done next."""

from __future__ import annotations

import re

import pytest
from flask import Flask, g
from sqlmodel import col, update

from pbem.games import all_games
from pbem.kit.contract import Outcome
from pbem.kit.endings import ranks_of
from pbem.models.tables import Match
from pbem.render import ends
from pbem.services.lobby import matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch
from pbem.services.log import cancellation
from pbem.services.play import presence
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from pbem.web.views.result import winners_sentence
from tests.harness.cases import cases
from tests.table import address_of, claim_of, play_out, submit_answer
from tests.web.cast import Page, Web

NAMES = ("Alice", "Bob", "Carol", "Dave")
ROUNDS = {"rounds": 3}


@pytest.fixture
def over(web: Web) -> str:
    """A match of Hagakure that Alice, Bob and Carol have played to its end."""
    match_id = web.start(game="hagakure", options=ROUNDS)
    play_out(web.site, match_id)
    return match_id


def end_as(web: Web, match_id: str, outcome: str) -> None:
    """Stores another outcome of the match."""
    with web.site.writing() as work:
        work.execute(update(Match).where(col(Match.id) == match_id).values(outcome=outcome))


def page_of(web: Web, match_id: str, seat: int | None, lang: str = "en") -> Page:
    path = f"/match/{match_id}" if seat is None else web.link("play", match_id, seat)
    return Page(web.client().get(f"{path}?lang={lang}").text)


def heading_of_page(page: Page) -> str:
    found = re.search(r"<h1[^>]*>([^<]*)</h1>", page.text)
    assert found is not None
    return found[1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("other", "said"),
    [(BotSeat("random"), "it begins at once"), (Invitee("Bob", address_of("Bob")), "the others are invited")],
)
def test_the_offer_to_play_again_says_whether_others_are_invited(web: Web, other: BotSeat | Invitee, said: str) -> None:
    seats = [Invitee("Alice", address_of("Alice")), other, BotSeat("random")]
    match_id = matches.create_match(web.site, STRANGER, NewMatch("hagakure", seats, options=ROUNDS, language="en"))
    web.confirm(match_id)
    if isinstance(other, Invitee):
        web.accept(match_id, 1)
    play_out(web.site, match_id)
    told = ("it begins at once", "the others are invited")
    page = page_of(web, match_id, 0).words.casefold()
    assert [words for words in told if words in page] == [said]


def test_the_result_sentence_addresses_its_reader_as_you() -> None:
    alone, shared, nobody = Outcome("x", (1,)), Outcome("x", (1, 2, 3)), Outcome("x")
    assert ranks_of(alone, 3) == [None, 1, None]
    for seat, words in ((1, "You won"), (0, "Bob won"), (None, "Bob won")):
        assert victory_in_english(alone, seat) == words
    assert victory_in_english(shared, 2) == "You, Bob and Dave won"
    assert victory_in_english(shared, 0) == "Bob, Carol and Dave won together"
    assert victory_in_english(nobody, 0) == "Nobody won"


def victory_in_english(outcome: Outcome, seat: int | None) -> str:
    app = Flask(__name__)
    with app.test_request_context():
        g.lang = "en"
        return winners_sentence(outcome, NAMES, seat)


@cases(
    "winners, scores, places",
    [
        ((0,), (9, 4, 7, 4), [1, 3, 2, 3]),
        ((0, 1), (9, 9, 7, 4), [1, 1, 3, 4]),
        ((1,), (9, 9, 7, 7), [2, 1, 3, 3]),
        ((), (9, 9, 7, 4), [1, 1, 3, 4]),
        ((2,), None, [None, None, 1, None]),
    ],
)
def test_winners_come_first_and_equal_scores_share_a_place(
    winners: tuple[int, ...], scores: tuple[int, ...] | None, places: list[int | None]
) -> None:
    assert ranks_of(Outcome("x", winners, scores), 4) == places


@pytest.mark.long
def test_the_winner_the_losers_and_who_looks_on_read_the_same_result(web: Web, over: str) -> None:
    end_as(web, over, '{"reason":"points","winners":[2],"scores":[4,-1,12]}')
    winner, second, third, spectator = (page_of(web, over, seat) for seat in (2, 0, 1, None))
    assert heading_of_page(winner) == "You won"
    assert {heading_of_page(page) for page in (second, third, spectator)} == {"Carol won"}
    assert "Most points. Score: 12, 8 points ahead of Alice." in winner.words
    assert "You came second." in second.words
    assert "You came third." in third.words
    assert not any("You came" in page.words for page in (winner, spectator))
    for page in (winner, second, third, spectator):
        assert re.search(r'<text class="os b m"[^>]*>12</text>', page.text), "the picture bears it"
        rows = re.findall(
            r'<tr(?: class="(first)")?><td>(\d)</td>.*?<span>([^<]+)</span></span></td><td>(.*?)</td>', page.text
        )
        assert [(first, place, name.removesuffix(" (you)"), score) for first, place, name, score in rows] == [
            ("first", "1", "Carol", "12"), ("", "2", "Alice", "4"), ("", "3", "Bob", "−1"),
        ]  # fmt: skip
    assert "Carol (you)" in winner.words


def test_players_read_with_whom_they_are_level_and_that_a_tie_was_broken(web: Web, over: str) -> None:
    end_as(web, over, '{"reason":"points","winners":[2],"scores":[12,12,12]}')
    page = page_of(web, over, 0)
    assert "Score: 12, level with Alice and Bob. You came second. Level with Bob." in page.words


@pytest.mark.long
def test_results_are_shown_in_french_too(web: Web, over: str) -> None:
    end_as(web, over, '{"reason":"points","winners":[2],"scores":[4,-1,12]}')
    page = page_of(web, over, 0, "fr")
    assert heading_of_page(page) == "Carol a gagné"
    assert "Score\u00a0: 12, avec 8 points d’avance sur Alice." in page.text
    assert "Vous êtes à la deuxième place." in page.words
    end_as(web, over, '{"reason":"points","winners":[0,2],"scores":[12,-1,12]}')
    assert heading_of_page(page_of(web, over, 0, "fr")) == "Vous et Carol avez gagné"


@pytest.mark.long
def test_the_curve_of_scores_is_also_given_in_words_and_as_a_table(web: Web, over: str) -> None:
    page = page_of(web, over, 1)
    outcome = match_views.read_sheet(web.site, over, 1).outcome
    assert outcome is not None
    assert outcome.scores is not None
    final = [str(score).replace("-", "−") for score in outcome.scores]
    alice, bob, carol = final
    assert f'aria-label="Score; at the end: Alice {alice}, Bob {bob} and Carol {carol}"' in page.text
    assert re.findall(r"<td>(−?\d+)</td>", page.text.rsplit('<tr><th scope="row">', 1)[1])[:3] == final
    assert page.text.count("<polyline") == 3


@pytest.mark.long
def test_turning_points_lead_to_their_step_of_the_readers_own_replay(web: Web, over: str) -> None:
    for seat, base in ((1, web.link("play", over, 1) + "/replay"), (None, f"/replay/{over}")):
        page = page_of(web, over, seat)
        links = [href for href in page.hrefs() if "step=" in href]
        assert links
        assert len(links) <= 3
        assert all(href.startswith(f"{base}?step=") for href in links)
        line = re.search(r'data-part="turns">.*?<span>(.*?)</span><svg class="mini"', page.text, re.DOTALL)
        assert line is not None
        current = web.client().get(links[0] + "&lang=en").text
        assert line[1] in current.split('aria-current="step"')[1].split("</li>")[0]


@pytest.mark.long
def test_the_numbers_of_a_finished_match_name_no_player(web: Web, over: str) -> None:
    numbers = page_of(web, over, 0).text.split('class="s muted lasted">')[1].split("</p>")[0]
    assert re.match(r"\d+ moves · ", numbers)
    assert not any(name in numbers for name in NAMES)


@pytest.mark.long
def test_the_link_to_share_is_the_spectators_and_a_private_match_has_none(web: Web, over: str) -> None:
    link = web.site.url(f"/match/{over}")
    for seat in (0, None):
        assert f'<p class="given" id="shared">{link}</p>' in page_of(web, over, seat).text
    private = web.start(game="hagakure", options=ROUNDS, spectators=False)
    play_out(web.site, private)
    page = page_of(web, private, 0)
    assert "Share the match" not in page.words
    assert "/match/" not in page.text


@pytest.mark.long
def test_the_result_of_a_game_without_scores_shows_only_winners(web: Web, hogen: str) -> None:
    play_out(web.site, hogen)  # wrong declarations of everybody
    page = page_of(web, hogen, 0)
    assert heading_of_page(page) == "Nobody won"
    assert "Ranking" not in page.words
    assert '<use href="#eye-shut"' in page.text.split("<h1")[0], "the card in the picture opens its eye for a winner"
    assert "<polyline" not in page.text
    assert "Alice (you)" in page.words
    end_as(web, hogen, '{"reason":"found","winners":[1],"scores":null}')
    page = page_of(web, hogen, 0)
    assert heading_of_page(page) == "Bob won"
    assert re.findall(r"<tr[^>]*><td>(.)</td>", page.text) == ["1", "–", "–"]
    assert "You came" not in page.words


@pytest.mark.long
def test_a_match_that_runs_has_no_result(web: Web, hogen: str) -> None:
    for seat in (0, None):
        assert "over-page" not in page_of(web, hogen, seat).text


def test_the_page_of_a_cancelled_match_shows_a_picture_and_no_places(web: Web, hogen: str) -> None:
    cancellation.cancel_match_for_host(web.site, hogen)
    for seat in (0, None):
        page = page_of(web, hogen, seat)
        assert heading_of_page(page) == "The match was called off"
        assert "The host has stopped it." in page.words
        assert ends.end_picture(all_games()["hogen"], None) in page.text
        assert "Ranking" not in page.words
        assert [name in page.words for name in NAMES[:3]] == [True] * 3
        assert "Play again" not in page.words
        assert not [href for href in page.hrefs() if "pick=" in href or href.endswith("/luck")]


@pytest.fixture
def left(web: Web) -> str:
    """A match of Hagakure that Alice and Carol have resigned after some moves, in this order."""
    match_id = web.start(game="hagakure", options=ROUNDS)
    for _ in range(25):
        ask = match_views.read_sheet(web.site, match_id, 0).asks[0]
        submit_answer(
            web.site, match_id, ask.seat, ask.key, match_views.read_view(web.site, match_id, ask.seat).legal()[0], "web"
        )
    for seat in (0, 2):
        presence.resign(web.site, claim_of(web.site, match_id, seat))
    return match_id


@pytest.mark.long
def test_the_last_player_not_to_resign_has_won_whatever_the_scores(web: Web, left: str) -> None:
    end_as(web, left, '{"reason":"last_seat","winners":[1],"scores":[4,-1,12]}')
    winner, first, second, spectator = (page_of(web, left, seat) for seat in (1, 0, 2, None))
    assert heading_of_page(winner) == "You won"
    assert {heading_of_page(page) for page in (first, second, spectator)} == {"Bob won"}
    for page in (winner, first, second, spectator):
        assert ">B</text>" in page.text.split("<h1")[0], "nobody has won by points: the picture bears the mark"
        assert "Score:" not in page.words
        assert re.findall(r"<td>(−?\d+)</td></tr>", page.text)[:3] == ["−1", "12", "4"]
        assert [int(place) for place in re.findall(r"<td>(\d)</td><td>", page.text)] == [1, 2, 3]
        assert re.search(r'<tr class="first"><td>1</td>.*?<span>Bob', page.text)
    for page in (winner, spectator):
        assert "Everybody else has resigned." in page.words
    assert "You and Carol have resigned." in first.words
    assert "You and Alice have resigned." in second.words
    assert not any("You came" in page.words for page in (winner, first, second, spectator))
    assert "Tous les autres ont abandonné." in page_of(web, left, 1, "fr").words
    assert "Vous et Carol avez abandonné." in page_of(web, left, 0, "fr").words


@pytest.mark.long
def test_a_page_of_a_match_ended_by_resignations_asks_nobody_anything(web: Web, left: str) -> None:
    for seat in range(3):
        page = page_of(web, left, seat)
        assert "What you can do" not in page.words
        assert not [href for href in page.hrefs() if "pick=" in href]
        assert 'class="due"' not in page.text
        assert "Play again" in page.words
        assert not [href for href in page.hrefs() if href.endswith("/resign")]


@pytest.mark.long
def test_replay_and_preview_card_after_resignations_name_the_winner(web: Web, left: str) -> None:
    sheet = match_views.read_sheet(web.site, left, None)
    assert sheet.outcome is not None
    replay = Page(web.client().get(f"/replay/{left}?step=999").text).words
    assert "Everybody else has resigned: Bob wins." in replay
    card = web.client().get(f"/match/{left}").text
    assert "Bob wins: everybody else has resigned." in card
