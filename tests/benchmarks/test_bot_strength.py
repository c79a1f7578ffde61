"""`make bench-strength` prints the tables of docs/bots.md; these tests play a few matches of quick bots."""

import re
from pathlib import Path

import pytest

from benchmarks import bot_strength
from pbem.games import all_games

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "bots.md"


def rows_of_table(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]


@pytest.mark.long
def test_the_tables_give_the_figures_of_each_number_of_seats(capsys: pytest.CaptureFixture[str]) -> None:
    bot_strength.main(["hexen-rennen", "--matches", "4", "--strong", "0"])
    first, second = (rows_of_table(part)[2:] for part in capsys.readouterr().out.strip().split("\n\n"))
    ((slug, shares),) = first
    assert slug == "hexen-rennen"
    assert re.fullmatch("; ".join(rf"{n}: [\d.]+ % \(\d+–\d+\)" for n in (2, 3, 4)), shares)
    ((slug, event, figures),) = second
    assert (slug, event) == ("hexen-rennen", "`Spared`")
    assert re.fullmatch("; ".join(rf"{n}: [\d.]+, [\d.]+, \d+" for n in (2, 3, 4)), figures)


def test_the_bot_sits_in_each_seat_equally_often() -> None:
    share = bot_strength.share_of("greedy", "random", all_games()["hogen"], 3, 7)
    assert share.of == 6
    assert 0 < share.count <= 6


def test_the_strength_document_has_each_game_with_each_number_of_seats() -> None:
    """The heads of the tables, and each number of seats of each game that is here."""
    printed = rows_of_table(DOCUMENT.read_text("utf-8"))
    for head, slugs in (("`greedy` won, by seats", sorted(all_games())), ("event", sorted(bot_strength.COUNTED))):
        (at,) = (at for at, row in enumerate(printed) if row[1] == head)
        for slug, row in zip(slugs, printed[at + 2 :], strict=False):
            assert row[0] == slug
            seats = re.findall(r"(?:^|; )(\d+): ", row[-1])
            assert seats == [*map(str, all_games()[slug].meta.seats)], slug


def test_an_unknown_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bot_strength.main(["chess"])
    assert "there is no game chess" in capsys.readouterr().err
