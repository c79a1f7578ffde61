"""`pbem replay` and `pbem verify` on portable logs, good ones and others."""

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.rules import logfile
from pbem.rules.logfile import Log
from tests.commands.conftest import Pbem, log_for


def written(tmp_path: Path, data: bytes | dict[str, Any]) -> str:
    """The path of a file that holds this."""
    path = tmp_path / "match.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return str(path)


@pytest.fixture
def full(played: Log, tmp_path: Path) -> str:
    """The file of the full log."""
    return written(tmp_path, logfile.write(played))


def hidden_in(log: Log) -> list[tuple[int, str]]:
    """Each seat with the ally that it chose."""
    return [(e.event.seat, e.event.card) for e in log.entries if type(e.event).__name__ == "AllyChosen"]


def test_all_eyes_see_every_ally_and_a_seat_its_own_alone(bare: Pbem, played: Log, full: str) -> None:
    names = "ABC"
    everything = bare("replay", full, "--as", "all").stdout
    spectator = bare("replay", full, "--as", "none").stdout
    for seat, card in hidden_in(played):
        line = f"Seat {names[seat]} hides an ally: {card}."
        assert line in everything
        assert line not in spectator
        for other in range(3):
            assert (line in bare("replay", full, "--as", str(other)).stdout) == (other == seat)


def test_a_seat_may_be_named_by_its_letter(bare: Pbem, full: str) -> None:
    assert bare("replay", full, "--as", "b").stdout == bare("replay", full, "--as", "1").stdout


def test_a_seats_replay_of_the_full_log_is_that_of_its_own_log(
    bare: Pbem, played: Log, full: str, tmp_path: Path
) -> None:
    for viewer, word in ((0, "0"), (1, "1"), (2, "2"), (None, "none")):
        of_full = bare("replay", full, "--as", word).stdout
        own = tmp_path / f"{word}.json"
        own.write_bytes(log_for(played, viewer))
        assert bare("replay", str(own)).stdout == of_full
        assert "The board:" in of_full


def test_a_log_made_for_one_viewer_is_told_to_nobody_else(bare: Pbem, played: Log, tmp_path: Path) -> None:
    path = written(tmp_path, log_for(played, 1))
    for word in ("0", "2", "none", "all"):
        result = bare("replay", path, "--as", word)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "for seat B only: use --as 1" in result.stderr
    spectators = written(tmp_path, log_for(played, None))
    result = bare("replay", spectators, "--as", "0")
    assert result.exit_code == 1
    assert "for spectators only: use --as none" in result.stderr


def test_a_story_stops_at_its_step_with_the_board_of_that_moment(bare: Pbem, full: str) -> None:
    whole = bare("replay", full, "--as", "all").stdout.splitlines()
    part = bare("replay", full, "--as", "all", "--step", "6").stdout.splitlines()
    assert part[:8] == whole[:8]
    assert part[8:10] == ["", "The board:"]
    assert not any("The match ended" in line for line in part)
    assert any("The match ended: " in line for line in whole)


def test_a_step_past_the_end_says_how_many_there_are(bare: Pbem, full: str) -> None:
    result = bare("replay", full, "--step", "19999")
    assert result.exit_code == 2
    assert "the story has " in result.stderr


def test_the_story_is_told_in_french_too(bare: Pbem, full: str) -> None:
    told = bare("replay", full, "--as", "0", "--lang", "fr").stdout
    assert "Siège A" in told
    assert "Le plateau\u00a0:" in told
    assert "Seat" not in told


@pytest.mark.parametrize("word", ["3", "D", "-1", "everybody"])
def test_eyes_that_are_not_at_the_table_are_refused(bare: Pbem, full: str, word: str) -> None:
    result = bare("replay", full, "--as", word)
    assert result.exit_code == 2
    assert "0 to 2 or A to C" in result.stderr


def test_a_log_is_read_from_standard_input(bare: Pbem, played: Log, full: str) -> None:
    assert bare("replay", "-", stdin=logfile.write(played)).stdout == bare("replay", full).stdout


def test_an_entry_that_does_not_fit_is_named(bare: Pbem, played: Log, tmp_path: Path) -> None:
    document = played.document()
    document["events"][5]["event"]["seat"] = 9
    for command in ("replay", "verify"):
        result = bare(command, written(tmp_path, document))
        assert (result.exit_code, result.stdout) == (1, "")
        assert "entry 6: " in result.stderr


def test_what_is_no_log_is_refused_in_one_sentence(bare: Pbem, tmp_path: Path) -> None:
    for data in (b"", b"\xff\xfe", b"[]", b"[" * 5000, b"{}", b" " * (logfile.MAX_BYTES + 1)):
        for command in ("replay", "verify"):
            result = bare(command, written(tmp_path, data))
            assert (result.exit_code, result.stdout) == (1, "")
            assert result.stderr.startswith("Error: ")
            assert len(result.stderr.splitlines()) == 1


def test_a_log_cannot_steer_the_terminal(bare: Pbem, played: Log, tmp_path: Path) -> None:
    result = bare("replay", written(tmp_path, {**played.document(), "\x1b[2J": 1}))
    assert result.exit_code == 1
    assert "\x1b" not in result.stderr
    assert "\\x1b[2J" in result.stderr


def test_a_file_that_is_not_there_is_a_wrong_argument(bare: Pbem, tmp_path: Path) -> None:
    assert bare("verify", str(tmp_path / "none.json")).exit_code == 2


def test_a_played_match_holds(bare: Pbem, full: str) -> None:
    result = bare("verify", full)
    assert result.exit_code == 0
    assert result.stdout.startswith("Holds: ")


def test_another_seed_than_the_committed_one_does_not_hold(bare: Pbem, played: Log, tmp_path: Path) -> None:
    result = bare("verify", written(tmp_path, {**played.document(), "seed": "00" * 32}))
    assert result.exit_code == 1
    assert "not the one that was committed to" in result.stdout


def test_a_decision_put_down_to_another_seat_does_not_hold_and_its_entry_is_named(
    bare: Pbem, played: Log, tmp_path: Path
) -> None:
    document = played.document()
    seat, _ = hidden_in(played)[0]
    chosen = next(e for e in document["events"] if e["event"]["type"] == "AllyChosen")
    chosen["by"] = {"seat": (seat + 1) % 3}
    result = bare("verify", written(tmp_path, document))
    assert result.exit_code == 1
    assert f"entry {chosen['n']}: neither a legal move nor the seed gives these events" in result.stdout


def test_a_seats_own_log_cannot_be_verified(bare: Pbem, played: Log, tmp_path: Path) -> None:
    result = bare("verify", written(tmp_path, log_for(played, 0)))
    assert result.exit_code == 1
    assert "only the full log of a finished match" in result.stdout
