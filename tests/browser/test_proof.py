"""The checker in JavaScript, against the vectors and against changed logs."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from pbem.kit.codec import encode
from pbem.kit.logs.logfile import log_to_bytes
from pbem.kit.logs.repetition import draws_of_rules_and_clock
from pbem.web.protocol.assets import FOLDER
from tests.deals import log_with_takeback_at_a_shared_deal
from tests.harness.waiting import SECONDS

pytestmark = pytest.mark.browser

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "kit/proof/vectors.json").read_text(encoding="utf-8"))
LOGS: dict[str, Any] = VECTORS["logs"]
FULL, SEAT_0, SEAT_1, SPECTATOR = LOGS["documents"]
OTHER = "0" * 64

SECURE, PLAIN = "https://proof.test", "http://proof.test"
"""Where a browser hashes, and where it does not."""


def _answer(route: Route) -> None:
    if route.request.url.endswith("/proof.js"):
        route.fulfill(path=FOLDER / "scripts" / "proof.js", content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html><title>proof</title>", content_type="text/html")


@pytest.fixture(scope="module")
def proof(browser: Browser) -> Iterator[Page]:
    """A page that has the checker, as `proof`."""
    yield from _page(browser, SECURE)


def _page(browser: Browser, origin: str) -> Iterator[Page]:
    page = browser.new_page()
    page.set_default_timeout(SECONDS * 1000)
    page.route("**/*", _answer)
    page.goto(f"{origin}/")
    page.evaluate("async () => { window.proof = await import('/proof.js'); }")
    page.evaluate("""() => {
        window.bytes = (digits) => Uint8Array.from(digits.match(/../g), (two) => parseInt(two, 16));
        window.hex = (array) => [...array].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    }""")
    yield page
    page.close()


def checks_of_log(page: Page, log: Any, draws: Any = None) -> dict[str, dict[str, Any]]:
    """The checks of a log, by what they check."""
    found = page.evaluate("([log, draws]) => proof.checkLog(log, draws)", [log, draws])
    assert [one["what"] for one in found] == ["commitment", "words", "chain", "seals", "luck"]
    return {one.pop("what"): one for one in found}


def results_of_checks(page: Page, log: Any, draws: Any = None) -> dict[str, str]:
    return {what: one["result"] for what, one in checks_of_log(page, log, draws).items()}


# --- the vectors -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_javascript_hashes_and_derives_lucky_words_as_in_the_vectors(proof: Page) -> None:
    words = VECTORS["words"]
    hashes = proof.evaluate("(all) => Promise.all(all.map(({ typed }) => proof.hashWord(typed)))", words["typed"])
    assert hashes == [one["hash"] for one in words["typed"]]
    derived = proof.evaluate(
        "(all) => Promise.all(all.map(({ seed, seat }) => proof.wordFromSeed(seed, seat)))", words["derived"]
    )
    assert derived == [one["word"] for one in words["derived"]]


@pytest.mark.long
def test_the_javascript_computes_commitment_and_key_as_in_the_vectors(proof: Page) -> None:
    made = proof.evaluate(
        """(all) => Promise.all(all.map(async ({ deal, seed, words }) => [
            await proof.commitmentOf(deal, seed, words[0]), hex(await proof.keyOfLuck(deal, seed, words))]))""",
        VECTORS["keys"],
    )
    assert made == [[one["commitment"], one["key"]] for one in VECTORS["keys"]]


@pytest.mark.long
def test_the_javascript_draws_random_streams_as_in_the_vectors(proof: Page) -> None:
    drawn = proof.evaluate(
        """(all) => Promise.all(all.map(async ({ key, purpose, name, takebacks, draws }) => {
            const stream = await proof.streamOf(bytes(key), purpose, name, takebacks);
            const results = [];
            for (const { kind, n } of draws) results.push(await stream[kind](n));
            return results;
        }))""",
        VECTORS["streams"],
    )
    assert drawn == [[draw["result"] for draw in stream["draws"]] for stream in VECTORS["streams"]]


@pytest.mark.long
def test_the_javascript_computes_salts_and_seals_as_in_the_vectors(proof: Page) -> None:
    made = proof.evaluate(
        """(all) => Promise.all(all.map(async ({ key, n, path, value, salt }) => [
            proof.canonical(value), await proof.saltOf(bytes(key), n, path), await proof.sealOf(salt, value)]))""",
        VECTORS["seals"],
    )
    assert made == [[one["canonical"], one["salt"], one["seal"]] for one in VECTORS["seals"]]


@pytest.mark.long
@pytest.mark.parametrize("log", LOGS["documents"], ids=lambda log: f"viewer {log['viewer']}")
def test_every_viewers_log_gives_the_same_heads_and_marks(proof: Page, log: Any) -> None:
    heads = proof.evaluate("(log) => proof.headsOf(log)", log)
    assert heads == LOGS["heads"]
    assert proof.evaluate("(heads) => heads.map(proof.markOf)", heads) == LOGS["marks"]


# --- what holds --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_full_log_passes_and_lists_how_much_was_checked(proof: Page) -> None:
    sealed = sum(len(entry.get("sealed", {})) for entry in FULL["events"])
    assert checks_of_log(proof, FULL, LOGS["draws"]) == {
        "commitment": {"result": "holds", "count": 64},
        "words": {"result": "holds", "count": 1, "of": 2, "others": 0},
        "chain": {"result": "holds", "count": len(FULL["events"])},
        "seals": {"result": "holds", "count": sealed, "closed": 0},
        "luck": {"result": "holds", "count": len(LOGS["draws"])},
    }


@pytest.mark.long
@pytest.mark.parametrize("log", [SEAT_0, SEAT_1, SPECTATOR], ids=lambda log: f"viewer {log['viewer']}")
def test_of_a_viewers_log_only_the_chain_and_open_seals_are_checked(proof: Page, log: Any) -> None:
    sealed = sum(len(entry.get("sealed", {})) for entry in log["events"])
    seen = sum(len(entry.get("salts", {})) for entry in log["events"])
    found = checks_of_log(proof, log, LOGS["draws"])
    assert found["chain"] == {"result": "holds", "count": len(log["events"])}
    assert found["seals"] == {"result": "holds", "count": seen, "closed": sealed - seen}
    for what in ("commitment", "words", "luck"):
        assert found[what] == {"result": "unchecked", "why": "no_seed"}


@pytest.mark.long
def test_luck_is_not_checked_without_the_list_of_draws(proof: Page) -> None:
    assert checks_of_log(proof, FULL)["luck"] == {"result": "unchecked", "why": "no_draws"}


@pytest.mark.long
def test_a_log_of_the_first_format_is_reported_as_unchecked(proof: Page) -> None:
    first = {"format": "pbem-log/1", "game": "toy", "options": {}, "seats": 2, "viewer": "all", "seed_sha256": OTHER}
    found = checks_of_log(proof, first | {"seed": OTHER, "events": FULL["events"]}, LOGS["draws"])
    assert list(found.values()) == [{"result": "unchecked", "why": "old_format"}] * 5


@pytest.mark.long
def test_a_browser_without_hashing_says_that_it_cannot_check(browser: Browser) -> None:
    for page in _page(browser, PLAIN):
        assert page.evaluate("() => proof.canHash()") is False
        found = checks_of_log(page, FULL, LOGS["draws"])
        assert list(found.values()) == [{"result": "unchecked", "why": "no_hashes"}] * 5


# --- marks -------------------------------------------------------------------------------------------------------


def find_in_log(page: Page, log: Any, text: str) -> Any:
    return page.evaluate("([log, text]) => proof.findMark(log, text)", [log, text])


@pytest.mark.long
@pytest.mark.parametrize("log", [FULL, SPECTATOR], ids=["full", "spectator"])
def test_each_mark_and_each_head_leads_to_its_entry(proof: Page, log: Any) -> None:
    for n, (head, mark) in enumerate(zip(LOGS["heads"], LOGS["marks"], strict=True)):
        assert find_in_log(proof, log, mark) == n
        assert find_in_log(proof, log, f" {mark[:4].lower()} {mark[5:].lower()}\n") == n
        assert find_in_log(proof, log, f"{head[:32]}\n {head[32:].upper()}") == n


@pytest.mark.long
def test_a_mark_of_another_log_is_not_found(proof: Page) -> None:
    assert find_in_log(proof, FULL, "0000-0000") is None
    assert find_in_log(proof, FULL, OTHER) is None
    changed = copy.deepcopy(FULL)
    changed["events"][4]["event"]["card"] = "a"
    assert find_in_log(proof, changed, LOGS["marks"][4]) == 4
    assert find_in_log(proof, changed, LOGS["marks"][5]) is None


@pytest.mark.long
@pytest.mark.parametrize("text", ["", "7K3M", "7K3M-9QXU", OTHER[1:], "€€€€-€€€€"])
def test_a_text_that_is_neither_a_mark_nor_a_head_is_refused(proof: Page, text: str) -> None:
    with pytest.raises(Exception, match="neither a mark nor 64 digits"):
        find_in_log(proof, FULL, text)


# --- changed logs ------------------------------------------------------------------------------------------------


def _places_of_values(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in a document that are no objects or lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in items:
        yield from _places_of_values(one, (*at, name)) if isinstance(one, dict | list) and one else iter([(*at, name)])


def _with_changed_value(document: Any, place: tuple[Any, ...]) -> Any:
    """The document with another value there, of the same kind."""
    changed = copy.deepcopy(document)
    holder = changed
    for name in place[:-1]:
        holder = holder[name]
    value = holder[place[-1]]
    if isinstance(value, str) and len(value) == len(OTHER):
        holder[place[-1]] = ("1" if value[0] == "0" else "0") + value[1:]
    elif isinstance(value, bool) or value is None:
        holder[place[-1]] = not value
    else:
        holder[place[-1]] = value + 1 if isinstance(value, int) else "x"
    return changed


@pytest.mark.long
def test_no_value_of_a_full_log_can_be_changed_unnoticed(proof: Page) -> None:
    places = [*_places_of_values(FULL)]
    assert len(places) > 70
    for place in places:
        found = results_of_checks(proof, _with_changed_value(FULL, place), LOGS["draws"])
        if place in {("format",), ("viewer",)}:
            # A log of another form, or of one viewer, is not checked; it does not hold either.
            assert found["commitment"] == "unchecked", place
        else:
            assert "broken" in found.values(), place


@pytest.mark.long
def test_no_value_of_a_viewers_log_can_be_changed_unnoticed(proof: Page) -> None:
    for place in _places_of_values(SEAT_1):
        found = results_of_checks(proof, _with_changed_value(SEAT_1, place))
        if place in {("format",), ("viewer",)}:
            assert found["commitment"] == "unchecked", place
        else:
            assert "broken" in (found["chain"], found["seals"]), place


@pytest.mark.long
def test_no_draw_can_be_changed_unnoticed(proof: Page) -> None:
    for place in _places_of_values(LOGS["draws"]):
        if place == (0, "entry"):
            continue  # at which decision the rules draw something, only they can say
        assert results_of_checks(proof, FULL, _with_changed_value(LOGS["draws"], place))["luck"] == "broken", place
    backwards = LOGS["draws"][::-1]
    assert results_of_checks(proof, FULL, backwards)["luck"] == "broken"
    again = [*LOGS["draws"], LOGS["draws"][0] | {"entry": 7}]
    assert results_of_checks(proof, FULL, again)["luck"] == "broken"


def _seal_again(entry: Any) -> None:
    entry["sealed"]["event.card"] = OTHER


def _without_its_salt(entry: Any) -> None:
    del entry["salts"]["event.card"]


def _a_salt_too_many(entry: Any) -> None:
    entry["salts"]["event.seat"] = OTHER


def _a_path_of_nothing(entry: Any) -> None:
    entry["sealed"]["event.nothing"] = OTHER


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "path"),
    [
        (_seal_again, "event.card"),
        (_without_its_salt, "event.card"),
        (_a_salt_too_many, "event.seat"),
        (_a_path_of_nothing, "event.nothing"),
    ],
)
def test_the_check_names_the_entry_of_a_wrong_seal_or_salt(
    proof: Page, change: Callable[[Any], None], path: str
) -> None:
    changed = copy.deepcopy(SEAT_1)
    change(changed["events"][2])
    assert checks_of_log(proof, changed)["seals"] == {"result": "broken", "entry": 3, "path": path}


@pytest.mark.long
def test_entries_cannot_be_dropped_or_reordered(proof: Page) -> None:
    events = FULL["events"]
    swapped = [*events[:2], events[3], events[2], *events[4:]]
    for changed in (events[:-1], events[1:], [*events[:3], *events[4:]], swapped):
        assert results_of_checks(proof, FULL | {"events": changed}, LOGS["draws"])["chain"] == "broken"


@pytest.mark.long
@pytest.mark.parametrize("name", ["words", "events", "deal", "commitment", "head", "options", "seats"])
def test_a_malformed_log_document_does_not_pass(proof: Page, name: str) -> None:
    for other in ({k: v for k, v in FULL.items() if k != name}, FULL | {name: 7}, FULL | {name: [7.5, {"a": None}]}):
        assert "broken" in results_of_checks(proof, other, LOGS["draws"]).values()


@pytest.mark.long
def test_a_log_of_a_shared_deal_passes_only_for_its_own_table(proof: Page, sqlite_url: str, tmp_path: Path) -> None:
    full = log_with_takeback_at_a_shared_deal(sqlite_url, tmp_path)
    log, draws = json.loads(log_to_bytes(full)), json.loads(encode(draws_of_rules_and_clock(full)))
    assert set(results_of_checks(proof, log, draws).values()) == {"holds"}
    other = results_of_checks(proof, log | {"table": OTHER[:24]}, draws)
    assert (other["chain"], other["seals"], other["luck"]) == ("broken", "broken", "holds")
    alone = {name: value for name, value in log.items() if name != "table"}
    assert results_of_checks(proof, alone, draws)["luck"] == "broken", "a take-back changes the draws of all other logs"
