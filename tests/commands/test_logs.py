"""`pbem replay` and `pbem verify` on portable logs, valid and invalid."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.games import all_games
from pbem.kit.logs import logfile
from pbem.kit.logs.chain import commitment_in_groups, mark_of
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.repetition import draws_of_rules_and_clock
from pbem.kit.logs.verdict import verify
from pbem.kit.logs.verdict_texts import NOT_CHECKED
from pbem.kit.notation import seat_letter
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import By, Entry, MatchEnded
from tests.commands.conftest import SEED, Pbem, log_for, log_from
from tests.harness.cases import cases
from tests.kit.proof.forging import end_by_the_table, with_entries
from tests.transcripts import log_of, log_with_untellable_story


def write_file(tmp_path: Path, data: bytes | dict[str, Any]) -> str:
    """The path of a file with this content."""
    path = tmp_path / "match.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return str(path)


@pytest.fixture
def full(log_of_hogen: Log, tmp_path: Path) -> str:
    """The path of the full log's file."""
    return write_file(tmp_path, logfile.log_to_bytes(log_of_hogen))


def allies_in(log: Log) -> list[tuple[int, str]]:
    """Each seat with the ally that it chose."""
    return [(e.event.seat, e.event.card) for e in log.entries if type(e.event).__name__ == "AllyChosen"]


@pytest.mark.long
def test_replay_as_all_shows_every_ally_and_as_a_seat_only_its_own(bare: Pbem, log_of_hogen: Log, full: str) -> None:
    names = "ABC"
    everything = bare("replay", full, "--as", "all").stdout
    spectator = bare("replay", full, "--as", "none").stdout
    for seat, card in allies_in(log_of_hogen):
        line = f"Player {names[seat]} hides an ally: {card}."
        assert line in everything
        assert line not in spectator
        for other in range(3):
            assert (line in bare("replay", full, "--as", str(other)).stdout) == (other == seat)


def test_a_seat_may_be_named_by_its_letter(bare: Pbem, full: str) -> None:
    assert bare("replay", full, "--as", "b").stdout == bare("replay", full, "--as", "1").stdout


@pytest.mark.long
def test_a_seats_replay_of_the_full_log_equals_that_of_its_own_log(
    bare: Pbem, log_of_hogen: Log, full: str, tmp_path: Path
) -> None:
    for viewer, word in ((0, "0"), (1, "1"), (2, "2"), (None, "none")):
        of_full = bare("replay", full, "--as", word).stdout
        own = tmp_path / f"{word}.json"
        own.write_bytes(log_for(log_of_hogen, viewer))
        assert bare("replay", str(own)).stdout == of_full
        assert "The board:" in of_full


def test_replay_shows_a_viewers_log_only_as_that_viewer(bare: Pbem, log_of_hogen: Log, tmp_path: Path) -> None:
    path = write_file(tmp_path, log_for(log_of_hogen, 1))
    for word in ("0", "2", "none", "all"):
        result = bare("replay", path, "--as", word)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "for seat B only: use --as 1" in result.stderr
    spectators = write_file(tmp_path, log_for(log_of_hogen, None))
    result = bare("replay", spectators, "--as", "0")
    assert result.exit_code == 1
    assert "for spectators only: use --as none" in result.stderr


def test_replay_up_to_a_step_ends_with_the_board_of_that_step(bare: Pbem, full: str) -> None:
    whole = bare("replay", full, "--as", "all").stdout.splitlines()
    part = bare("replay", full, "--as", "all", "--step", "6").stdout.splitlines()
    assert part[:8] == whole[:8]
    assert part[8:10] == ["", "The board:"]
    end = "      Everybody was wrong."
    assert whole[-1] == end
    assert end not in part


def test_a_step_past_the_end_is_refused_with_the_number_of_steps(bare: Pbem, full: str) -> None:
    result = bare("replay", full, "--step", "19999")
    assert result.exit_code == 2
    assert "the story has " in result.stderr


def test_the_replay_command_tells_the_story_in_french_too(bare: Pbem, full: str) -> None:
    told = bare("replay", full, "--as", "0", "--lang", "fr").stdout
    assert "Joueur A" in told
    assert "Le plateau\u00a0:" in told
    assert "Player" not in told


