"""The generated reference pages: they are complete, and load nothing from other sites."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.api.protocol.problems import ADVICE, codes
from pbem.errors import Problem
from tests.api.cast import Api, json_of
from tests.harness.cases import cases
from tests.web.cast import Page

HARMLESS = "default-src 'none'; style-src 'self'; script-src 'self'"


@pytest.fixture
def document(rest: Api) -> dict[str, Any]:
    found: dict[str, Any] = json_of(rest.caller().get("/openapi.json"))
    return found


def read_page(rest: Api, path: str, language: str = "en") -> Page:
    """The parsed page."""
    answer = rest.app.test_client().get(path, headers={"Accept-Language": language})
    assert answer.status_code == 200, path
    assert answer.headers["Content-Security-Policy"].startswith(HARMLESS)
    page = Page(answer.text)
    for tag, known in page.tags:
        assert tag not in ("style", "iframe", "img", "object"), path
        assert not [name for name in known if name == "style" or name.startswith("on")], (path, tag)
        for name in ("src", "href", "action"):
            assert known.get(name, "/").startswith(("/", "#")), (path, known)
            assert not known.get(name, "/").startswith("//"), (path, known)
    ids = [known["id"] for _, known in page.tags if "id" in known]
    assert len(ids) == len(set(ids)), path
    return page


@pytest.mark.long
@cases("language", ["en", "fr"])
def test_the_reference_page_lists_every_operation_with_its_parameters(
    rest: Api, document: dict[str, Any], language: str
) -> None:
    page = read_page(rest, "/docs/api", language)
    ids = {known.get("id") for _, known in page.tags}
    for path, item in document["paths"].items():
        assert f"<code>{path}</code>" in page.text
        for method, operation in item.items():
            if method == "parameters":
                continue
            assert operation["operationId"] in ids
            for parameter in operation["parameters"]:
                assert f"<code>{parameter['name']}</code>" in page.text


@pytest.mark.long
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)], ids=["some", "all"])
def test_the_reference_page_links_to_a_page_for_each_schema(rest: Api, document: dict[str, Any], whole: bool) -> None:
    some = {f"/docs/api/schemas/{name}" for name in ("NewMatch", "hogen.Move", "hogen.Call", "Problem", "Calendar")}
    queue, found = ["/docs/api"], set[str]()
    while queue and (whole or not some <= found):
        for href in read_page(rest, queue.pop()).hrefs():
            if href.startswith("/docs/api") and href.partition("?")[0] not in found:
                found.add(href.partition("?")[0])
                queue.append(href.partition("?")[0])
    schemas = {path.removeprefix("/docs/api/schemas/") for path in found if "/schemas/" in path}
    assert schemas <= set(document["components"]["schemas"])
    assert {"NewMatch", "hogen.Move", "hogen.Call", "Problem", "Calendar"} <= schemas
    assert "/docs/api/errors" in found


def test_a_schemas_page_gives_each_fields_type_and_whether_it_is_required(rest: Api) -> None:
    text = read_page(rest, "/docs/api/schemas/Answer").text
    assert "<code>key</code> <span>string ≤ 64</span>" in text
    assert (
        "<code>text</code> <span>string ≤ 500</span> · <b>required</b>"
        in read_page(rest, "/docs/api/schemas/NewMessage").text
    )
    assert 'href="/docs/api/schemas/Move"' in text
    assert "No other value is allowed." in text
    assert "Fields may be added" in read_page(rest, "/docs/api/schemas/OpenRequest").text


def test_a_schema_that_is_not_there_is_not_found(rest: Api) -> None:
    assert rest.app.test_client().get("/docs/api/schemas/Nobody").status_code == 404


def test_the_document_and_the_page_know_every_code_of_an_error(rest: Api, document: dict[str, Any]) -> None:
    def kinds(kind: type[Problem]) -> set[str]:
        below = [inner for inner in kind.__subclasses__() if inner.__module__.startswith("pbem.")]
        return {inner.code for inner in below}.union(*map(kinds, below))

    told = {row["code"] for row in document["x-codes"]}
    assert told == kinds(Problem) == set(ADVICE)
    page = read_page(rest, "/docs/api/errors")
    assert told <= {known.get("id") for _, known in page.tags}
    assert [(row["status"], row["code"]) for row in codes()] == sorted((r["status"], r["code"]) for r in codes())
    assert all(row["means"].endswith(".") and row["do"].endswith(".") for row in codes())


@pytest.mark.long
def test_the_preferences_page_links_to_the_api_reference(rest: Api) -> None:
    rest.start()
    client = rest.app.test_client()
    assert client.post(f"/account/{rest.site.tokens.for_account(1, 0, rest.site.now())}").status_code == 303
    assert "/docs/api" in Page(client.get("/me").text).hrefs()
