"""A checker that was written from docs/chance.md alone, by somebody who had seen no code: it agrees with pbem."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from pbem.features.lab.sealing import redact_log, seal_log
from pbem.games import all_games
from pbem.kit.codec import encode
from pbem.kit.logs.chain import hash_word, mark_of
from pbem.kit.logs.logfile import Log, log_to_bytes
from pbem.kit.logs.repetition import draws_of_rules_and_clock
from pbem.kit.play import DEAL, Table, random_decisions
from tests.deals import log_with_takeback_at_a_shared_deal
from tests.kit.proof.forging import break_seal, change_fact, exchange_secret
from tests.transcripts import seed_of

pytestmark = pytest.mark.browser
VECTORS = Path(__file__).parents[1] / "kit" / "proof" / "vectors.json"
CHECKER = Path(__file__).with_name("independent_checker.mjs").read_bytes()
CHECK = """async ([source, log, draws]) => (await import(`data:text/javascript;base64,${source}`)).check(log, draws)"""
HASH = """async ([source, typed]) => {
    const { hashWord } = await import(`data:text/javascript;base64,${source}`);
    return Promise.all(typed.map(hashWord));
}"""
IN_EVERY_RUN = ("allegeance", "hexen-rennen")
GAMES = [
    pytest.param(slug, marks=() if slug in IN_EVERY_RUN else pytest.mark.long, id=slug) for slug in sorted(all_games())
]


@cache
def log_from(slug: str) -> Log:
    """A finished match in which the second seat typed a word."""
    game = all_games()[slug]
    seats, seed = game.meta.seats[-1], seed_of(slug, 1, 1)
    words = [hash_word("abricot") if seat == 1 else word for seat, word in enumerate(words_derived(slug, seats, seed))]
    table = Table(game, seats, game.meta.options(), seed, words=words)
    for _ in random_decisions(table):
        pass
    return seal_log(game, table.options, seats, DEAL, seed, words, table.entries)


def words_derived(slug: str, seats: int, seed: bytes) -> tuple[str, ...]:
    return Table(all_games()[slug], seats, all_games()[slug].meta.options(), seed).words


@pytest.fixture
def page_from_disk(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """A page from disk, where the browser has what the checker needs and there is no network."""
    (tmp_path / "empty.html").write_text("<!doctype html><title>empty</title>")
    page = browser.new_page()
    page.goto((tmp_path / "empty.html").as_uri())
    yield page
    page.close()


def check_log_on_page(page: Page, log: Log, draws: list[Any] | None) -> dict[str, Any]:
    source = base64.b64encode(CHECKER).decode()
    said: dict[str, Any] = page.evaluate(CHECK, [source, json.loads(log_to_bytes(log)), draws])
    return said


@pytest.mark.long
def test_the_independent_checker_hashes_lucky_words_as_documented(page_from_disk: Page) -> None:
    typed = json.loads(VECTORS.read_text(encoding="utf-8"))["words"]["typed"]
    hashes = page_from_disk.evaluate(HASH, [base64.b64encode(CHECKER).decode(), [one["typed"] for one in typed]])
    assert hashes == [one["hash"] for one in typed]


@pytest.mark.long
@pytest.mark.parametrize("slug", GAMES)
def test_the_independent_checker_accepts_a_true_log_with_the_same_heads(page_from_disk: Page, slug: str) -> None:
    log = log_from(slug)
    said = check_log_on_page(page_from_disk, log, json.loads(encode(draws_of_rules_and_clock(log))))
    assert (said["commitment"], said["chain"], said["seals"], said["luck"]) == (True, True, True, True)
    assert said["words"] == [seat == 1 for seat in range(log.seats)]
    assert said["heads"] == [*log.heads()]
    assert said["marks"] == [mark_of(head) for head in log.heads()]


@pytest.mark.sample(1)
@pytest.mark.parametrize("slug", GAMES)
def test_the_independent_checker_gets_the_same_heads_from_viewers_logs(page_from_disk: Page, slug: str) -> None:
    log = log_from(slug)
    for viewer in (None, 0, log.seats - 1):
        said = check_log_on_page(page_from_disk, redact_log(log, viewer), None)
        assert said["heads"] == [*log.heads()]
        assert said["chain"]
        assert said["seals"] is not False
        assert said["commitment"] is None


@pytest.mark.long
def test_the_independent_checker_finds_what_was_changed_in_a_log(page_from_disk: Page) -> None:
    log = log_from("allegeance")
    draws = json.loads(encode(draws_of_rules_and_clock(log)))
    for forge in (change_fact, exchange_secret):
        forged = forge(log, Random(1))
        said = check_log_on_page(page_from_disk, forged, draws)
        assert said["chain"], "whoever forges a log puts its chain right"
        assert log.heads()[-1] not in said["heads"], "but not the head in the mail"
    assert not check_log_on_page(page_from_disk, break_seal(log, Random(1)), draws)["chain"]
    order = draws[0]["result"] if draws[0]["kind"] == "shuffle" else draws[1]["result"]
    order[0], order[1] = order[1], order[0]
    assert check_log_on_page(page_from_disk, log, draws)["luck"] is False


# --- tables that play one deal -----------------------------------------------------------------------------------


@pytest.mark.long
def test_the_independent_checker_accepts_a_log_of_a_shared_deal(
    page_from_disk: Page, sqlite_url: str, tmp_path: Path
) -> None:
    log = log_with_takeback_at_a_shared_deal(sqlite_url, tmp_path)
    draws = json.loads(encode(draws_of_rules_and_clock(log)))
    fallbacks = [draw["name"] for draw in draws if draw["purpose"] == "fallback"]
    assert len(fallbacks) > len({*fallbacks}), "the clock has drawn the same twice"
    said = check_log_on_page(page_from_disk, log, draws)
    assert (said["commitment"], said["chain"], said["seals"], said["luck"]) == (True, True, True, True)
    assert said["heads"] == [*log.heads()]
