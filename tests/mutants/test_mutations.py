"""What is changed in a source, and what never is."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

from tests.harness.cases import cases
from tests.mutants.__main__ import draw_mutants, equivalents_of_file
from tests.mutants.lines import mirroring_test_folder
from tests.mutants.mutations import mutants_of_source

ROOT = Path(__file__).parents[2]


def statements_changed(source: str) -> list[str]:
    """The changed statements, without the parentheses around a change."""
    return [one.becomes for one in mutants_of_source(dedent(source))]


@cases(
    "source, expected",
    [
        ("x = a < b", {"x = (a <= b)", "x = (a >= b)"}),
        ("x = a == b", {"x = (a != b)"}),
        ("x = a is None", {"x = (a is not None)"}),
        ("x = a in b", {"x = (a not in b)"}),
        ("x = a < b <= c", {"x = (a <= b <= c)", "x = (a >= b <= c)", "x = (a < b < c)", "x = (a < b > c)"}),
        ("x = a and b", {"x = (a or b)"}),
        ("x = not a", {"x = a"}),
        ("x = a + b", {"x = (a - b)"}),
        ("x += a", {"x -= a"}),
        ("x = 1", {"x = 2", "x = 0"}),
        ("x = True", {"x = False"}),
        ("x = a if b else c", {"x = (a if not b else c)"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if not (a)]"}),
        ("x = a[b:c]", {"x = a[b + 1:c]", "x = a[b:c - 1]"}),
        ("x = kind('word')", {"x = kind('XXword')"}),
        ("f(a)", {"pass"}),
        ("raise Wrong(a)", {"pass"}),
        ("if a: f = b", {"if not (a): f = b"}),
        ("while a: f = b", {"while not (a): f = b"}),
    ],
)
def test_each_kind_of_code_has_its_mutations(source: str, expected: set[str]) -> None:
    assert set(statements_changed(source)) == expected


def test_a_function_is_mutated_to_return_none_or_a_constant() -> None:
    assert statements_changed("def f():\n    return a") == ["return None"]
    assert set(statements_changed("def f() -> bool:\n    return a")) == {"return True", "return False"}


@cases(
    "source",
    [
        '"""One 1."""', "x: Literal[1]", "def f(a: int | None) -> Literal[1]: ...", "assert a < 1, 'no'",
        "x = 'Two words'", "x = f'{a + 1}'", "x = _('word')", "log.info('word', n=1)", "X = A | B",
        "def __repr__(self):\n    return a + 1", "x = zip(a, b, strict=True)", "if TYPE_CHECKING:\n    x = 1",
        "@dataclass(frozen=True)\nclass A: ...", "class A(Struct, frozen=True): ...", "x = [a] + b", "from a import b",
    ],
)  # fmt: skip
def test_code_that_no_test_should_notice_is_not_mutated(source: str) -> None:
    assert statements_changed(source) == []


def test_applying_a_mutation_leaves_the_rest_of_the_source_unchanged() -> None:
    source = "def f(a):\n    x = 'é', a < (  # why\n        b)\n    return None\n"
    (first, _) = mutants_of_source(source)
    assert first.apply(source) == "def f(a):\n    x = 'é', (a <= b)\n    return None\n"


def test_every_tenth_change_of_a_module_parses() -> None:
    source = (ROOT / "pbem/features/inbox/incoming/commands.py").read_text()
    found = mutants_of_source(source)
    assert len(found) > 100
    for one in found[::10]:
        ast.parse(one.apply(source))


def test_a_mutant_has_the_same_key_when_its_lines_move() -> None:
    source = "def f(a):\n    return a + b\n"
    moved = f"import x\n\n\n{source}"
    assert [one.key for one in mutants_of_source(source)] == [one.key for one in mutants_of_source(moved)]
    assert [one.line + 3 for one in mutants_of_source(source)] == [one.line for one in mutants_of_source(moved)]


def test_no_two_mutants_of_a_file_have_one_key() -> None:
    found = mutants_of_source("def f():\n    x = a + 1\n    x = a + 1\n    x = 2, 2\n", "a.py")
    assert len({one.key for one in found}) == len(found)


def test_a_seed_draws_the_same_mutants_beside_new_code() -> None:
    lines = [f"def f{n}(a):\n    return a + {n}\n" for n in range(50)]
    before = draw_mutants(mutants_of_source("".join(lines)), "1", 20)
    after = draw_mutants(mutants_of_source("".join(["def g(a):\n    return -a\n", *lines])), "1", 20)
    assert {one.key for one in before} != {one.key for one in draw_mutants(mutants_of_source("".join(lines)), "2", 20)}
    assert len({one.key for one in before} & {one.key for one in after}) >= 18


def test_each_equivalent_mutant_exists_and_has_a_reason() -> None:
    known = equivalents_of_file()
    found = {
        one.key for file in {key[0] for key in known} for one in mutants_of_source((ROOT / file).read_text(), file)
    }
    assert known.keys() <= found
    assert all(known.values())


@cases(
    "file, folder",
    [
        ("pbem/kit/laws/luck.py", "tests/kit"),
        ("pbem/services/mail/kinds/turn.py", "tests/services/mail"),
        ("pbem/services/tokens.py", "tests/services"),
    ],
)
def test_each_source_file_maps_to_the_tests_folder_of_the_same_name(file: str, folder: str) -> None:
    assert mirroring_test_folder(file) == folder
    assert (ROOT / folder).is_dir()
