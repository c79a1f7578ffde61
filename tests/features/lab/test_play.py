"""`pbem play`: matches in the terminal, as an author would begin with a game."""

from __future__ import annotations

import random
import re
from itertools import cycle
from pathlib import Path

import pytest

from pbem.features.lab.commands.play import MOST, Terminal, language_of_terminal
from pbem.features.lab.evening import Evening, bots_by_seat
from pbem.games import all_games, find_game
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame
from pbem.kit.game.moves import Move, Question
from pbem.kit.logs.logfile import read
from pbem.kit.replay import By
from pbem.kit.texts import LANGS, Lang
from pbem.kit.words import T
from tests.commands.conftest import Pbem
from tests.commands.conftest import bare as bare
from tests.harness.cases import cases
from tests.kit.game import sealed
from tests.testing.planting import Plant
from tests.testing.planting import plant as plant

SEED = "5e" * 32
NEVER_SEEN = re.compile("never seen")


def by_hand(seat: int) -> By:
    return By(seat=seat)


def game_of(slug: str) -> AnyGame:
    game = find_game(slug)
    assert game is not None
    return game


def begin_evening(
    slug: str, *, bots: tuple[str, ...] = ("random",), mine: int = 0, seats: int | None = None
) -> Evening:
    game = game_of(slug)
    count = seats or min(game.meta.seats)
    return Evening(game, count, game.meta.options(), bytes.fromhex(SEED), bots_by_seat(bots, count, mine))


