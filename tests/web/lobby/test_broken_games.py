"""A game that cannot be played is named, with the reason, where games are listed; its matches say that they wait."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from pbem import games
from pbem.games import Broken
from tests.harness.cases import cases
from tests.web.cast import Web

BROKEN = Broken("nim", "pbem-nim 1.0", "unloadable", "the game 'nim' cannot be loaded: /srv/nim")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package whose game cannot be loaded is installed."""
    found = games.found_games()
    monkeypatch.setattr(games, "look_for_games", lambda: (found, (BROKEN,)))


@pytest.mark.long
@pytest.mark.usefixtures("broken")
@cases("lang, why", [("en", "Its package cannot be loaded."), ("fr", "Son paquet ne se charge pas.")])
@cases("path", ["/", "/games"])
def test_the_lists_of_games_say_which_is_broken_and_why(web: Web, path: str, lang: str, why: str) -> None:
    page = web.client().get(f"{path}?lang={lang}").text
    assert "nim" in page
    assert why in page
    assert "/srv" not in page


@pytest.mark.usefixtures("broken")
def test_the_api_lists_broken_games_too(web: Web) -> None:
    found = web.client().get("/api/v1/games").json
    assert found is not None
    (told,) = found["unavailable"]
    assert (told["slug"], told["code"], told["why"]["en"]) == ("nim", "unloadable", "Its package cannot be loaded.")
    assert "hogen" in {game["slug"] for game in found["games"]}


def test_a_match_whose_game_is_gone_is_answered_503_and_loses_no_time(web: Web) -> None:
    match_id = web.start()
    with web.site.writing() as session:
        session.execute(text("UPDATE matches SET game = 'nim'"))
    for path in (f"/match/{match_id}?lang=en", f"/replay/{match_id}?lang=en", web.link("play", match_id, 0)):
        page = web.client().get(path)
        assert page.status_code == 503, path
        assert "nim" in page.text
    assert "no time is lost" in web.client().get(f"/match/{match_id}?lang=en").text
    for path in ("", "/state", "/events"):
        answer = web.client().get(f"/api/v1/matches/{match_id}{path}")
        assert (answer.status_code, (answer.json or {}).get("code")) == (503, "game_unavailable"), path
        assert answer.headers["Retry-After"] == "600"
