"""Makes a game of its modules: each promises a part of the contract."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any, Protocol, TypeVar

from pbem.kit.answers import pad_of_answers, typeset_pad
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import (
    AnyGame,
    Ask,
    Bot,
    Candidate,
    Card,
    CardOf,
    End,
    Estimate,
    Figure,
    Imagine,
    Intro,
    Lesson,
    Meta,
    Order,
    Outcome,
    PackagedBot,
    Pad,
    Person,
    Phrase,
    PlayerView,
    Scene,
    Step,
    Viewer,
)
from pbem.kit.texts import Lang
from pbem.kit.words import typeset

K = TypeVar("K")


class Rules(Protocol):
    """The module `rules`: questions, legal moves and decisions."""

    def setup(self, seats: int, options: Any, luck: Luck, /) -> Sequence[Any]: ...
    def decide(self, state: Any, seat: int, move: Any, luck: Luck, /) -> Sequence[Any]: ...
    def pending(self, state: Any, /) -> tuple[Ask, ...]: ...
    def legal(self, state: Any, seat: int, /) -> Sequence[Any]: ...
    def fallback(self, fold: Any, seat: int, chance: Chance, /) -> Any: ...
    def preview(self, fold: Any, seat: int, move: Any, /) -> Sequence[Any]: ...
    def outcome(self, state: Any, /) -> Outcome | None: ...


class History(Protocol):
    """The module `history`: what events make of a position."""

    def evolve(self, state: Any, event: Any, /) -> Any: ...


class Notation(Protocol):
    """The module `notation`: moves as they are typed."""

    def parse(self, text: str, seat: int | None, /) -> Any: ...
    def format(self, move: Any, /) -> str: ...


class Story(Protocol):
    """The module `story`: events as lines."""

    def tell(self, event: Any, before: Any, lang: Lang, /) -> Phrase: ...


class Prompts(Protocol):
    """The module `prompts`: questions and moves, said to the player."""

    def prompt(self, ask: Ask, fold: Any, lang: Lang, /) -> Phrase: ...
    def label(self, move: Any, fold: Any, lang: Lang, /) -> Phrase: ...
    def path(self, move: Any, fold: Any, lang: Lang, /) -> tuple[Step, ...]: ...


class Describe(Protocol):
    """The module `describe`: the board in words. An empty line is left out."""

    def describe(self, fold: Any, viewer: Viewer, lang: Lang, /, *, over: bool) -> Sequence[Phrase]: ...


class Board(Protocol):
    """The module `board`, or `board.whole` of a room: the drawn board."""

    def draw(self, fold: Any, viewer: Viewer, lang: Lang, scene: Scene, /) -> str: ...


class Orders(Protocol):
    """The module `orders`: what orders of the game's own answer, what one may order, and who leaves typical ones."""

    def follow(self, order: Any, fold: Any, ask: Ask, chance: Chance, /) -> Any:
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

    def name(self, move: Any, lang: Lang, /) -> Phrase:
        """Returns "" where a move is called as it is typed."""
        return ""

    def typical(self, view: PlayerView, seat: int, chance: Chance, /) -> Sequence[Order]:
        """Returns no orders unless the game does."""
        return ()


class NoOrders(Orders):
    """The orders of a game without any of its own: lists and fixed answers work all the same."""


@dataclass(frozen=True, eq=False, slots=True)
class AssembledGame:
    """A game, with a name for each function of its modules. There is one object per game, so caches use it as a key."""

    meta: Meta
    bots: Mapping[str, Bot]
    imagine: Imagine | None
    playout: Bot | None
    estimate: Estimate | None
    with_marks: Callable[[AnyGame, Any], AnyGame] | None
    figures: Mapping[str, Figure]
    end: End | None
    card: CardOf | None
    intro: Intro | None
    lesson: Lesson | None
    notation_page: Callable[[Lang], str] | None
    packaged: Mapping[str, PackagedBot]
    setup: Callable[..., Sequence[Any]]
    decide: Callable[..., Sequence[Any]]
    evolve: Callable[..., Any]
    pending: Callable[..., tuple[Ask, ...]]
    legal: Callable[..., Sequence[Any]]
    fallback: Callable[..., Any]
    follow: Callable[..., Any]
    check_order: Callable[..., None]
    round_of: Callable[[Any], int]
    answers: Callable[[str, Any, int], Sequence[Any]]
    name: Callable[[Any, Lang], Phrase]
    typical: Person
    preview: Callable[..., Sequence[Any]]
    supposable: Callable[..., Sequence[Any] | None]
    foretell: Callable[..., Phrase]
    outcome: Callable[..., Outcome | None]
    scores: Callable[[Any], tuple[int, ...] | None]
    parse: Callable[..., Any]
    format: Callable[..., str]
    tell: Callable[..., Phrase]
    prompt: Callable[..., Phrase]
    label: Callable[..., Phrase]
    path: Callable[..., tuple[Step, ...]]
    pad: Callable[..., Pad]
    candidates: Callable[..., tuple[Candidate, ...]]
    describe: Callable[..., tuple[Phrase, ...]]
    draw: Callable[..., str]


