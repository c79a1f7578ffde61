"""A replay that was saved as a page: opened from the disk with no network, watched, and checked by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from pbem import create_app
from pbem.features.pictures import drawing, pictures
from pbem.features.pictures.pictures import Wanted
from pbem.kit.logs.chain import hash_word, word_from_seed
from pbem.services.views import match_views, replays
from pbem.services.views.match_views import read_log
from tests.browser.accessible.axe import open_reader
from tests.browser.games import DESKTOP, EACH, PHONE
from tests.docs.gallery import END, advance_match, house
from tests.harness.waiting import SECONDS
from tests.table import House

pytestmark = pytest.mark.browser

MOST = 1_000_000
"""The bytes of the page of a match as bots play it, at most."""
DATA = re.compile(r'(<script type="application/json" id="(\w+)">)(.*?)(</script>)', re.DOTALL)


class Saved:
    """Matches that bots have played to their end, one a game, and their pages on the disk."""

    def __init__(self, home: House, folder: Path) -> None:
        self.home = home
        self.client = create_app(site=home.site).test_client()
        self.folder = folder
        self._matches: dict[str, str] = {}

    def match(self, slug: str) -> str:
        """The id of the match of this game."""
        if slug not in self._matches:
            self._matches[slug] = self.home.begin(4, slug)
            advance_match(self.home, self._matches[slug], END)
        return self._matches[slug]

    def file(self, slug: str, lang: Any = "en") -> Path:
        """The page of the match."""
        path = self.folder / f"{slug}-{lang}.html"
        if not path.exists():
            match_id, site = self.match(slug), self.home.site
            made = pictures.request_picture(site, match_id, None, lang, "", Wanted("htm"))
            while drawing.draw_frames_of_next_picture(site):
                pass
            answer = self.client.get(f"/replay/{match_id}/pictures/{made}/file")
            assert answer.status_code == 200
            path.write_bytes(answer.data)
        return path


@pytest.fixture(scope="module")
def page_on_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Saved]:
    with house() as home:
        yield Saved(home, tmp_path_factory.mktemp("saved"))


def open_page(browser: Browser, path: Path, **options: Any) -> Iterator[Page]:
    """The page, opened from the disk. It asks for nothing else, and nothing on it goes wrong."""
    context = browser.new_context(locale="en-GB", **{"viewport": PHONE, "offline": True, **options})
    context.set_default_timeout(SECONDS * 1000)
    troubles: list[str] = []

    def refuse(route: Route) -> None:
        if route.request.url.split("#")[0] == path.as_uri():
            route.continue_()
        elif not route.request.url.startswith("data:"):
            troubles.append(route.request.url)
            route.abort()

    context.route("**/*", refuse)
    page = context.new_page()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None)
    page.goto(path.as_uri())
    yield page
    context.close()
    assert troubles == []


def copy_with_change(path: Path, folder: Path, **changes: Callable[[Any], Any]) -> Path:
    """A copy of the page in which somebody has changed the data of these names."""

    def put(found: re.Match[str]) -> str:
        if found[2] not in changes:
            return found[0]
        return f"{found[1]}{json.dumps(changes[found[2]](json.loads(found[3])))}{found[4]}"

    copy = folder / "changed.html"
    copy.write_text(DATA.sub(put, path.read_text(encoding="utf-8")), encoding="utf-8")
    return copy


def results_of_self_check(page: Page) -> list[str]:
    """Lets the page check itself; returns the names of what holds, does not hold, or is not checked."""
    page.get_by_role("button", name="Check this match").click()
    expect(page.locator("#checked .checks")).to_be_visible()
    return [str(name) for name in page.locator("#checked li").evaluate_all("(all) => all.map((li) => li.className)")]


def compare_mark(page: Page, text: str) -> str:
    page.locator("#mark").fill(text)
    page.locator("#agreed").evaluate("(said) => said.replaceChildren()")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#agreed")).not_to_be_empty()
    return page.locator("#agreed").inner_text()


NOWHERE = ["unchecked"] * 2
"""Rules and bots, and what nobody can check."""
HOLDS = ["holds", "unchecked", "holds", "holds", "holds", *NOWHERE]
"""Commitment, chain, seals and luck hold; nobody typed a lucky word, so these show nothing."""


# --- watching ----------------------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("slug", EACH)
def test_each_games_saved_page_is_small_and_checks_itself_offline(
    browser: Browser, page_on_disk: Saved, slug: str
) -> None:
    path = page_on_disk.file(slug)
    assert path.stat().st_size < MOST
    for page in open_page(browser, path):
        assert results_of_self_check(page) == HOLDS


@pytest.mark.long
@pytest.mark.parametrize("slug", ["hogen", pytest.param("niigata", marks=pytest.mark.long)])
def test_a_saved_page_has_the_boards_and_sentences_of_the_replay(
    browser: Browser, page_on_disk: Saved, slug: str
) -> None:
    match_id = page_on_disk.match(slug)
    seen = replays.read_replay(page_on_disk.home.site, match_id, None, "en")
    for page in open_page(browser, page_on_disk.file(slug)):
        told = page.locator("#steps [data-step]").all_inner_texts()
        assert len(told) == len(seen.steps)
        for step in (seen.steps[0], seen.steps[len(seen.steps) // 2], seen.steps[-2]):
            page.locator(f"#steps [data-step='{step.n}']").click()
            expect(page.locator("#at")).to_have_text(str(step.n))
            shown = page.locator("#board > svg:not(.off) text").all_text_contents()
            expected = page.evaluate(
                """(svg) => [...new DOMParser().parseFromString(svg, "text/html").querySelectorAll("svg text")]
                    .map((text) => text.textContent)""",
                str(seen.picture(step)),
            )
            assert shown == expected
            told_now = page.locator("#told").inner_text()
            assert told_now.split() == page.locator(f"#steps [data-step='{step.n}'] > :last-child").inner_text().split()
        missing = page.evaluate(
            """() => [...document.querySelectorAll("use")].map((use) => use.getAttribute("href"))
                .filter((href) => !document.querySelector(href))"""
        )
        assert missing == []


@pytest.mark.long
def test_keys_slider_and_controls_step_through_a_saved_page(browser: Browser, page_on_disk: Saved) -> None:
    for page in open_page(browser, page_on_disk.file("hogen"), viewport=DESKTOP):
        last = int(page.locator("#replay").get_attribute("data-last") or 0)
        at = page.locator("#at")
        expect(at).to_have_text(str(last))
        for key, step in (("ArrowLeft", last - 1), ("Home", 1), ("ArrowRight", 2), ("End", last)):
            page.keyboard.press(key)
            expect(at).to_have_text(str(step))
        for control, step in (("first", 1), ("next", 2), ("last", last), ("prev", last - 1)):
            page.locator(f"#{control}").click()
            expect(at).to_have_text(str(step))
        page.locator("#step").evaluate("(slider) => { slider.value = 5; slider.dispatchEvent(new Event('input')) }")
        expect(at).to_have_text("5")
        page.locator("#run").click()
        expect(page.locator("#run")).to_have_attribute("aria-label", "Pause")
        expect(at).to_have_text("6")


@pytest.mark.long
def test_without_scripts_a_saved_page_shows_the_last_board_and_the_story(browser: Browser, page_on_disk: Saved) -> None:
    for page in open_page(browser, page_on_disk.file("hogen"), java_script_enabled=False):
        expect(page.locator("#board > svg")).to_be_visible()
        assert page.locator("#steps li [data-step]").count() > 20
        expect(page.get_by_text("Without scripts, this page shows the last board and the story.")).to_be_visible()
        for scripted in ("#proof", "#replay", ".transport"):
            expect(page.locator(scripted)).to_be_hidden()


@pytest.mark.long
def test_a_saved_page_has_no_links_and_loads_nothing(page_on_disk: Saved) -> None:
    html = page_on_disk.file("niigata").read_text(encoding="utf-8")
    assert {link[0] for link in re.findall(r'\b(?:href|src|action)="([^"]*)"', html)} == {"#", "d"}
    assert "url(http" not in html
    assert "@import" not in html


@pytest.mark.long
def test_a_saved_page_is_accessible_and_available_in_french(browser: Browser, page_on_disk: Saved) -> None:
    path = page_on_disk.file("hogen", "fr")
    with open_reader(browser, path.as_uri(), lang="fr") as reader:
        page = reader.page
        page.goto(path.as_uri())
        assert page.locator("html").get_attribute("lang") == "fr"
        reader.look("as it is opened")
        page.get_by_role("button", name="Vérifier cette partie").click()
        expect(page.locator("#checked")).to_contain_text("Tout ce que cette page peut vérifier tient.")
        reader.look("checked")


# --- checking ----------------------------------------------------------------------------------------------------


def _another_fact(log: Any) -> Any:
    log["events"][1]["event"]["card"] = log["events"][2]["event"]["card"]
    return log


def _a_later_time(log: Any) -> Any:
    log["events"][5]["at"] = "2026-03-12T13:04:00Z"
    return log


def _another_seed(log: Any) -> Any:
    return log | {"seed": "00" * 32}


def _another_word(log: Any) -> Any:
    return log | {"words": [*log["words"][:-1], "00" * 32]}


def _another_draw(draws: Any) -> Any:
    return [draws[0] | {"result": draws[0]["result"][::-1]}, *draws[1:]]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "change", "broken", "said"),
    [
        ("log", _another_fact, {3}, "Secrets: entry 2 shows something other than what was sealed."),
        ("log", _a_later_time, {2}, "Story: its entries do not lead to the last mark."),
        ("log", _another_seed, {0, 3, 4}, "Envelope: its content does not give the characters on it."),
        ("log", _another_word, {2, 3, 4}, "Draws: what was drawn for entry 1 does not follow"),
        ("draws", _another_draw, {4}, "Draws: what was drawn for entry 1 does not follow"),
    ],
    ids=["fact", "time", "seed", "word", "draw"],
)
def test_a_tampered_saved_page_says_which_check_fails(
    browser: Browser,
    page_on_disk: Saved,
    tmp_path: Path,
    name: str,
    change: Callable[[Any], Any],
    broken: set[int],
    said: str,
) -> None:
    path = copy_with_change(page_on_disk.file("hogen"), tmp_path, **{name: change})
    for page in open_page(browser, path):
        results = results_of_self_check(page)
        assert {at for at, result in enumerate(results) if result == "broken"} == broken
        expect(page.locator("#checked > .notice.trouble")).to_be_visible()
        expect(page.locator("#checked")).to_contain_text("Something does not hold")
        expect(page.locator("#checked")).to_contain_text(said)


@pytest.mark.long
def test_a_saved_page_checks_a_log_without_its_seed_in_part(
    browser: Browser, page_on_disk: Saved, tmp_path: Path
) -> None:
    def without_seed(log: Any) -> Any:
        del log["seed"]
        return log

    path = copy_with_change(page_on_disk.file("hogen"), tmp_path, log=without_seed, draws=lambda _draws: None)
    for page in open_page(browser, path):
        assert results_of_self_check(page) == ["unchecked", "unchecked", "holds", "unchecked", "unchecked", *NOWHERE]
        expect(page.locator("#checked")).to_contain_text("This page can check only a part")


@pytest.mark.long
def test_a_saved_page_of_a_log_of_the_first_format_says_it_has_no_chain(
    browser: Browser, page_on_disk: Saved, tmp_path: Path
) -> None:
    def first(log: Any) -> Any:
        events = [{k: v for k, v in entry.items() if k != "sealed"} for entry in log["events"]]
        kept = {name: log[name] for name in ("game", "options", "seats", "viewer", "seed")}
        return kept | {"format": "pbem-log/1", "seed_sha256": "00" * 32, "events": events}

    path = copy_with_change(page_on_disk.file("hogen"), tmp_path, log=first, draws=lambda _draws: None)
    for page in open_page(browser, path):
        assert results_of_self_check(page) == NOWHERE
        expect(page.locator("#checked")).to_contain_text("without a chain and marks")
        assert compare_mark(page, "7K3M-9QXT") == "This log is of an older form, which has no marks and no words."


@pytest.mark.long
def test_in_a_saved_page_a_mark_from_a_mail_leads_to_its_step(browser: Browser, page_on_disk: Saved) -> None:
    log = read_log(page_on_disk.home.site, page_on_disk.match("hogen"), None)
    heads = log.heads()
    seen = replays.read_replay(page_on_disk.home.site, page_on_disk.match("hogen"), None, "en")
    for page in open_page(browser, page_on_disk.file("hogen")):
        marks = page.locator("#proof .s.muted").inner_text()
        step = seen.steps[9]
        assert compare_mark(page, heads[step.entry]).startswith(f"Yes: this email was sent after step {step.n}, ")
        page.get_by_role("link", name=f"Show step {step.n}").click()
        expect(page.locator("#at")).to_have_text(str(step.n))
        last = re.search(r"\w{4}-\w{4}", marks)
        assert last is not None
        found = compare_mark(page, last[0].lower().replace("-", " "))
        assert found.startswith(f"Yes: after step {len(seen.steps)} this log has this mark. To be certain, compare")
        assert "before the first step" in compare_mark(page, heads[0])
        assert "characters on the envelope" in compare_mark(page, log.commitment)
        assert "characters on the envelope" in compare_mark(page, log.commitment[:16])
        assert compare_mark(page, "0000-0000").startswith("No: no step of this log has this mark, and nobody")
        assert compare_mark(page, "7K3M").startswith("No: nobody in this match has this lucky word, and it is neither")


@pytest.mark.long
def test_a_lucky_word_typed_into_a_saved_page_names_its_player(
    browser: Browser, page_on_disk: Saved, tmp_path: Path
) -> None:
    log = read_log(page_on_disk.home.site, page_on_disk.match("hogen"), None)
    assert log.seed is not None
    names = match_views.read_sheet(page_on_disk.home.site, page_on_disk.match("hogen"), None).names
    for page in open_page(browser, page_on_disk.file("hogen")):
        own = word_from_seed(log.seed, 1)
        assert compare_mark(page, f" {own.upper()}\n") == f"Yes: this is the word that counts for {names[1]}."

    def with_words(log: Any) -> Any:
        return log | {"words": [hash_word("prune"), *[hash_word("abricots")] * (len(log["words"]) - 1)]}

    for page in open_page(browser, copy_with_change(page_on_disk.file("hogen"), tmp_path, log=with_words)):
        assert compare_mark(page, "prune") == f"Yes: this is the word that counts for {names[0]}."
        said = compare_mark(page, "Abricots")
        assert [name in said for name in names] == [False, *[True] * (len(names) - 1)], "eight letters, but no mark"
        assert compare_mark(page, "myrtille").startswith(
            "No: no step of this log has this mark, and nobody has this lucky"
        )


@pytest.mark.long
def test_the_log_in_a_saved_page_can_be_downloaded(browser: Browser, page_on_disk: Saved, tmp_path: Path) -> None:
    log = read_log(page_on_disk.home.site, page_on_disk.match("hogen"), None)
    for page in open_page(browser, page_on_disk.file("hogen")):
        with page.expect_download() as loading:
            page.get_by_role("button", name="Save the log").click()
        loading.value.save_as(tmp_path / "log.json")
        assert json.loads((tmp_path / "log.json").read_bytes()) == json.loads(json.dumps(log.document()))