@cases("lang", ["en", "fr"])
def test_replay_uses_the_player_names_given_on_the_command_line(bare: Pbem, full: str, lang: str) -> None:
    told = bare("replay", full, "--as", "all", "--lang", lang, "--names", "Alice, Bob,Carol").stdout
    assert {name for name in ("Alice", "Bob", "Carol") if f"{name} " in told} == {"Alice", "Bob", "Carol"}
    seat = {"en": "seat", "fr": "place"}[lang]
    assert f"Alice ({seat} A" in told
    assert not re.search("Player|Joueur|Seat|Siège", told)


def test_the_board_of_a_match_ended_by_resignations_shows_no_turn(
    bare: Pbem, log_of_hogen: Log, tmp_path: Path
) -> None:
    setup = [entry for entry in log_of_hogen.entries if entry.key is None]
    end = Entry(len(setup) + 1, setup[-1].at, By(table=True), None, MatchEnded("last_seat", (1,)))
    path = write_file(tmp_path, logfile.log_to_bytes(with_entries(log_of_hogen, [*setup, end])))
    assert "Still to choose an ally" in bare("replay", path, "--step", "1").stdout
    told = bare("replay", path).stdout
    assert "      Player B wins: everybody else has resigned." in told
    assert not re.search("Still to choose|not chosen yet", told)


@pytest.mark.long
@pytest.mark.parametrize("slug", all_games())
def test_replay_without_names_calls_a_seat_player_and_not_seat_twice(bare: Pbem, tmp_path: Path, slug: str) -> None:
    """The board in words shows the seat beside the name."""
    game = all_games()[slug]
    table = Table(game, game.meta.seats[0], game.meta.options(), SEED)
    for _ in random_decisions(table):
        pass
    path = write_file(tmp_path, logfile.log_to_bytes(log_of(table)))
    for lang, (name, seat) in {"en": ("Player", "seat"), "fr": ("Joueur", "place")}.items():
        told = bare("replay", path, "--as", "all", "--lang", lang).stdout
        assert f"{name} A ({seat} A" in told
        assert not re.search(r"(?i)\b(seat|place|siège) (\w) \((seat|place|siège) \2", told)


@cases("names", ["Alice", "Alice,Bob", "Alice,Bob,Carol,Dave", "Alice,,Carol", ""])
def test_a_wrong_number_of_names_is_refused(bare: Pbem, full: str, names: str) -> None:
    result = bare("replay", full, "--names", names)
    assert result.exit_code == 2
    assert "this match has 3 seats: name each, parted by commas, as in A,B,C" in " ".join(result.stderr.split())


@cases("word", ["3", "D", "-1", "everybody"])
def test_replay_as_an_unknown_seat_is_refused(bare: Pbem, full: str, word: str) -> None:
    result = bare("replay", full, "--as", word)
    assert result.exit_code == 2
    assert "0 to 2 or A to C" in result.stderr


def test_a_log_is_read_from_standard_input(bare: Pbem, log_of_hogen: Log, full: str) -> None:
    assert bare("replay", "-", stdin=logfile.log_to_bytes(log_of_hogen)).stdout == bare("replay", full).stdout


def test_a_log_with_an_impossible_entry_is_refused_naming_it(bare: Pbem, log_of_hogen: Log, tmp_path: Path) -> None:
    document = log_of_hogen.document()
    document["events"][5]["event"]["seat"] = 9
    for command in ("replay", "verify"):
        result = bare(command, write_file(tmp_path, document))
        assert (result.exit_code, result.stdout) == (1, "")
        assert "entry 6: " in result.stderr


def test_replay_names_an_entry_that_it_cannot_put_into_words(bare: Pbem, tmp_path: Path) -> None:
    result = bare("replay", write_file(tmp_path, log_with_untellable_story()))
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.search(r"entry \d+: it cannot be told\.\n", result.stderr)


def test_a_file_that_is_not_a_log_is_refused_in_one_sentence(bare: Pbem, tmp_path: Path) -> None:
    for data in (b"", b"\xff\xfe", b"[]", b"[" * 5000, b"{}", b" " * (logfile.MAX_BYTES + 1)):
        for command in ("replay", "verify"):
            result = bare(command, write_file(tmp_path, data))
            assert (result.exit_code, result.stdout) == (1, "")
            assert result.stderr.startswith("Error: ")
            assert len(result.stderr.splitlines()) == 1