def test_a_tile_with_another_clans_letter_than_the_chosen_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = game_of("hexen-rennen")
    options = codec_for(game).options({"clans": "chosen"})
    evening = Evening(game, 2, options, bytes.fromhex(SEED), bots_by_seat(("random",), 2, 0))
    said = iter(["choose D", "why divide A2 3 4 / 5 6 7 / 8 9 10", "why divide D2 3 4 / 5 6 7 / 8 9 10", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(said))
    Terminal(evening, "en").run()
    told = capsys.readouterr().out
    assert "A2 is of clan A, and yours is D." in told
    assert "This move is allowed." in told


def finish_evening(evening: Evening, lang: Lang, monkeypatch: pytest.MonkeyPatch, last: list[str]) -> None:
    """Plays the match with numbers drawn from the first of each list, some too large, and then says these lines."""
    rng, rest = random.Random(1), iter([*last, "q"])

    def say(_: str) -> str:
        return f"#{rng.randrange(1, 5)}" if evening.next_ask_by_lot() is not None else next(rest)

    monkeypatch.setattr("builtins.input", say)
    Terminal(evening, lang).run()


@cases("slug, lang", zip(sorted(all_games()), cycle(LANGS)))
def test_every_game_is_played_in_the_terminal_and_its_log_verifies(
    slug: str,
    lang: Lang,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    bare: Pbem,
) -> None:
    file = tmp_path / "match.json"
    finish_evening(begin_evening(slug), lang, monkeypatch, [f"save {file}"])
    said = capsys.readouterr().out
    assert {"fr": "Player A", "en": "Joueur A"}[lang] not in said
    assert {"fr": "Journal :", "en": "Log:"}[lang] in said.replace("\u00a0", " ")
    verified = bare("verify", str(file))
    assert verified.exit_code == 0, verified.output
    assert bare("replay", str(file), "--as", "0").exit_code == 0


def test_a_game_of_another_package_is_played_in_the_terminal(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slug = plant()
    for lang in LANGS:
        evening = begin_evening(slug)
        finish_evening(evening, lang, monkeypatch, [])
        assert evening.next_ask_by_lot() is None
        assert {"fr": "garde la partie", "en": "keeps the match"}[lang] in capsys.readouterr().out


@cases("slug", ["hogen", "hexen-rennen"])
def test_several_people_at_one_keyboard_play_to_the_end(
    slug: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = begin_evening(slug, bots=())
    finish_evening(evening, "en", monkeypatch, [])
    assert {one.by.bot for one in evening.table.entries} == {None}
    assert "Player B, it is your turn" in capsys.readouterr().out


def cards_named(said: str, cards: set[str]) -> set[str]:
    """The cards that the lines name, but for those that list all that were never seen."""
    lines = [line for line in said.splitlines() if not NEVER_SEEN.search(line)]
    return {card for card in cards if any(re.search(rf"\b{card}\b", line) for line in lines)}


@cases("mine", [0, 1, 2])
def test_the_play_command_shows_a_seat_only_its_own_cards(mine: int, bare: Pbem) -> None:
    said = bare("play", "hogen", "--lang", "en", "--seat", str(mine), "--seed", SEED, stdin="q\n").stdout
    evening = begin_evening("hogen", mine=mine)
    dealt = evening.table.state.hands
    others = {card for seat, hand in enumerate(dealt) if seat != mine for card in hand}
    assert cards_named(said, {*dealt[mine]}) == {*dealt[mine]}
    assert cards_named(said, others) == set()


def test_at_the_keyboard_a_windows_answers_are_played_together() -> None:
    evening = begin_evening("allegeance", bots=(), seats=3)
    while (ask := evening.next_ask_by_lot()) is not None:
        if evening.game.meta.asks[ask.kind].window:
            break
        evening.play_or_seal_move(ask, evening.game.legal(evening.table.state, ask.seat)[0], by_hand(ask.seat))
    assert ask is not None
    before = [*evening.table.entries]
    evening.play_or_seal_move(ask, evening.game.legal(evening.table.state, ask.seat)[0], by_hand(ask.seat))
    assert evening.table.entries == before
    other = evening.next_ask_by_lot()
    assert other is not None
    assert other.seat != ask.seat
    evening.play_or_seal_move(other, evening.game.legal(evening.table.state, other.seat)[0], by_hand(other.seat))
    assert len(evening.table.entries) > len(before)


def test_the_play_command_tells_what_happened_since_ones_last_question(bare: Pbem) -> None:
    said = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin="1\nq\n").stdout
    first, second = said.split("> 1\n")
    assert "· Palace: M2, T1, F3 and B4." in first
    assert "· Player A hides an ally: T4." in second
    assert "· Palace" not in second


def test_the_play_command_takes_moves_by_number_word_and_notation(bare: Pbem) -> None:
    for said in ("2", "ally M1", "M1"):
        told = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin=f"{said}\nq\n").stdout
        assert "· Player A hides an ally: M1." in told


class Say(Move, frozen=True):
    said: sealed.Sum
    asked, makes, typed, does = (
        "claim",
        sealed.Claimed,
        ("claim {said}", "{said}"),
        T("Annoncer {said}", "Claim {said}"),
    )
    label = T("Vous annoncez {said}.", "You claim {said}.")

    @classmethod
    def every(cls, s: sealed.State, seat: int) -> list[Move]:
        return [cls(said) for said in range(12, 0, -1)]


class Bare(sealed.Sealed):
    state, moves = sealed.State, (Say, sealed.Doubt, sealed.Believe, sealed.Choose)
    events = (
        sealed.Began, sealed.Rolled, sealed.Claimed, sealed.Answered, sealed.Believed, sealed.Doubted, sealed.Chosen,
    )  # fmt: skip
    questions = sealed.Sealed.questions | {
        "claim": Question(T("Combien ?", "How many?"), prompt=T("Plus de {s.said}.", "More than {s.said}."))
    }


@cases("said, claimed", [("5", 5), ("#5", 8), ("claim 5", 5), ("99", None), ("#99", None)])
def test_where_numbers_are_moves_the_list_is_numbered_with_a_hash_sign(
    said: str, claimed: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = Evening(Bare().assemble(), 2, None, bytes.fromhex(SEED), bots_by_seat((), 2, 0))
    lines = iter(["?", said, "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    Terminal(evening, "en").run()
    told = capsys.readouterr().out
    assert "How many? More than" in told
    assert "#1 to #" in told
    assert "A number of the list after #, such as #1, or a move" in told
    made = [one.event.said for one in evening.table.entries if isinstance(one.event, sealed.Claimed)]
    assert made == ([] if claimed is None else [claimed])


def test_the_play_command_says_what_is_wrong_with_an_input(bare: Pbem) -> None:
    told = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin="\n9\nxyz\nally F1\nwhy M1\nwhy F1\nq\n").stdout
    assert "The list goes from 1 to 4." in told
    assert "“xyz” cannot be read as a move. Write for example: ally F1" in told
    refusals = re.findall(r"^.+ \(rule [\d.]+\)$", told, re.MULTILINE)
    assert len(refusals) == 2
    assert len({*refusals}) == 1
    assert "This move is allowed." in told


def test_a_refusal_in_french_names_its_rule(bare: Pbem) -> None:
    told = bare("play", "hogen", "--lang", "fr", "--seed", SEED, stdin="ally F1\nq\n").stdout
    assert re.search(r"\(règle [\d.]+\)$", told, re.MULTILINE)


def test_help_in_the_play_command_names_the_commands_and_a_move(bare: Pbem) -> None:
    told = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin="?\nsave\nq\n").stdout
    assert told.count("why MOVE") == 2
    assert "such as “T4”" in told


@pytest.mark.parametrize("moves", ["", "1\n", "xyz\n"])
def test_the_play_command_fails_if_input_ends_before_the_match(moves: str, bare: Pbem) -> None:
    done = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin=moves)
    assert done.exit_code == 1
    assert "The input has ended, and the match has not." in done.stderr


def test_undecodable_bytes_are_read_as_no_move(bare: Pbem) -> None:
    done = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin=b"\xff\xfe\nq\n")
    assert done.exit_code == 0
    assert "cannot be read as a move" in done.stdout