def no_scores(fold: Any) -> None:
    """Returns None: the game keeps no score."""


def no_supposable(fold: Any, viewer: int, since: Sequence[Any]) -> Sequence[Any]:
    """Returns (): nothing can be supposed but the answers to public questions."""
    return ()


def no_candidates(ask: Ask, fold: Any, lang: Lang) -> tuple[Candidate, ...]:
    """Returns (): the game says nothing of answers that are not allowed."""
    return ()


def assemble(
    meta: Meta,
    rules: Rules,
    history: History,
    notation: Notation,
    story: Story,
    prompts: Prompts,
    describe: Describe,
    board: Board,
    bots: Mapping[str, Bot],
    *,
    pad: Callable[[Ask, Any, Lang], Pad] | None = None,
    scores: Callable[[Any], tuple[int, ...] | None] = no_scores,
    candidates: Callable[[Ask, Any, Lang], Iterable[Candidate]] = no_candidates,
    supposable: Callable[[Any, int, Sequence[Any]], Sequence[Any] | None] = no_supposable,
    foretell: Callable[[Any, Any, Lang], Phrase] | None = None,
    figures: Mapping[str, Figure] = MappingProxyType({}),
    end: End | None = None,
    card: CardOf | None = None,
    intro: Intro | None = None,
    lesson: Lesson | None = None,
    notation_page: Callable[[Lang], str] | None = None,
    orders: Orders = NoOrders(),  # noqa: B008 - it has no state
    imagine: Imagine | None = None,
    playout: Bot | None = None,
    estimate: Estimate | None = None,
    with_marks: Callable[[AnyGame, Any], AnyGame] | None = None,
) -> AnyGame:
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

    def tell(event: Any, before: Any, lang: Lang) -> Phrase:
        return typeset(story.tell(event, before, lang), lang)

    def foresee(event: Any, before: Any, lang: Lang) -> Phrase:
        return typeset((foretell or story.tell)(event, before, lang), lang)

    def typeset_card(event: Any, before: Any, viewer: Viewer, lang: Lang) -> Card | None:
        made = card(event, before, viewer, lang) if card is not None else None
        if made is None:
            return None
        lines = tuple(typeset(line, lang) for line in made.lines)
        table = tuple(tuple(typeset(cell, lang) for cell in row) for row in made.table)
        return Card(typeset(made.title, lang), lines, table)

    def prompt(ask: Ask, fold: Any, lang: Lang) -> Phrase:
        return typeset(prompts.prompt(ask, fold, lang), lang)

    def label(move: Any, fold: Any, lang: Lang) -> Phrase:
        return typeset(prompts.label(move, fold, lang), lang)

    def name(move: Any, lang: Lang) -> Phrase:
        return typeset(orders.name(move, lang), lang) or notation.format(move)

    def typeset_answers(ask: Ask, fold: Any, lang: Lang) -> Pad:
        if pad is not None:
            return typeset_pad(pad(ask, fold, lang), lang)
        paths = (prompts.path(move, fold, lang) for move in rules.legal(fold, ask.seat))
        return typeset_pad(pad_of_answers(meta.asks[ask.kind].title[lang], paths), lang)

    def name_candidates(ask: Ask, fold: Any, lang: Lang) -> tuple[Candidate, ...]:
        return tuple(Candidate(typeset(one.text, lang), one.move) for one in candidates(ask, fold, lang))

    def lines(fold: Any, viewer: Viewer, lang: Lang, *, over: bool = False) -> tuple[Phrase, ...]:
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