def test_a_log_cannot_send_control_characters_to_the_terminal(bare: Pbem, log_of_hogen: Log, tmp_path: Path) -> None:
    result = bare("replay", write_file(tmp_path, {**log_of_hogen.document(), "\x1b[2J": 1}))
    assert result.exit_code == 1
    assert "\x1b" not in result.stderr
    assert "\\x1b[2J" in result.stderr


def test_a_file_that_is_not_there_is_a_wrong_argument(bare: Pbem, tmp_path: Path) -> None:
    assert bare("verify", str(tmp_path / "none.json")).exit_code == 2


def test_verify_without_a_commitment_says_only_that_the_log_is_consistent(
    bare: Pbem, log_of_hogen: Log, full: str
) -> None:
    result = bare("verify", full)
    assert result.exit_code == 0
    assert result.stdout.startswith("Agrees with itself. ")
    assert "Nothing here shows that this match was played." in result.stdout
    assert "Holds" not in result.stdout
    assert log_of_hogen.commitment in result.stdout.split(), "to be compared with one's mails by eye"


def test_verify_always_lists_what_it_checked_and_what_not(bare: Pbem, log_of_hogen: Log, full: str) -> None:
    verdict = verify(log_of_hogen)
    for more in ((), ("--commitment", log_of_hogen.commitment), ("--mark", mark_of(log_of_hogen.heads()[7]))):
        result = bare("verify", full, *more)
        assert result.exit_code == 0
        checked, said = result.stdout.split("Not checked:\n")
        assert said.splitlines() == [f"  * {NOT_CHECKED[what].en}" for what in verdict.not_checked]
        assert f"  * chain: {len(log_of_hogen.entries)} entries" in checked
        assert f"  * luck: {len(draws_of_rules_and_clock(log_of_hogen))} draws" in checked
        assert f"  * facts: {verdict.count('facts')} decisions" in checked
        assert ("  * mark: the log has it after entry 7" in checked) is ("--mark" in more)
        assert "How it ended: " in checked


def test_verify_names_the_winner_when_everybody_else_resigned(bare: Pbem, log_of_hogen: Log, tmp_path: Path) -> None:
    left = end_by_the_table(log_of_hogen, Random(1))
    (winner,) = left.entries[-1].event.winners
    said = bare("verify", write_file(tmp_path, left.document())).stdout
    assert f"How it ended: everybody else has resigned. Winners: {seat_letter(winner)}." in said


def test_verify_with_an_unknown_mark_or_head_says_that_the_log_is_another(bare: Pbem, full: str) -> None:
    for mark in ("0000-0000", "0" * 64):
        result = bare("verify", full, "--mark", mark)
        assert result.exit_code == 1
        assert "no step of this log has this mark: it is another log, or it was changed" in result.stdout


@cases("mark", ["", "7K3M", "7K3M-9QXU", "0" * 63])
def test_verify_refuses_an_invalid_mark_as_argument(bare: Pbem, full: str, mark: str) -> None:
    result = bare("verify", full, "--mark", mark)
    assert result.exit_code == 2
    assert "a mark is eight letters and digits" in result.stderr


def test_verify_lists_the_draws_for_independent_checkers(
    bare: Pbem, log_of_hogen: Log, full: str, tmp_path: Path
) -> None:
    file = tmp_path / "draws.json"
    assert bare("verify", full, "--draws", str(file)).exit_code == 0
    draws = json.loads(file.read_text())
    assert [draw["name"] for draw in draws][:2] == ["palace", "deal"]
    assert sorted(draws[0]["result"]) == list(range(16))
    running = write_file(tmp_path, log_for(log_of_hogen, None))
    refused = bare("verify", running, "--draws", "-")
    assert refused.exit_code == 2
    assert "only the full log of a finished match" in refused.stderr


