"""Every fault is answered, even if no template can be rendered."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import FileSystemLoader

from pbem import create_app
from pbem.errors import Unavailable
from pbem.render import i18n
from tests.web.cast import Page, Web

BARE = "Something went wrong on our side."


@pytest.mark.long
@pytest.mark.parametrize("path", ["/", "/nowhere", "/play/no-token"])
def test_an_error_page_is_shown_even_without_templates(
    web: Web, tmp_path: Path, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    web.app = create_app(site=web.site)
    web.app.jinja_env.loader = FileSystemLoader(tmp_path)
    answer = web.client().get(path)
    assert answer.status_code == 500
    assert BARE in Page(answer.text).words
    said = capfd.readouterr()
    assert "page.unrendered" in said.out + said.err, "the host must learn of it"
    assert "TemplateNotFound" in said.out + said.err


def test_an_error_page_without_a_catalogue_is_in_both_languages(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(i18n, "CATALOGUES", tmp_path)
    i18n.message_catalogue.cache_clear()
    try:
        answer = web.client("fr").get("/nowhere")
    finally:
        i18n.message_catalogue.cache_clear()
    assert answer.status_code == 500
    assert "Une erreur s’est produite de notre côté" in Page(answer.text).words
    assert BARE in answer.text


def test_without_templates_a_503_still_has_retry_after(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise Unavailable("The service cannot reach its database just now.", retry_after=7)

    web.app = create_app(site=web.site)
    web.app.jinja_env.loader = FileSystemLoader(tmp_path)
    monkeypatch.setitem(web.app.view_functions, "start.show_home", away)
    answer = web.client().get("/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "7")
    assert BARE in Page(answer.text).words
