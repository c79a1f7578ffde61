"""`pbem play`: a match in the terminal, against bots or with others at the same keyboard."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import Any

import click

from pbem.commands.terminal import printable
from pbem.features.lab.commands import arguments
from pbem.features.lab.evening import Evening, bots_by_seat
from pbem.kit.answers import first_words_of_moves, read_answer, shortest_answer_text
from pbem.kit.bots import usual_bot
from pbem.kit.codec import codec_for
from pbem.kit.contract import (
    COMMON_REFUSALS,
    UNNUMBERED,
    AnyGame,
    Ask,
    IllegalMove,
    Move,
    Unreadable,
    game_with_marks,
    require_legal,
)
from pbem.kit.endings import outcome_of
from pbem.kit.logs.logfile import log_to_bytes
from pbem.kit.play import LawBroken
from pbem.kit.replay import By, evolve_all, redact_entries
from pbem.kit.texts import LANGS, Lang, Text
from pbem.kit.words import T
from pbem.render.i18n import join_and, player_names_by_letter
from pbem.render.phrases import phrase_text
from pbem.render.table_story import Narrator, outcome_in_words

MOST = 30
"""The most moves that are listed; of more it is the steps that lead to them."""
UP = ".."

_HELP = T(
    "Un numéro de la liste{marked}, ou un coup en notation, comme « {example} ». Ou :\n"
    "  ..           revenir un pas en arrière dans la liste\n"
    "  why COUP     pourquoi un coup n’est pas permis\n"
    "  undo         reprendre votre dernière décision, et ce qui a suivi ; le sort reste le même\n"
    "  save FICHIER écrire le journal de la partie\n"
    "  q            quitter",
    "A number of the list{marked}, or a move in notation, such as “{example}”. Or:\n"
    "  ..           go back one step in the list\n"
    "  why MOVE     why a move is not allowed\n"
    "  undo         take back your last decision, and what followed; luck stays the same\n"
    "  save FILE    write the log of the match\n"
    "  q            leave",
)
_MARKED = T(" après #, comme #1", " after #, such as #1")
_ASKED = T(
    "{name}, à vous (coups : {n}{listed} ; ? pour l’aide).", "{name}, it is your turn (moves: {n}{listed}; ? for help)."
)
_LISTED = T(" ; #1 à #{n} dans la liste", "; #1 to #{n} in the list")
_PASS_ON = T("{name} joue maintenant ; une touche montre la suite.", "{name} plays now; a key shows what follows.")
_NO_NUMBER = T("La liste va de 1 à {n}.", "The list goes from 1 to {n}.")
_UNREAD = T("« {text} » ne se lit pas comme un coup. {hint}", "“{text}” cannot be read as a move. {hint}")
_REFUSED = T("{why} (règle {rule})", "{why} (rule {rule})")
_ALLOWED = T("Ce coup est permis.", "This move is allowed.")
_NOTHING = T("Rien à reprendre.", "There is nothing to take back.")
_BACK = T("Votre dernière décision est reprise.", "Your last decision is taken back.")
_SAVED = T("Journal : {file}. « pbem replay {file} » le raconte.", "Log: {file}. `pbem replay {file}` tells it.")
_UNSAVED = T("« {file} » ne peut être écrit : {why}.", "“{file}” cannot be written: {why}.")
_FAILED = T("Le robot a échoué ({why}) : l’horloge joue pour lui.", "The bot failed ({why}): the clock plays for it.")
_OVER = T(
    "« save FICHIER » garde la partie ; « pbem replay » la raconte, « pbem verify » la vérifie. undo, ou q.",
    "`save FILE` keeps the match; `pbem replay` tells it, `pbem verify` checks it. undo, or q.",
)
_CUT_OFF = T("L’entrée est finie, et la partie non.", "The input has ended, and the match has not.")

Way = tuple[str, str, Sequence[Move]]
"""What can be chosen from a list: its word, what it is called, and the moves that it leads to."""


class Left(Exception):  # not an error
    """The player has left."""


def language_of_terminal() -> Lang:
    """Returns the language of the terminal: English if its locale says so, else French."""
    named = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "en" if named.startswith("en") else "fr"


@click.command()
@arguments.GAME
@click.option("--seats", type=int, help="How many play; as few as can without it.")
@click.option(
    "--bots", metavar="A,B,…|none", help="The bots of the others, from the seat after mine; none: all are mine."
)
@click.option("--seat", "mine", type=click.IntRange(0), default=0, show_default=True, help="Which seat is mine.")
@arguments.SEED
@arguments.OPTIONS
@click.option(
    "--lang",
    type=click.Choice(LANGS),
    default=language_of_terminal,
    help="By default that of the terminal, else French.",
)
def play(
    game: AnyGame, seats: int | None, bots: str | None, mine: int, seed: bytes, options: dict[str, Any], lang: Lang
) -> None:
    """Play a match here, against bots or for all seats.

    Each seat sees what it would see on a site. Nothing is stored; `save` writes the log. Moves may come from a pipe,
    one a line: if they end before the match, the exit status is 1.
    """
    [places] = arguments.parse_numbers_of_seats(game, str(seats or min(game.meta.seats)))
    if mine >= places:
        raise click.BadParameter(f"the seats are 0 to {places - 1}", param_hint="--seat")
    names = () if bots == "none" else arguments.parse_names_of_bots(game, bots or usual_bot(game))
    arguments.refuse_options_not_of_game(game, options)
    chosen = codec_for(game).options(options)
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        Terminal(Evening(game, places, chosen, seed, bots_by_seat(names, places, mine)), lang).run()
    except LawBroken as error:
        raise click.ClickException(printable(f"{error}. See `pbem check {game.meta.slug}`.")) from None


class Terminal:
    """An evening, as it is shown and asked in one language."""

    def __init__(self, evening: Evening, lang: Lang) -> None:
        self.evening, self.game, self.lang = evening, evening.game, lang
        own, bots = player_names_by_letter(evening.table.seats, lang), iter(self.game.meta.bot_names)
        self.names = [next(bots) if seat in evening.bots else name for seat, name in enumerate(own)]
        self.told = {seat: 0 for seat in range(evening.table.seats) if seat not in evening.bots}
        """How many entries each seat that is played by hand has been told."""
        self.watching = next(iter(self.told))
        """Whose board is on the screen."""
        self.mark = ""
        """What stands before the numbers of the list: # where a number may be a move."""

    def run(self) -> None:
        """Plays until the player leaves."""
        bots = self.evening.bots
        who = [f"{name} ({bots[seat]})" if seat in bots else name for seat, name in enumerate(self.names)]
        self._print_lines(f"{self.game.meta.title[self.lang]}: {join_and(who, self.lang)}")
        with suppress(Left):
            while True:
                ask = self.evening.next_ask_by_lot()
                if ask is None:
                    self._show_end_and_do_commands()
                elif ask.seat not in bots:
                    self._ask_until_answer_is_played(ask)
                elif why := self.evening.play_bot(ask):
                    self._print_lines(self._text_with_facts_put_in(_FAILED, why=why))

    def _print_lines(self, *lines: str) -> None:
        for line in lines:
            click.echo(printable(line))

    def _text_with_facts_put_in(self, words: Text, **facts: object) -> str:
        return words[self.lang].format(**facts)

    def _show_news_and_board(self, seat: int, *, over: bool = False) -> None:
        """Shows what has happened since the seat was last shown it, and how its board stands."""
        self._print_lines("", *self._lines_of_news(seat), "")
        board = self.game.describe(self.evening.table.folds[seat], seat, self.lang, over=over)
        self._print_lines(*(f"  {phrase_text(line, self.names)}" for line in board), "")

    def _lines_of_news(self, seat: int) -> Iterator[str]:
        entries, narrator, fold = redact_entries(self.evening.table.entries, seat), Narrator(self.game, self.lang), None
        for at, entry in enumerate(entries):
            line = narrator.line(entry, self.game.tell(entry.event, fold, self.lang))
            if line and at >= self.told[seat]:
                yield f"· {phrase_text(line, self.names)}"
            fold = evolve_all(self.game, fold, [entry.event])
        self.told[seat] = len(entries)

    def _ask_until_answer_is_played(self, ask: Ask) -> None:
        """Asks until the question is answered, or something is taken back."""
        game, seat, fold = self.game, ask.seat, self.evening.table.folds[ask.seat]
        legal = game.legal(fold, seat)
        if seat != self.watching:  # in a terminal; a pipe needs no key
            click.clear()
            click.pause(self._text_with_facts_put_in(_PASS_ON, name=self.names[seat]))
        self.watching = seat
        self._show_news_and_board(seat)
        title = game.meta.asks[ask.kind].title[self.lang]
        stop = "" if title.endswith(("?", "!", "…", ".")) else "."
        self._print_lines(f"{title}{stop} {phrase_text(game.prompt(ask, fold, self.lang), self.names)}")
        narrowed: list[Sequence[Move]] = [legal]
        ways: list[Way] = []
        words, numbers = dict[str, Sequence[Move]](), dict[str, Sequence[Move]]()
        while True:
            if not ways:
                ways = self._moves_or_first_steps_to_list(ask, narrowed[-1])
                words = {word: found for word, _, found in ways}
                numbers = {str(at): found for at, (_, _, found) in enumerate(ways, 1)}
                self.mark = (
                    "#" if any(self._is_allowed_move_in_digits(ask, at) or at in words for at in numbers) else ""
                )
                listed = (f"{f'{self.mark}{at}':>4}  {label}  [{word}]" for at, (word, label, _) in enumerate(ways, 1))
                self._print_lines(*listed)
                named = self._text_with_facts_put_in(_LISTED, n=len(ways)) if self.mark else ""
                self._print_lines(
                    self._text_with_facts_put_in(_ASKED, name=self.names[seat], n=len(legal), listed=named)
                )
            said = self._read_line_or_leave()
            bare = "" if self.mark or self._is_allowed_move_in_digits(ask, said) else said
            number = said[1:] if said.startswith("#") else bare
            chosen = words.get(said) or numbers.get(number, ())
            if len(chosen) == 1:
                return self.evening.play_or_seal_move(ask, chosen[0], By(seat=seat))
            if chosen or (said == UP and len(narrowed) > 1):
                narrowed, ways = [*narrowed, chosen] if chosen else narrowed[:-1], []
            elif number.isdecimal():
                self._print_lines(self._text_with_facts_put_in(_NO_NUMBER, n=len(ways)))
            elif self._do_command_or_play_move(said, seat, ask):
                return None

    def _moves_or_first_steps_to_list(self, ask: Ask, moves: Sequence[Move]) -> list[Way]:
        """Returns what is listed: these moves, or if they are many the first steps that tell them apart."""
        game, fold, lang = self.game, self.evening.table.folds[ask.seat], self.lang
        if len(moves) <= MOST:
            return [(game.format(one), phrase_text(game.label(one, fold, lang), self.names), [one]) for one in moves]
        paths = [(game.path(move, fold, lang), move) for move in moves]
        depth = next(at for at in count() if len({path[at].text for path, _ in paths}) > 1)
        steps: dict[str, tuple[str, list[Move]]] = {}
        for path, move in paths:
            steps.setdefault(path[depth].text, (path[depth].label, []))[1].append(move)
        return [(word, phrase_text(label, self.names), found) for word, (label, found) in steps.items()]

    def _do_command_or_play_move(self, said: str, seat: int, ask: Ask | None) -> bool:
        """Does what is said in words; returns whether the question is no longer asked. Without one the match is over.

        Raises Left.
        """
        word, _, rest = said.partition(" ")
        if word == "q":
            raise Left
        if word == "undo":
            return self._take_back()
        if word == "save" and rest:
            self._print_lines(self._save_log_and_say_so(rest, seat))
        elif ask is None:
            self._print_lines(_OVER[self.lang])
        elif word in ("?", "save"):
            hint, legal = self.game.meta.asks[ask.kind].hint, self.game.legal(self.evening.table.folds[seat], seat)
            game = self._game_with_marks_taken_by_seats(seat)
            example = shortest_answer_text(game, legal[0], seat, legal, [*first_words_of_moves(game, legal)])
            marked = _MARKED[self.lang] if self.mark else ""
            told = self._text_with_facts_put_in(_HELP, example=example, marked=marked).splitlines()
            self._print_lines(*([hint[self.lang]] if hint else []), *told)
        else:
            move, why = self._move_and_verdict_on_typed_text(ask, rest if word == "why" else said)
            if move is not None and word != "why":
                self.evening.play_or_seal_move(ask, move, By(seat=seat))
                return True
            self._print_lines(why)
        return False

    def _game_with_marks_taken_by_seats(self, seat: int) -> AnyGame:
        """Returns the game with the marks that seats have taken, as this seat sees them."""
        return game_with_marks(self.game, self.evening.table.options, self.evening.table.folds[seat])

    def _is_allowed_move_in_digits(self, ask: Ask, said: str) -> bool:
        return said.isdecimal() and self._move_and_verdict_on_typed_text(ask, said)[0] is not None

    def _move_and_verdict_on_typed_text(self, ask: Ask, said: str) -> tuple[Move | None, str]:
        """Returns the move if it is allowed, and a sentence that says so or why not."""
        game, fold = self._game_with_marks_taken_by_seats(ask.seat), self.evening.table.folds[ask.seat]
        try:
            move = read_answer(game, said, ask.seat, game.legal(fold, ask.seat))
            require_legal(game, fold, ask.seat, move)
        except Unreadable as error:
            return None, self._text_with_facts_put_in(_UNREAD, text=said, hint=error.hint[self.lang])
        except IllegalMove as error:
            refusal = {**COMMON_REFUSALS, **game.meta.refusals}[error.code]
            why = phrase_text(refusal.text.fill(**error.facts)[self.lang], self.names)
            return None, why if refusal.rule == UNNUMBERED else self._text_with_facts_put_in(
                _REFUSED, why=why, rule=refusal.rule
            )
        return move, _ALLOWED[self.lang]

    def _take_back(self) -> bool:
        taken = self.evening.take_back()
        self._print_lines((_BACK if taken else _NOTHING)[self.lang])
        self.told = {seat: min(told, len(self.evening.table.entries)) for seat, told in self.told.items()}
        return taken

    def _save_log_and_say_so(self, name: str, seat: int) -> str:
        try:
            Path(name).write_bytes(log_to_bytes(self.evening.log_for_viewer(seat)))
        except OSError as error:
            return self._text_with_facts_put_in(_UNSAVED, file=name, why=error.strerror)
        return self._text_with_facts_put_in(_SAVED, file=name)

    def _read_line_or_leave(self) -> str:
        """Returns the next line that is not empty. Raises Left, and ClickException if the match is not over."""
        while True:
            try:
                said = " ".join(input("> ").split())
            except EOFError:
                click.echo()
                if self.evening.next_ask_by_lot() is None:
                    raise Left from None
                raise click.ClickException(_CUT_OFF[self.lang]) from None
            if not sys.stdin.isatty():
                click.echo(printable(said))
            if said:
                return said

    def _show_end_and_do_commands(self) -> None:
        """Shows how the match ended; returns if something is taken back."""
        for seat in self.told:
            self._show_news_and_board(seat, over=True)
        outcome = outcome_of(self.game, self.evening.table.entries)
        assert outcome is not None, "nobody is asked any more"
        self._print_lines(outcome_in_words(self.game, outcome, self.names, self.lang))
        if outcome.scores is not None:
            self._print_lines(*(f"  {name}: {score}" for name, score in zip(self.names, outcome.scores, strict=True)))
        self._print_lines(_OVER[self.lang])
        while not self._do_command_or_play_move(self._read_line_or_leave(), self.watching, None):
            pass
