"""The examples of docs/hosting.md for the web server in front have browsers use https alone."""

from __future__ import annotations

import re

from tests.harness.cases import cases
from tests.production.topology import ROOT

PAGE = (ROOT / "docs" / "hosting.md").read_text()
PROMISE = "Strict-Transport-Security max-age=31536000"


def examples_with_word(lang: str, word: str) -> str:
    """Returns the examples in this language, put together, that have the word."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.M | re.S)
    found = [text for language, text in fenced if language == lang and word in text]
    assert found
    return "\n".join(found)


def levels_of_braces(text: str) -> list[str]:
    """Returns what stands at each level of braces, without the levels below it."""
    found = [""]
    done = []
    for piece in re.split(r"([{}](?=\s))", text):
        if piece == "{":
            found.append("")
        elif piece == "}":
            done.append(found.pop())
        else:
            found[-1] += piece
    return [*done, *found]


def test_nginx_promises_https_beside_every_header_and_redirects_port_80() -> None:
    servers = examples_with_word("nginx", "proxy_pass")
    for level in levels_of_braces(servers + examples_with_word("nginx", "@back")):
        assert "add_header" not in level or f"add_header {PROMISE} always;" in level, level
        assert "listen 443" not in level or PROMISE in level, level
    assert re.search(r"listen 80;.*?return 301 https://play\.example\.org\$request_uri;", servers, re.S)


@cases("word", ["reverse_proxy", "handle_errors"])
def test_the_caddy_examples_send_hsts(word: str) -> None:
    assert f"header {PROMISE}" in examples_with_word("", word)


def test_hosting_md_says_why_a_url_with_a_path_is_refused() -> None:
    assert "a `PBEM_URL` with a path, such as `https://example.org/pbem`, is refused" in PAGE.replace("\n", " ")
