"""`make bench-strength` prints the tables of docs/bots.md; these tests play a few matches of quick bots."""

import re
from pathlib import Path

import pytest

from benchmarks import bot_strength
from pbem.games import all_games

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "bots.md"


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]


@pytest.mark.long
def test_the_tables_have_a_row_for_each_number_of_seats(capsys: pytest.CaptureFixture[str]) -> None:
    bot_strength.main(["hexen-rennen", "--matches", "4", "--strong", "0"])
    first, second = capsys.readouterr().out.strip().split("\n\n")
    assert [row[:3] for row in rows(first)[2:]] == [["hexen-rennen", str(n), str(4 // n * n)] for n in (2, 3, 4)]
    assert all(re.fullmatch(r"\d+\.\d % \(\d+–\d+\)", row[3]) for row in rows(first)[2:])
    assert [row[1] for row in rows(second)[2:]] == ["2", "3", "4"]


def test_the_bot_sits_in_each_seat_equally_often() -> None:
    share = bot_strength.share_of("greedy", "random", all_games()["hogen"], 3, 7)
    assert share.of == 6
    assert 0 < share.count <= 6


def test_the_document_has_the_tables_that_the_command_prints() -> None:
    """The heads of the tables, and every table of every game that is here."""
    printed = rows(DOCUMENT.read_text("utf-8"))
    for head in ("`greedy` won", "decisions: median"):
        (at,) = (at for at, row in enumerate(printed) if head in row)
        wanted = [
            [slug, str(seats)]
            for slug, game in sorted(all_games().items())
            for seats in game.meta.seats
            if head == "`greedy` won" or slug in bot_strength.COUNTED
        ]
        assert [row[:2] for row in printed[at + 2 : at + 2 + len(wanted)]] == wanted


def test_an_unknown_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        bot_strength.main(["chess"])
    assert "there is no game chess" in capsys.readouterr().err
