"""Every fault in a log has a message: each text gets the facts that it names."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import pbem
from pbem.kit.logs import log_errors
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.texts import LANGS, Text
from tests.harness.cases import cases

TEXTS = [name for name, text in vars(log_errors).items() if isinstance(text, Text) and name[0] != "_"]


@pytest.fixture(scope="module")
def sites() -> dict[str, list[tuple[str, frozenset[str]]]]:
    """For each text: the calls that receive it, and the names of the facts passed with it."""
    found = defaultdict(list)
    for path in Path(pbem.__file__).parent.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(source)) if "log_errors" in source else ():
            if not isinstance(call, ast.Call) or not call.args:
                continue
            for node in ast.walk(call.args[0]):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "log_errors"
                ):
                    facts = frozenset(keyword.arg or "**" for keyword in call.keywords)
                    found[node.attr].append((f"{path.name}:{call.lineno}", facts))
    return dict(found)


@pytest.mark.long
@cases("name", TEXTS)
def test_every_log_error_text_is_filled_by_the_facts_it_is_raised_with(
    name: str, sites: dict[str, list[tuple[str, frozenset[str]]]]
) -> None:
    assert sites.get(name), f"nobody says {name}"
    text: Text = getattr(log_errors, name)
    for where, facts in sites[name]:
        values = {fact: f"<{fact}>" for fact in facts}
        said = BadLog(text, 3, **values).said
        for lang in LANGS:
            assert said[lang] == text[lang].format_map(values), where
