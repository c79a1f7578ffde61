"""A GIF of a replay in a browser: asked for, watched while a worker draws it, and shown; by scripts and by links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from pbem.features.pictures import drawing
from tests.browser.accessible.axe import open_reader
from tests.browser.games import PHONE
from tests.harness.undrawn import flat_frames as flat_frames
from tests.harness.waiting import SECONDS
from tests.table import House

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("flat_frames")]


@pytest.fixture(scope="module")
def match_id(home: House) -> str:
    """A match with some steps, which is still running."""
    started = home.begin(3)
    for _ in range(8):
        home.play(started, home.asks(started)[0].seat)
    return started


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run draws one frame."""
    monkeypatch.setattr(drawing, "RUN_S", 0.0)


def pages(browser: Browser, script: bool) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", viewport=PHONE, java_script_enabled=script)  # type: ignore[arg-type]
    context.set_default_timeout(SECONDS * 1000)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert troubles == []


def draw_all(home: House) -> None:
    while drawing.draw_frames_of_next_picture(home.site):
        pass


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.usefixtures("one_at_a_time")
@pytest.mark.parametrize("script", [True, False], ids=["scripts", "links"])
def test_a_gif_is_asked_for_watched_and_downloaded(
    browser: Browser, home: House, base: str, match_id: str, script: bool, tmp_path: Path
) -> None:
    replay = f"{base}/play/{home.token('play', match_id, 1)}/replay"
    for page in pages(browser, script):
        page.goto(f"{replay}?step=1")
        page.get_by_text("Save as a GIF or a picture").click()
        page.get_by_label("From step").fill("2")
        page.get_by_label("To step").fill("4" if script else "5")
        page.get_by_role("button", name="Make a GIF").click()
        page.wait_for_url("**/pictures/*")
        expect(page.locator("#drawn")).to_contain_text("0 of")
        drawing.draw_frames_of_next_picture(home.site)
        if not script:
            page.get_by_role("link", name="Look again").click()
        expect(page.locator("#drawn")).to_contain_text("1 of")
        draw_all(home)
        if not script:
            page.get_by_role("link", name="Look again").click()
        expect(page.locator("img.made")).to_be_visible()
        if script:
            page.wait_for_function("() => document.querySelector('img.made').naturalWidth > 0")
            expect(page.locator("#said")).to_contain_text("3 steps")
        with page.expect_download() as loading:
            page.get_by_role("link", name="Download the GIF").click()
        loading.value.save_as(tmp_path / "some.gif")
        with Image.open(tmp_path / "some.gif") as image:
            assert getattr(image, "n_frames") == (3 if script else 4)  # noqa: B009  # of animations only
        page.get_by_role("link", name="Back to the replay").click()
        page.wait_for_url("**/replay?viewer=1")


@pytest.mark.long
def test_the_gif_form_follows_the_replays_step_until_others_are_chosen(
    browser: Browser, base: str, match_id: str
) -> None:
    for page in pages(browser, True):
        page.goto(f"{base}/replay/{match_id}?step=1")
        page.get_by_text("Save as a GIF or a picture").click()
        first, last = page.get_by_label("From step"), page.get_by_label("To step")
        length = int(last.input_value()) - int(first.input_value())
        steps = int(last.get_attribute("max") or 0)
        page.locator("#next").click()
        expect(page.get_by_role("button", name="Picture of step 2")).to_be_visible()
        expect(first).to_have_value(str(min(2, steps - length)))
        first.fill("1")
        last.fill("2")
        page.locator("#next").click()
        expect(page.get_by_role("button", name="Picture of step 3")).to_be_visible()
        expect(first).to_have_value("1")
        page.get_by_role("button", name="Picture of step 3").click()
        page.wait_for_url("**/pictures/*")
        expect(page.locator("#drawn")).to_have_text("0 of 1 frame drawn.")


@pytest.mark.long
def test_axe_accepts_the_page_of_a_gif_in_every_state(browser: Browser, home: House, base: str, match_id: str) -> None:
    replay = f"/play/{home.token('play', match_id, 2)}/replay"
    draw_all(home)
    with open_reader(browser, base) as reader:
        page = reader.go(f"{replay}?step=2")
        page.get_by_text("Save as a GIF or a picture").click()
        reader.look("the form")
        page.get_by_role("button", name="Make a GIF").click()
        page.wait_for_url("**/pictures/*")
        reader.look("while it is drawn")
        draw_all(home)
        expect(page.locator("img.made")).to_be_visible()
        reader.look("finished")
