"""Who sees which field of the events and of the state, and whether the folds are as the state says."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.kit.contract import AnyGame
from pbem.kit.replay import evolve_all
from pbem.kit.secrecy import SecrecyMark, can_fade, marks_of, redact, visibility_of
from pbem.testing.faults import Fault
from pbem.testing.records import LIKELY, Record

FIELDS = "fields"


def visibility_in_words_by_field(game: AnyGame) -> dict[str, str]:
    """Returns who sees each field, in words, by its name as `Event.field`; "" for one that says nothing."""
    return {
        f"{kind.__name__}.{field}": " and ".join(map(str, marks))
        for kind in (*game.meta.events, game.meta.state)
        for field, marks in visibility_of(kind).items()
    }


def find_fields_without_visibility(game: AnyGame, leaks: Mapping[str, str]) -> Iterator[Fault]:
    """Yields the fields that do not say who sees them; `leaks` is what some of them told, by field."""
    for field, words in visibility_in_words_by_field(game).items():
        if not words and field in leaks:
            todo = "Say Own, Each, Hidden or Fading; or Shown, if everybody may learn this by the rules."
            yield Fault(FIELDS, f"{field} does not say who sees it, and {leaks[field]}", todo)
        elif not words:
            todo = "Say it in its type: Open[…] if it was never hidden; else Shown, Own, Each, Hidden or Fading."
            yield Fault(FIELDS, f"{field} does not say who sees it", todo)


class Hiding:
    """What was hidden in the matches that it has looked at, by what the fields of the state say."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.matches = game, 0
        self.hidden, self.wrong = set[str](), dict[str, Fault]()
        self.forgets = any(map(can_fade, game.meta.events))

    def compare_folds_with_state(self, record: Record) -> None:
        """Compares the folds of all viewers with the state, after each decision of a match."""
        self.matches += 1
        words, marked = visibility_of(self.game.meta.state), marks_of(self.game.meta.state)
        for viewer in record.table.viewers:
            state: Any = None
            fold: Any = None
            for decision in record.decisions:
                state = evolve_all(self.game, state, decision.events)
                fold = evolve_all(self.game, fold, (redact(event, viewer) for event in decision.events))
                shown = redact(state, viewer)
                self.hidden |= {name for name in marked if getattr(state, name) != getattr(fold, name)}
                for name, marks in words.items():
                    known, due = getattr(fold, name), getattr(shown, name)
                    if any(mark.kind == "open" for mark in marks):
                        lacks = known != due
                    else:  # where something fades, it may have been forgotten
                        lacks = bool(marks) and not self.forgets and _is_knowledge_missing(known, due)
                    if lacks:
                        said = f"{_viewer_name(viewer)} does not know it after {decision.events[-1]}"
                        self._note_fault(name, marks, said)

    def _note_fault(self, name: str, marks: Sequence[SecrecyMark], said: str) -> None:
        where = f"{self.game.meta.state.__name__}.{name}"
        todo = "Say Each, Hidden or Own if it is hidden; Shown if it was shown and is forgotten."
        said = f"{where} says {' and '.join(map(str, marks)).capitalize()}, but {said}"
        self.wrong.setdefault(name, Fault(FIELDS, said, todo))

    def faults(self) -> Iterator[Fault]:
        """Yields what the matches have shown to be otherwise than the fields of the state say."""
        yield from self.wrong.values()
        marked = marks_of(self.game.meta.state)
        for name in marked.keys() - self.hidden if self.matches >= LIKELY else ():
            said = f"{self.game.meta.state.__name__}.{name} says {marked[name][0]}, but everybody always knows it"
            yield Fault(FIELDS, said, "Mark the fields of the events that it comes from, or say Open here.")
        hides = any(map(marks_of, self.game.meta.events))
        if hides and "hidden" not in self.game.meta.traits:
            said = "some fields of events are hidden, but `Meta.traits` does not say `hidden`"
            yield Fault(FIELDS, said, "Add the trait: lists of games and the pages of a match go by it.")
        if "hidden" in self.game.meta.traits and not self.hidden and not hides:
            todo = "Mark what is hidden, in the events and in the state, or take the trait `hidden` off `Meta`."
            yield Fault(FIELDS, "the game says that it hides something, but all its fields are public", todo)


def _is_knowledge_missing(known: Any, due: Any) -> bool:
    """Returns whether a fold lacks something that its viewer is to know."""
    if known is None or not (isinstance(known, tuple) and isinstance(due, tuple)):
        return known is None and due is not None
    return len(known) != len(due) or any(map(_is_knowledge_missing, known, due))


def _viewer_name(viewer: int | None) -> str:
    return "a spectator" if viewer is None else f"seat {viewer}"
