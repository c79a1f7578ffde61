"""Makes a game of its modules: each promises a part of the contract."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any, Protocol, TypeVar

from pbem.kit import contract
from pbem.kit.answers import pad_of_first_steps, typeset_pad
from pbem.kit.chance import Chance, Luck
from pbem.kit.texts import Lang
from pbem.kit.words import typeset

K = TypeVar("K")


class Rules(Protocol):
    """The module `rules`: questions, legal moves and decisions."""

    def setup(self, seats: int, options: Any, luck: Luck, /) -> Sequence[Any]: ...
    def decide(self, state: Any, seat: int, move: Any, luck: Luck, /) -> Sequence[Any]: ...
    def pending(self, state: Any, /) -> tuple[contract.Ask, ...]: ...
    def legal(self, state: Any, seat: int, /) -> Sequence[Any]: ...
    def fallback(self, fold: Any, seat: int, chance: Chance, /) -> Any: ...
    def preview(self, fold: Any, seat: int, move: Any, /) -> Sequence[Any]: ...
    def outcome(self, state: Any, /) -> contract.Outcome | None: ...


class History(Protocol):
    """The module `history`: what events make of a position."""

    def evolve(self, state: Any, event: Any, /) -> Any: ...


class Notation(Protocol):
    """The module `notation`: moves as they are typed."""

    def parse(self, text: str, seat: int | None, /) -> Any: ...
    def format(self, move: Any, /) -> str: ...


class Story(Protocol):
    """The module `story`: events as lines."""

    def tell(self, event: Any, before: Any, lang: Lang, /) -> contract.Phrase: ...


class Prompts(Protocol):
    """The module `prompts`: questions and moves, said to the player."""

    def prompt(self, ask: contract.Ask, fold: Any, lang: Lang, /) -> contract.Phrase: ...
    def label(self, move: Any, fold: Any, lang: Lang, /) -> contract.Phrase: ...
    def path(self, move: Any, fold: Any, lang: Lang, /) -> tuple[contract.Step, ...]: ...


class Describe(Protocol):
    """The module `describe`: the board in words. An empty line is left out."""

    def describe(
        self, fold: Any, viewer: contract.Viewer, lang: Lang, /, *, over: bool
    ) -> Sequence[contract.Phrase]: ...


class Board(Protocol):
    """The module `board`, or `board.whole` of a room: the drawn board."""

    def draw(self, fold: Any, viewer: contract.Viewer, lang: Lang, scene: contract.Scene, /) -> str: ...


class Orders(Protocol):
    """The module `orders`: what orders of the game's own answer, what one may order, and who leaves typical ones."""

    def follow(self, order: Any, fold: Any, ask: contract.Ask, chance: Chance, /) -> Any:
        """Raises TypeError where the game has no orders of its own."""
        raise TypeError(f"{order} is no order of this game")

    def check_order(self, order: Any, fold: Any, seat: int, /) -> None:
        """Refuses nothing unless the game does."""
        return None

    def round_of(self, fold: Any, /) -> int:
        """Returns 0 where the match is one round."""
        return 0

    def answers(self, kind: str, fold: Any, seat: int, /) -> Sequence[Any]:
        """Returns () where what is ordered is typed."""
        return ()

    def name(self, move: Any, lang: Lang, /) -> contract.Phrase:
        """Returns "" where a move is called as it is typed."""
        return ""

    def typical(self, view: contract.PlayerView, seat: int, chance: Chance, /) -> Sequence[contract.Order]:
        """Returns no orders unless the game does."""
        return ()


class NoOrders(Orders):
    """The orders of a game without any of its own: lists and fixed answers work all the same."""