@cases(
    "written_as, compared",
    [
        ("{whole}", "all 64 digits"),
        ("{WHOLE}", "all 64 digits"),
        ("{groups}", "its first 16 digits"),
        ("{hyphens}", "its first 16 digits"),
        (" {nonbreaking}\n", "its first 16 digits"),
    ],
)
def test_verify_compares_a_mailed_commitment_and_says_how_many_digits(
    bare: Pbem, log_of_hogen: Log, full: str, written_as: str, compared: str
) -> None:
    whole = log_of_hogen.commitment
    groups = commitment_in_groups(whole)
    forms = {"whole": whole, "WHOLE": whole.upper(), "groups": groups}
    forms |= {"hyphens": groups.replace(" ", "-"), "nonbreaking": groups.replace(" ", "\u00a0")}
    result = bare("verify", full, "--commitment", written_as.format(**forms))
    assert result.exit_code == 0
    assert result.stdout.startswith("Holds: ")
    assert f"commitment: {compared} are the ones given" in result.stdout
    assert ("compare all 64 to be sure" in result.stdout) is ("16" in compared)


@pytest.mark.long
@pytest.mark.parametrize("digits", [64, 16])
def test_a_log_forged_from_another_seed_disagrees_only_with_the_mail(
    bare: Pbem, log_of_hogen: Log, tmp_path: Path, digits: int
) -> None:
    forged = write_file(tmp_path, logfile.log_to_bytes(log_from(bytes([8]) * 32)))
    assert bare("verify", forged).exit_code == 0
    result = bare("verify", forged, "--commitment", log_of_hogen.commitment[:digits])
    assert result.exit_code == 1
    assert result.stdout.startswith("Does not hold:\n  * the commitment is not the one that was given: ")
    assert ("first 16 digits" if digits == 16 else "its 64 digits") in result.stdout


@cases("text", ["", "6668", "g" * 64, "0" * 63, "0" * 65, "0" * 17, "０" * 16, "no"])
def test_verify_refuses_an_invalid_commitment_as_argument(bare: Pbem, full: str, text: str) -> None:
    result = bare("verify", full, "--commitment", text)
    assert result.exit_code == 2
    assert "a commitment is 64 hexadecimal digits, or the first 16 of them" in result.stderr


def test_the_log_of_a_running_match_cannot_be_checked_before_the_end(
    bare: Pbem, log_of_hogen: Log, tmp_path: Path
) -> None:
    running = with_entries(log_of_hogen, log_of_hogen.entries[: len(log_of_hogen.entries) // 2])
    for viewer in (0, None):
        path = write_file(tmp_path, log_for(running, viewer))
        result = bare("verify", path)
        assert result.exit_code == 1
        assert result.stdout.startswith("This log cannot be checked before the end: ")
        assert "olds" not in result.stdout
        assert "Agrees" not in result.stdout
        same = bare("verify", path, "--commitment", log_of_hogen.commitment)
        assert same.exit_code == 1
        assert same.stdout.startswith("This log cannot be checked before the end: ")
        assert "commitment: all 64 digits are the ones given" in same.stdout
        other = bare("verify", path, "--commitment", "0" * 16)
        assert other.exit_code == 1
        assert other.stdout.startswith("Does not hold:\n  * the commitment is not the one that was given: ")


def test_verify_fails_if_the_seed_is_not_the_committed_one(bare: Pbem, log_of_hogen: Log, tmp_path: Path) -> None:
    result = bare("verify", write_file(tmp_path, {**log_of_hogen.document(), "seed": "00" * 32}))
    assert result.exit_code == 1
    assert "not the one that was committed to" in result.stdout


def test_verify_names_the_entry_of_a_decision_attributed_to_another_seat(
    bare: Pbem, log_of_hogen: Log, tmp_path: Path
) -> None:
    document = log_of_hogen.document()
    seat, _ = allies_in(log_of_hogen)[0]
    chosen = next(e for e in document["events"] if e["event"]["type"] == "AllyChosen")
    chosen["by"] = {"seat": (seat + 1) % 3}
    result = bare("verify", write_file(tmp_path, document))
    assert result.exit_code == 1
    assert f"entry {chosen['n']}: neither a legal move nor the seed gives these events" in result.stdout


def test_a_seats_own_log_cannot_be_verified(bare: Pbem, log_of_hogen: Log, tmp_path: Path) -> None:
    result = bare("verify", write_file(tmp_path, log_for(log_of_hogen, 0)))
    assert result.exit_code == 1
    assert "only the full log of a finished match" in result.stdout
