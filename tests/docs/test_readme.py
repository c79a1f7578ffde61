"""The README is short, shows what it promises, and leads to everything else."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

from pbem.games import all_games
from requirements import install
from tests.harness.cases import cases

ROOT = Path(__file__).parents[2]
README, CONTENTS, PICTURES = ROOT / "README.md", ROOT / "docs/README.md", ROOT / "docs/pictures"
MOST_WORDS, MOST_BYTES = 400, 1_500_000


def files_linked(page: Path) -> list[Path]:
    """The files of this tree that the page links to or shows."""
    found = re.findall(r'\]\(([^)#\s]+)|src="([^"]+)"', page.read_text("utf-8"))
    return [(page.parent / (link or shown)).resolve() for link, shown in found if "://" not in link]


def test_the_readme_is_short_and_says_what_a_first_run_fetches() -> None:
    text = README.read_text("utf-8")
    assert len(text.split()) <= MOST_WORDS
    assert f"some {install.MEGABYTES['run']} MB" in " ".join(text.split())


@cases("page", [README, CONTENTS, ROOT / "docs/gallery.md"])
def test_every_file_linked_from_the_first_pages_exists(page: Path) -> None:
    assert files_linked(page)
    assert [link for link in files_linked(page) if not link.exists()] == []


def test_the_docs_table_of_contents_lists_every_page() -> None:
    assert {page for page in CONTENTS.parent.glob("*.md") if page != CONTENTS} <= set(files_linked(CONTENTS))


def test_the_readme_has_the_cover_and_the_rules_of_each_game() -> None:
    for slug in all_games():
        assert PICTURES / f"cover-{slug}.png" in files_linked(README)
        assert any(link.match(f"{slug.replace('-', '_')}/RULES.en.md") for link in files_linked(README))


def test_the_readmes_moving_picture_lasts_about_thirty_seconds() -> None:
    moving = PICTURES / "turn.gif"
    with Image.open(moving) as image:
        shown_ms = 0
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            shown_ms += image.info["duration"]
    assert 25_000 <= shown_ms <= 35_000
    assert moving.stat().st_size <= MOST_BYTES
    assert moving in files_linked(README)
    assert PICTURES / "turn.png" in files_linked(README)


def test_no_table_of_the_docs_is_cut_by_an_empty_line() -> None:
    cut = re.compile(r"^\|[^\n]*\n\s*\n\|(?![^\n]*\n\|-)", re.MULTILINE)
    assert [page for page in CONTENTS.parent.rglob("*.md") if cut.search(page.read_text("utf-8"))] == []