@dataclass(frozen=True, eq=False, slots=True)
class AssembledGame:
    """A game, with a name for each function of its modules. There is one object per game, so caches use it as a key."""

    meta: contract.Meta
    bots: Mapping[str, contract.Bot]
    imagine: contract.Imagine | None
    playout: contract.Bot | None
    estimate: contract.Estimate | None
    with_marks: Callable[[contract.AnyGame, Any], contract.AnyGame] | None
    figures: Mapping[str, contract.Figure]
    end: contract.End | None
    card: contract.CardOf | None
    intro: contract.Intro | None
    lesson: contract.Lesson | None
    notation_page: Callable[[Lang], str] | None
    packaged: Mapping[str, contract.PackagedBot]
    setup: Callable[..., Sequence[Any]]
    decide: Callable[..., Sequence[Any]]
    evolve: Callable[..., Any]
    pending: Callable[..., tuple[contract.Ask, ...]]
    legal: Callable[..., Sequence[Any]]
    fallback: Callable[..., Any]
    follow: Callable[..., Any]
    check_order: Callable[..., None]
    round_of: Callable[[Any], int]
    answers: Callable[[str, Any, int], Sequence[Any]]
    name: Callable[[Any, Lang], contract.Phrase]
    typical: contract.Person
    preview: Callable[..., Sequence[Any]]
    supposable: Callable[..., Sequence[Any] | None]
    foretell: Callable[..., contract.Phrase]
    outcome: Callable[..., contract.Outcome | None]
    scores: Callable[[Any], tuple[int, ...] | None]
    parse: Callable[..., Any]
    format: Callable[..., str]
    tell: Callable[..., contract.Phrase]
    prompt: Callable[..., contract.Phrase]
    label: Callable[..., contract.Phrase]
    path: Callable[..., tuple[contract.Step, ...]]
    pad: Callable[..., contract.Pad]
    candidates: Callable[..., tuple[contract.Candidate, ...]]
    describe: Callable[..., tuple[contract.Phrase, ...]]
    draw: Callable[..., str]


def no_scores(fold: Any) -> None:
    """Returns None: the game keeps no score."""


def no_supposable(fold: Any, viewer: int, since: Sequence[Any]) -> Sequence[Any]:
    """Returns (): nothing can be supposed but the answers to public questions."""
    return ()


def no_candidates(ask: contract.Ask, fold: Any, lang: Lang) -> tuple[contract.Candidate, ...]:
    """Returns (): the game says nothing of answers that are not allowed."""
    return ()


