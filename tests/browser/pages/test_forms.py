"""Forms with and without scripts: time zones, folds, and errors that move nothing out of line."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.games import click_and_wait
from tests.table import House

TALL = {"width": 390, "height": 844}


@pytest.mark.long
def test_the_browsers_time_zone_is_proposed_and_stands_first_in_the_list(
    browser: Browser, home: House, base: str
) -> None:
    path = f"/confirm/{home.token('confirm', home.create(3), 0)}"
    for scripts, zone in ((True, "Asia/Tokyo"), (False, "Europe/Paris")):
        context = browser.new_context(viewport=TALL, timezone_id="Asia/Tokyo", java_script_enabled=scripts)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(base + path)
        expect(page.locator("input[name=zone]")).to_have_value(zone)
        first = page.locator("datalist option").first.get_attribute("value")
        assert (first == "Asia/Tokyo") == scripts
        context.close()


@pytest.mark.long
def test_the_form_of_a_new_match_works_without_scripts(browser: Browser, base: str) -> None:
    context = browser.new_context(viewport=TALL, java_script_enabled=False, locale="en-GB")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{base}/new?game=allegeance")
    click_and_wait(page, page.get_by_role("link", name="Open table"))
    click_and_wait(page, page.get_by_role("link", name="With friends"))
    page.fill("input[name=name]", "Alice")
    page.fill("input[name=address]", "forms@example.org")
    page.fill("textarea[name=friends]", "nobody")
    bank = page.locator("select[name=bank]")
    expect(bank).to_be_hidden()
    page.locator(".fold summary").first.click()
    bank.select_option("3600")
    page.select_option("select[name=increment]", "86400")
    page.locator("button.play").click()
    for name in ("friends", "increment"):
        field = page.locator(f"[name={name}]")
        expect(field).to_be_visible()
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.locator(f"#wrong-{name}")).to_be_visible()
    expect(page.locator("textarea[name=friends]")).to_be_focused()
    page.fill("textarea[name=friends]", "Bob <bob.forms@example.org>")
    page.select_option("select[name=increment]", "60")
    page.locator("button.play").click()
    expect(page).to_have_url(f"{base}/new/sent")
    context.close()


@pytest.mark.long
def test_a_form_error_stands_below_its_field_and_shifts_no_other_field(browser: Browser, base: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    page = context.new_page()
    page.goto(f"{base}/new?game=hogen")
    page.locator("button.play").evaluate("button => { button.form.noValidate = true }")
    page.fill("input[name=name]", "www.evil.example")
    page.fill("input[name=address]", "forms@example.org")

    def tops() -> list[float]:
        boxes = [page.locator(f"input[name={name}]").bounding_box() for name in ("name", "address")]
        return [box["y"] for box in boxes if box is not None]

    before = tops()
    page.locator("button.play").click()
    expect(page.locator("#wrong-name")).to_be_visible()
    assert tops() == before
    below, field = page.locator("#wrong-name").bounding_box(), page.locator("input[name=name]").bounding_box()
    assert below is not None
    assert field is not None
    assert (below["x"], below["y"] >= field["y"] + field["height"]) == (field["x"], True)
    context.close()


@pytest.mark.long
def test_a_second_tab_shows_both_notes_before_it_overwrites_the_first(browser: Browser, home: House, base: str) -> None:
    path = f"{base}/play/{home.token('play', home.begin(3), 0)}/talk"
    context = browser.new_context(viewport=TALL, locale="en-GB")  # type: ignore[arg-type]
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.goto(f"{path}?lang=en")
    first.fill("textarea[name=note]", "Bob has a four")
    first.get_by_role("button", name="Save note").click()
    expect(first.locator("#note .notice")).to_have_text("Note saved.")
    second.fill("textarea[name=note]", "Carol has a two")
    second.get_by_role("button", name="Save note").click()
    expect(second.get_by_role("heading", level=1)).to_have_text("Changed meanwhile")
    expect(second.get_by_label("Saved now")).to_have_value("Bob has a four")
    second.fill("textarea[name=note]", "Bob has a four, Carol a two")
    click_and_wait(second, second.get_by_role("button", name="Save what I entered"))
    expect(second.locator("textarea[name=note]")).to_have_value("Bob has a four, Carol a two")
    context.close()
