"""Every thing has one name in all French texts: rules, pages, mails."""

from pathlib import Path

from tests.harness.cases import cases

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    path
    for folder in ("pbem", "templates", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".md", ".po", ".py", ".html", ".txt", ".js") and "decisions" not in path.parts
]


@cases("word", ["pendule"])
def test_french_texts_always_call_the_automatic_player_horloge(word: str) -> None:
    assert [str(path.relative_to(ROOT)) for path in TEXTS if word in path.read_text("utf-8").lower()] == []
    assert any("horloge" in path.read_text("utf-8") for path in TEXTS if path.suffix == ".po")
    assert sum("horloge" in path.read_text("utf-8").lower() for path in TEXTS if path.name == "RULES.fr.md") >= 5