def test_undo_takes_back_ones_last_decision_and_what_followed_it(bare: Pbem) -> None:
    told = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin="undo\n1\nundo\n2\nq\n").stdout
    assert "There is nothing to take back." in told
    assert told.count("Choose your ally.") == 2
    assert "· Player A hides an ally: M1." in told.split("Your last decision is taken back.")[1]


def test_a_saved_log_leaves_out_undone_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evening, straight = begin_evening("hogen"), begin_evening("hogen")
    for ends in (evening, straight):
        finish_evening(ends, "en", monkeypatch, [])
    last = [one for one in straight.table.entries if one.by.seat == 0][-1]
    assert evening.take_back()
    ask = evening.next_ask_by_lot()
    assert ask is not None
    assert ask.key == last.key
    assert evening.table.entries == straight.table.entries[: len(evening.table.entries)]


def test_the_saved_log_of_an_unfinished_match_is_the_players_own_view(tmp_path: Path, bare: Pbem) -> None:
    file = tmp_path / "match.json"
    bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin=f"1\nsave {file}\nq\n")
    log = read(file.read_bytes(), find_game)
    assert (log.viewer, log.seed) == (0, None)
    assert bare("replay", str(file), "--as", "1").exit_code == 1
    told = bare("replay", str(file), "--as", "0")
    assert told.exit_code == 0
    assert cards_named(told.stdout, {"F1", "F2", "T2", "M3", "B1"}) == set()


def test_a_log_file_that_cannot_be_written_does_not_end_the_match(tmp_path: Path, bare: Pbem) -> None:
    told = bare("play", "hogen", "--lang", "en", "--seed", SEED, stdin=f"save {tmp_path}\n1\nq\n")
    assert f"“{tmp_path}” cannot be written: Is a directory." in told.stdout
    assert told.exit_code == 0


def test_many_moves_are_chosen_step_by_step_with_a_way_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = begin_evening("niigata", bots=())
    game = evening.game
    while (ask := evening.next_ask_by_lot()) is not None and len(game.legal(evening.table.state, ask.seat)) <= MOST:
        evening.play_or_seal_move(ask, game.legal(evening.table.state, ask.seat)[0], by_hand(ask.seat))
    assert ask is not None
    before = len(evening.table.entries)
    lines = iter(["1", "..", "2", "1", "1", "1", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    Terminal(evening, "en").run()
    said = capsys.readouterr().out
    tiles = re.findall(r"^ +\d  .*\[lay-(\w+)\]$", said, re.MULTILINE)
    assert tiles[:2] == tiles[2:4]
    assert tiles[1] in str(evening.table.entries[before].event)


def test_a_failing_bot_is_named_and_the_fallback_plays_for_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evening = begin_evening("hogen", bots=("nobody",))
    finish_evening(evening, "en", monkeypatch, [])
    assert "The bot failed (nobody: KeyError('nobody')): the clock plays for it." in capsys.readouterr().out
    assert {one.by.clock for one in evening.table.entries} == {None, 1, 2}


@cases(
    "words",
    [
        ("chess",), ("hogen", "--seats", "2"), ("hogen", "--bots", "clever"), ("hogen", "--seat", "3"),
        ("hogen", "--options", "{"), ("hogen", "--options", '{"x": 1}'), ("hogen", "--seed", "1"),
    ],
)  # fmt: skip
def test_the_play_command_refuses_wrong_arguments(words: tuple[str, ...], bare: Pbem) -> None:
    done = bare("play", *words)
    assert done.exit_code == 2
    assert "Invalid value" in done.stderr


@cases(
    "named, lang",
    [({"LC_ALL": "en_GB.UTF-8"}, "en"), ({"LANG": "en_US"}, "en"), ({"LANG": "fr_CA.UTF-8"}, "fr"), ({}, "fr"),
     ({"LC_ALL": "C.UTF-8", "LANG": "en_US"}, "fr")],
)  # fmt: skip
def test_the_play_command_uses_the_terminals_language(
    named: dict[str, str], lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    assert language_of_terminal() == lang
