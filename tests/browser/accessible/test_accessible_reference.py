"""The reference of the API, checked by axe-core, with operations unfolded."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from pbem import create_app
from tests.browser.accessible.axe import LIGHT_FIRST, open_reader
from tests.docs.gallery import house, serve_pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]


@pytest.mark.long
@LIGHT_FIRST
@pytest.mark.parametrize("lang", ["en", pytest.param("fr", marks=pytest.mark.long)])
def test_axe_accepts_the_api_reference(browser: Browser, lang: str, dark: bool) -> None:
    with (
        house() as home,
        serve_pages(create_app(site=home.site)) as base,
        open_reader(browser, base, lang=lang, dark=dark) as reader,
    ):
        page = reader.go("/docs/api")
        for name in ("createMatch", "getQuestion", "takeHolidayBack"):
            page.locator(f"#{name} summary").click()
        reader.look("reference, unfolded")
        reader.see("errors", "/docs/api/errors")
        for name in ("NewMatch", "hogen.NewMatch", "Problem"):
            reader.see(f"schema {name}", f"/docs/api/schemas/{name}")
