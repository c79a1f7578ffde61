"""Where a match was decided, on the page of its replay: asked for, waited for, and read without any script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from pbem.discovery import packages_of_features
from pbem.features.analysis import analyses
from pbem.features.analysis.course import Advice, Answer, Course, Moment
from pbem.features.analysis.limits import ANALYSES, ANALYSES_PER_HOUR
from pbem.features.chances import Chances
from pbem.kit.texts import Text
from pbem.services.views import replays
from tests.api.cast import Begun
from tests.table import play_out
from tests.web.cast import Page, Web, path_of

LEAP = 4
"""Seat 0 is behind before this decision, and sure to win after it."""


YOURS = "Your decisions and what a strong bot would have done, the costliest first"
TABLE = "The costliest decisions of the whole table"


def moment_of(course: Course, at: int) -> Moment:
    """A moment whose numbers are known: everybody's chance is even, until seat 0 leaps."""
    position, seats = course.positions[at], course.log.seats
    rest = (1 - (0.9 if at > LEAP else 0.2)) / (seats - 1)
    worth = (0.9 if at > LEAP else 0.2, *(round(rest, 4) for _ in range(seats - 1)))
    found = Moment(position.entry, Chances(worth, (0.01,) * seats, 280))
    if position.played is None:
        return found
    made, better = Answer("made", Text("ce coup-ci", "this move")), Answer("better", Text("mieux", "{0} better"))
    cost = 0.25 if at % 2 == 0 else 0.01
    advice = Advice(made, made, 0.0, 0.0, 0) if at == 0 else Advice(made, better, cost, 0.03, 160)
    return replace(
        found, seat=position.played.ask.seat, decision=position.played.first, advice=advice,
        eyes=Chances((0.4, *(round(0.6 / (seats - 1), 4) for _ in range(seats - 1))), (0.03,) * seats, 140),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def numbers_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis of any match has these numbers."""
    monkeypatch.setattr(analyses, "analyse_position", moment_of)


def finish_analyses(web: Web) -> None:
    while analyses.continue_longest_waiting_analysis(web.site):
        pass


def text_of_page(web: Web, path: str) -> str:
    """Returns the text of the page; parsing it checks that its elements are closed."""
    return Page(web.client().get(path).text).words


@pytest.mark.sample(1)
@pytest.mark.parametrize("public", [True, False])
def test_an_analysis_is_requested_awaited_and_read_on_the_replay_page(
    web: Web, hogen: str, public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_out(web.site, hogen)
    replay = f"/replay/{hogen}" if public else web.link("play", hogen, 1) + "/replay"
    client = web.client()
    form = next(one for one in Page(client.get(replay).text).forms if one.action.endswith("/analysis"))
    assert form.method == "post"
    answer = client.post(form.action)
    assert answer.status_code == 303
    assert path_of(answer) == replay
    assert "Waiting for its turn." in text_of_page(web, replay)
    monkeypatch.setattr(analyses, "RUN_S", 0.0)
    analyses.continue_longest_waiting_analysis(web.site)
    told = client.get(f"{replay}/analysis.json").json
    assert told is not None
    assert (told["going"], told["done"]) == (True, 1)
    assert f"1 of {told['total']} positions." == told["says"]
    assert told["says"] in text_of_page(web, replay)
    finish_analyses(web)
    said = text_of_page(web, replay)
    assert "from 20 to 90 %" in said
    assert "The move at which the chances changed most" in said
    assert not [one for one in Page(client.get(replay).text).forms if one.action.endswith("/analysis")]


def request_and_finish(web: Web, match_id: str) -> None:
    play_out(web.site, match_id)
    web.client().post(f"/replay/{match_id}/analysis")
    finish_analyses(web)


@pytest.mark.long
def test_the_turning_point_links_to_its_step_and_the_curve_shows_each_seat(web: Web, hogen: str) -> None:
    request_and_finish(web, hogen)
    text = web.client().get(f"/replay/{hogen}?step=3").text
    steps = replays.read_replay(web.site, hogen, None, "en").steps
    course = json.loads(text.partition('data-rows="')[2].partition('"')[0].replace("&#34;", '"'))
    assert len([name for name, known in Page(text).tags if name == "polyline" and "cl" in known["class"]]) == 3
    step, place, chances = course[LEAP + 1]
    assert (place, chances[0]) == (LEAP + 1, 90)
    assert any(f"step={step}" in one for one in Page(text).hrefs())
    assert max(row[0] for row in course) <= len(steps)


@pytest.mark.long
def test_a_seats_eyes_show_its_own_decisions_and_what_each_cost(web: Web, hogen: str) -> None:
    request_and_finish(web, hogen)
    for path in (f"/replay/{hogen}", f"/replay/{hogen}?chances=77", f"/replay/{hogen}?chances=x"):
        assert "The costliest decisions" in text_of_page(web, path)
    said = text_of_page(web, f"/replay/{hogen}?chances=0")
    assert "A strong bot would have done the same: this move." in said
    assert "Instead of this move, a strong bot would have chosen Alice better." in said
    assert "That cost 25 of 100 chances to win (± 3)." in said
    assert "The costliest decisions" not in said
    assert "Chances, knowing everything, even what was hidden what Alice knew what Bob knew" in " ".join(said.split())
    french = text_of_page(web, f"/replay/{hogen}?chances=0&lang=fr")
    assert "ce coup-ci" in french
    assert "tout, même ce qui était caché" in french
    assert "ce que savait Alice" in french
    assert "strong bot" not in french


def test_a_players_own_replay_lists_their_decisions_the_costliest_first(web: Web, hogen: str) -> None:
    request_and_finish(web, hogen)
    own = text_of_page(web, web.link("play", hogen, 0) + "/replay")
    mine = own.partition(YOURS)[2].partition(TABLE)[0]
    kinds = re.findall("That cost 25|about as good|would have done the same", mine)
    assert len(set(kinds)) > 1
    assert kinds == sorted(kinds, key=["That cost 25", "about as good", "would have done the same"].index)
    assert "from 20 to 90 %" in own, "the curve is by everything"
    assert TABLE in own
    assert YOURS not in text_of_page(web, f"/replay/{hogen}")
    assert "Bob: the decisions" in text_of_page(web, f"/replay/{hogen}?chances=1")


def test_a_running_match_offers_no_analysis_and_refuses_requests_with_409(web: Web, hogen: str) -> None:
    client, own = web.client(), web.link("play", hogen, 1) + "/replay"
    for replay in (f"/replay/{hogen}", own):
        assert "analys" not in Page(client.get(replay).text).words.lower()
        assert client.post(f"{replay}/analysis").status_code == 409
        assert client.get(f"{replay}/analysis.json").status_code == 409
    assert analyses.continue_longest_waiting_analysis(web.site) == 0


def test_a_failed_analysis_can_be_requested_again(web: Web, hogen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play_out(web.site, hogen)
    replay = f"/replay/{hogen}"
    web.client().post(f"{replay}/analysis")

    def broken(course: Course, at: int) -> Moment:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(analyses, "analyse_position", broken)
        analyses.continue_longest_waiting_analysis(web.site)
    assert "The analysis failed" in text_of_page(web, replay)
    web.client().post(f"{replay}/analysis")
    finish_analyses(web)
    assert "from 20 to 90 %" in text_of_page(web, replay)


def test_with_analysis_off_neither_replay_nor_help_mentions_it(
    web: Web, hogen: str, make_web: Callable[..., Web]
) -> None:
    request_and_finish(web, hogen)
    off = make_web(features=tuple(name for name in packages_of_features() if name != "analysis"))
    own = web.link("play", hogen, 1) + "/replay"
    for here, there in ((web, True), (off, False)):
        for path in (f"/replay/{hogen}", f"/replay/{hogen}?chances=0", own):
            assert ("analys" in here.client().get(path).text) == there, path
    for lang, title in (("en", "Where was it decided?"), ("fr", "Où la partie s’est-elle jouée ?")):
        told, untold = (here.client().get(f"/help?lang={lang}").text for here in (web, off))
        assert (title in told, title in untold) == (True, False)
    assert "Who sees what" in web.client().get("/help?lang=en").text.partition("Where was it decided?")[2]


def test_pages_and_api_share_the_rate_limit_of_analyses_per_network(
    make_web: Callable[..., Web], new_match: Begun
) -> None:
    web = make_web(mode="production")
    match_id, client = new_match.lay(web.site), web.client()
    api, page = f"/api/v1/matches/{match_id}/analysis", f"/replay/{match_id}/analysis"
    for _ in range(ANALYSES_PER_HOUR // 2):
        assert (client.post(api).status_code, client.post(page).status_code) == (409, 409)
    refused = client.post(api, headers={"Accept-Language": "en"})
    assert (refused.status_code, refused.json["code"]) == (429, "too_many")  # type: ignore[index]
    assert refused.json["detail"] == ANALYSES.refusal  # type: ignore[index]
    assert (client.post(page).status_code, client.post(page).mimetype) == (429, "text/html")
    assert client.post(f"{web.link('play', match_id, 1)}/replay/analysis").status_code == 429
    assert client.get(f"{page}.json").status_code == 409