def assemble(
    meta: contract.Meta,
    rules: Rules,
    history: History,
    notation: Notation,
    story: Story,
    prompts: Prompts,
    describe: Describe,
    board: Board,
    bots: Mapping[str, contract.Bot],
    *,
    pad: Callable[[contract.Ask, Any, Lang], contract.Pad] | None = None,
    scores: Callable[[Any], tuple[int, ...] | None] = no_scores,
    candidates: Callable[[contract.Ask, Any, Lang], Iterable[contract.Candidate]] = no_candidates,
    supposable: Callable[[Any, int, Sequence[Any]], Sequence[Any] | None] = no_supposable,
    foretell: Callable[[Any, Any, Lang], contract.Phrase] | None = None,
    figures: Mapping[str, contract.Figure] = MappingProxyType({}),
    end: contract.End | None = None,
    card: contract.CardOf | None = None,
    intro: contract.Intro | None = None,
    lesson: contract.Lesson | None = None,
    notation_page: Callable[[Lang], str] | None = None,
    orders: Orders = NoOrders(),  # noqa: B008 - it has no state
    imagine: contract.Imagine | None = None,
    playout: contract.Bot | None = None,
    estimate: contract.Estimate | None = None,
    with_marks: Callable[[contract.AnyGame, Any], contract.AnyGame] | None = None,
) -> contract.AnyGame:
    """Returns the game made of these modules. Typesets everything it says in French.

    Without a `pad` of its own, a game's mails list the first steps of its moves. A game whose outcome has scores
    offers `scores`, too: see the contract. `candidates` and `figures` explain the game, `card` tells its important
    news, `end` draws the picture of a match that is over, and `intro` and `lesson` are for those who do not know it; it
    can be played without them. `notation_page` writes what may be typed where no file says it. `supposable` says what
    may come on a planning board, besides the answers to public questions; `foretell` says it in words, if the story
    does not.
    A game with rounds or with rules that a seat may order has a module `orders`. With `imagine`, bots can think about
    it; see the contract for this, `playout` and `estimate`. `with_marks` is for seats that take marks during a match.
    """

    def tell(event: Any, before: Any, lang: Lang) -> contract.Phrase:
        return typeset(story.tell(event, before, lang), lang)

    def foresee(event: Any, before: Any, lang: Lang) -> contract.Phrase:
        return typeset((foretell or story.tell)(event, before, lang), lang)

    def typeset_card(event: Any, before: Any, viewer: contract.Viewer, lang: Lang) -> contract.Card | None:
        made = card(event, before, viewer, lang) if card is not None else None
        if made is None:
            return None
        lines = tuple(typeset(line, lang) for line in made.lines)
        table = tuple(tuple(typeset(cell, lang) for cell in row) for row in made.table)
        return contract.Card(typeset(made.title, lang), lines, table)

    def prompt(ask: contract.Ask, fold: Any, lang: Lang) -> contract.Phrase:
        return typeset(prompts.prompt(ask, fold, lang), lang)

    def label(move: Any, fold: Any, lang: Lang) -> contract.Phrase:
        return typeset(prompts.label(move, fold, lang), lang)

    def name(move: Any, lang: Lang) -> contract.Phrase:
        return typeset(orders.name(move, lang), lang) or notation.format(move)

    def typeset_answers(ask: contract.Ask, fold: Any, lang: Lang) -> contract.Pad:
        if pad is not None:
            return typeset_pad(pad(ask, fold, lang), lang)
        paths = (prompts.path(move, fold, lang) for move in rules.legal(fold, ask.seat))
        return typeset_pad(pad_of_first_steps(meta.asks[ask.kind].title[lang], paths), lang)

    def name_candidates(ask: contract.Ask, fold: Any, lang: Lang) -> tuple[contract.Candidate, ...]:
        return tuple(contract.Candidate(typeset(one.text, lang), one.move) for one in candidates(ask, fold, lang))

    def lines(fold: Any, viewer: contract.Viewer, lang: Lang, *, over: bool = False) -> tuple[contract.Phrase, ...]:
        return tuple(typeset(line, lang) for line in describe.describe(fold, viewer, lang, over=over) if line)

    return AssembledGame(
        meta=meta, bots=MappingProxyType(dict(bots)), imagine=imagine, playout=playout, estimate=estimate,
        with_marks=with_marks, figures=MappingProxyType(dict(figures)), end=end,
        card=typeset_card if card is not None else None, intro=intro, lesson=lesson, notation_page=notation_page,
        packaged=MappingProxyType({}),
        setup=rules.setup, decide=rules.decide, evolve=history.evolve, pending=rules.pending, legal=rules.legal,
        fallback=rules.fallback, follow=orders.follow, check_order=orders.check_order, round_of=orders.round_of,
        answers=orders.answers, name=name, typical=orders.typical, preview=rules.preview, supposable=supposable,
        foretell=foresee, outcome=rules.outcome, scores=scores, parse=notation.parse, format=notation.format, tell=tell,
        prompt=prompt, label=label, path=prompts.path, pad=typeset_answers, candidates=name_candidates, describe=lines,
        draw=board.draw,
    )  # fmt: skip


def kinds_in(facts: ModuleType, kind: type[K]) -> tuple[type[K], ...]:
    """Returns every event type, or move type, that the module defines, in the order of their definition."""
    found = (value for value in vars(facts).values() if isinstance(value, type) and issubclass(value, kind))
    return tuple(value for value in found if value.__module__ == facts.__name__)
