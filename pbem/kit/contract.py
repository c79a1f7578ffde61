"""What a game promises to the service, and the few words both share.

A game is one object that satisfies `Game`. It is pure: state, events and moves are frozen values,
luck is handed in as a `Luck`, and time, names and addresses never reach it.

* `decide` checks a move and returns facts; `evolve` folds facts into state.
* Every face (`tell`, `card`, `prompt`, `label`, `path`, `pad`, `candidates`, `describe`, `draw`) is made from one
  viewer's own fold.
* Texts write a seat as ``{0}``, and a thing of the game by its notation, ``{F1}``: see `Phrase`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol, TypeVar

import msgspec

from pbem.kit.chance import NO_LUCK, Chance, Luck
from pbem.kit.texts import Lang, OptionText, Text

Seat = Annotated[int, msgspec.Meta(ge=0, le=15, title="Seat")]
"""A place at the table, 0..n-1 clockwise. Bounded, so that a foreign log cannot name seat ten million."""

Viewer = int | None
"""Whose eyes: a seat, or None for a spectator."""

Phrase = str
"""A sentence in which ``{0}`` stands for the name of seat 0 and ``{F1}`` for the thing written F1 in the game's
notation. The game never sees a name; the code that shows the phrase fills in names and drawings."""


class Event(msgspec.Struct, frozen=True, tag=True, tag_field="type", forbid_unknown_fields=True, gc=False):
    """A fact, named in the past tense. Its class name is its name in every log, for ever."""


class Move(msgspec.Struct, frozen=True, tag=True, tag_field="type", forbid_unknown_fields=True, gc=False):
    """An answer to an ask, named in the imperative."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table may choose before a match; a game without options uses this class itself."""


Scope = Literal["question", "turn", "round", "match"]
"""How long an order stands: for one question, for the questions of one turn or window, for this round, until its owner
stops it."""

Guard = Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2,20}(?![\s\S])")]
"""A word of `Meta.guards`."""


class Order(
    msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="type", forbid_unknown_fields=True, gc=False
):
    """What a seat has said beforehand about questions to come. See `pbem.kit.orders` for the shapes of all games.

    `ask_if`: the guards; where one of them holds, the owner is asked instead.
    """

    scope: Scope = "round"
    ask_if: Annotated[tuple[Guard, ...], msgspec.Meta(max_length=6)] = ()


class Ask(msgspec.Struct, frozen=True):
    """An open question to one seat.

    `key` identifies the question: it never repeats in a match and stays the same while the question is open.
    The part before its last dot is `turn`, which groups consecutive asks of one seat.
    """

    seat: int
    key: str
    turn: str
    kind: str


class AskKind(msgspec.Struct, frozen=True):
    """What a kind of question is called, which moves answer it, and whether it interrupts another player's turn."""

    title: Text
    moves: tuple[type[Move], ...]
    window: bool = False
    race: bool = False
    """First come, first served: a bot answers once after each person's answer, and at will when no person is left."""
    hint: Text | None = None
    """What to do at this question, in a sentence or two for somebody's first match; never in mails."""
    always: tuple[Move, ...] = ()
    """Moves that are legal whenever it is asked. In a window an order must come to one of them in the end."""
    public: bool = False
    """True if everybody can see what may be answered, and foresee what follows of each answer as far as they will see
    it: `legal` is the same in every viewer's fold, and so is `preview` once it is redacted. Others can then suppose an
    answer on their planning board."""
    any_order: bool = False
    """True if the steps of its moves may be chosen in any order: a page offers every step that fits those chosen."""


class Parameter(msgspec.Struct, frozen=True):
    """A field of an order, as a form asks for it. What is not declared here follows from the field's type."""

    title: Text
    choices: Callable[[Any, int], Sequence[Any]] | None = None
    """The values that a seat may choose among, or the items if it is a list, from its own fold."""
    names: Callable[[Any, Lang], Phrase] | None = None
    """What a value is called; None: as it is typed."""
    each: tuple[Text, ...] = ()
    """What stands before each item of a list of fixed length."""
    ranked: bool = False
    """True if the order of a list means something: its items are chosen one after the other."""
    parts: Mapping[str, "Parameter"] = {}
    """The fields of a move that is chosen part by part."""
    filled: Callable[[Mapping[str, Any], Any, int], Any] | None = None
    """Works the value out from the other fields, from its owner's own fold: no form asks for it."""


class OrderKind(msgspec.Struct, frozen=True):
    """A rule of the game that a seat may order, and the kinds of questions that it answers.

    `says` returns one sentence on what such an order will do. `samples` are examples with every parameter, for tests.
    `parameters`: its fields besides those that all orders have. `scope` is the one that forms propose.
    """

    order: type[Order]
    word: str
    """What its typed form begins with, in lower case."""
    asks: tuple[str, ...]
    title: Text
    says: Callable[[Any, Lang], Phrase]
    samples: tuple[Order, ...]
    parameters: Mapping[str, Parameter] = {}
    scope: Scope = "round"


class GuardKind(msgspec.Struct, frozen=True):
    """A public fact about which an order may make its owner be asked: `holds` for a seat, in any viewer's fold."""

    text: Text
    """What follows "Ask me if", such as "somebody has played a banner"."""
    holds: Callable[[Any, int], bool]


class Outcome(msgspec.Struct, frozen=True):
    """How a match ended: a reason from `Meta.endings` or, if the table ended it, `endings.TABLE_ENDINGS`; who won.

    `scores`: in seat order, if the game has any. More are better: by them `endings` orders those who have not won, and
    none of these has more than a winner.
    """

    reason: str
    winners: tuple[int, ...] = ()
    scores: tuple[int, ...] | None = None


class Refusal(msgspec.Struct, frozen=True):
    """Why a move can be refused: the rule as numbered in RULES.*.md, and a sentence with ``{facts}``."""

    rule: str
    text: Text


class Deal(msgspec.Struct, frozen=True):
    """How a shuffle is dealt: each seat in turn gets the next `each` things, and what is left over goes to nobody.

    `worth` is the value of each thing to the seat that gets it, in the order before the shuffle. `title` says what that
    value is.
    """

    title: Text
    each: int
    worth: tuple[int, ...]


class DrawKind(msgspec.Struct, frozen=True):
    """A kind of draw by which luck comes into a match: what it is called, and what each result is worth.

    `worth`: the value of each result of a die, from 0 to the last, to the seat that throws it and is in the draw's name
    (`s1` in `die:s1:7`); () if no result is better than another. `deal`: how a shuffle is dealt to this many seats, if
    some things are better than others. `chooses_seat`: the result is a seat, such as the one that begins.
    """

    title: Text
    worth: tuple[int, ...] = ()
    deal: Callable[[int], Deal] | None = None
    chooses_seat: bool = False


class Mark(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """How a thing is marked beside its notation: a symbol of the game's parts and a colour c1..c6."""

    symbol: str
    colour: str
    letter: str = ""
    """What stands beside it where it is the mark of a seat; "": the letter of the seat."""


class Step(msgspec.Struct, frozen=True):
    """One step of choosing a move: a short stable word, as used in links, and its label."""

    text: str
    label: Phrase


class Cell(msgspec.Struct, frozen=True):
    """A field of a `Pad`: an answer as short as it can be said, such as ``{F3}``.

    `steps`: the first steps of the move that it chooses; () opens the choice at its beginning. None: a heading, or an
    answer that is not allowed at present.
    """

    text: Phrase
    steps: tuple[Step, ...] | None = None


class Pad(msgspec.Struct, frozen=True):
    """The answers to a question as a small table, in the game's own order; see `pbem.kit.answers`.

    An answer that is not allowed keeps its place, so that the table looks the same each time; `note` says why it is
    not. `title` is what all answers have in common, such as "Call for…". A row of one field has the whole width.

    `places` is a map below the rows, small squares in lines that are equally long: a field with steps is a place that
    can be chosen, one without is `pads.TAKEN`, nothing if its text is "", else the name of a column or row.
    """

    title: Phrase
    rows: tuple[tuple[Cell, ...], ...]
    note: Phrase = ""
    places: tuple[tuple[Cell, ...], ...] = ()


class Candidate(msgspec.Struct, frozen=True):
    """An answer that a player may look for, legal at present or not, named in as few words as a field of a pad."""

    text: Phrase
    move: Move


Figure = Callable[[Lang], str]
"""Draws an example for the rules, as an SVG element 360 units wide: see `pbem.kit.drawing.figures`."""


class Picture(msgspec.Struct, frozen=True):
    """A drawing, and what it shows in a sentence of at most 90 letters."""

    draw: Figure
    text: Text


class Length(msgspec.Struct, frozen=True):
    """How long a match of this many players takes, as medians that `pbem simulate SLUG --bots greedy` has measured.

    `turns` is how often each player decides, `days` how long it takes if everybody looks in once a day.
    """

    seats: Annotated[int, msgspec.Meta(ge=1)]
    turns: Annotated[int, msgspec.Meta(ge=1)]
    days: Annotated[int, msgspec.Meta(ge=1)]


class Intro(msgspec.Struct, frozen=True):
    """What the page of a game says to somebody who does not know it, besides `Meta` and the cover.

    `designer`: names, with commas between them. `turn`: a turn in three pictures.
    """

    designer: str = ""
    year: int | None = None
    turn: tuple[Picture, ...] = ()
    lengths: tuple[Length, ...] = ()


class LessonStep(msgspec.Struct, frozen=True):
    """One thing to touch, and one sentence on it, a `Phrase` of at most 110 letters.

    `touch`: the text of the step of a move that the reader chooses (see `Game.path`); "" where there is only something
    to see. `then`: what is played once the reader's move is whole, each as its seat and the move in notation.
    `given`: steps of the same move that are chosen for the reader before, where choosing all of them teaches nothing.
    `tap`: a `Phrase` on what touching does, such as "Fly from 6 to 12", where the label of the step is one of a list.
    """

    say: Text
    touch: str = ""
    then: tuple[tuple[Seat, str], ...] = ()
    given: tuple[str, ...] = ()
    tap: Text | None = None


class Lesson(msgspec.Struct, frozen=True):
    """The beginning of a match on the real board, which teaches the game: six to ten steps.

    The reader has seat 0. All luck comes from `seed`, 64 hexadecimal digits. `before`: what is played before the first
    step, each as its seat and the move in notation. `options`: None for the usual ones. See docs/below-the-layer.md.
    """

    seed: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}(?![\s\S])")]
    seats: Annotated[int, msgspec.Meta(ge=1)]
    steps: Annotated[tuple[LessonStep, ...], msgspec.Meta(min_length=1)]
    before: tuple[tuple[Seat, str], ...] = ()
    options: Options | None = None


End = Callable[[Outcome | None], str]
"""Draws the picture above the page of a match that is over, as an SVG element: see `pbem.kit.drawing.ends`.

It is given nothing but the outcome, so everybody sees the same. None: the match was called off. The scores are left out
where the table ended the match, whose winners have not won by them.
"""


class Link(msgspec.Struct, frozen=True):
    """Where touching a thing on the board leads, and what that does in words.

    `href`: "" leads nowhere, and the thing has no frame. `in_tab_order`: the keyboard reaches it; not where the page
    offers the same as a list, since twice is a detour.
    """

    href: str
    label: str
    in_tab_order: bool = False


Shape = Literal["portrait", "landscape", "low", "pad"]
"""What a board is drawn for. See `pbem.kit.drawing.grid` for the sizes.

portrait    a phone held upright, mails, replays: everything in one drawing, below it what can be touched besides
landscape   a large screen: the board alone, because the page has the choices beside it
low         a phone on its side: the board alone
pad         beside those two: what can be touched besides the pieces on the board, such as the calls of Hogen
"""


Extent = Literal["whole", "part"]
"""How much of a board that may be too large for its place is shown: all of it, or a part with larger pieces."""


class Card(msgspec.Struct, frozen=True):
    """Important news, such as the score of a round: the page of a seat shows it until its reader goes on.

    `lines` are short sentences. `table`: rows of cells, the first row being the heads of the columns; () for none.
    """

    title: Phrase
    lines: tuple[Phrase, ...] = ()
    table: tuple[tuple[Phrase, ...], ...] = ()


CardOf = Callable[[Any, Any, Viewer, Lang], Card | None]
"""Returns the card of an event, redacted for the viewer, from their fold before it; None for all that is no such news.

Such news is what the viewer must not miss and has not done themselves: somebody is out, what a round has given, the
last round begins, a secret that they alone are shown. The story has a line for it, too.
"""


class Scene(msgspec.Struct, frozen=True):
    """What a board shows besides the position, and the shape it is drawn in.

    `links`: step text -> link, what may be touched. `chosen`: the step texts chosen so far; once they make
    a whole move, the fold drawn is the previewed one. `recent`: the newest events with their story
    number. `others`: step text -> link, what may be chosen instead of a step before the last one.
    `refused`: step text -> link, what the viewer may look for but cannot choose: the link says why not.
    `extent`: what the reader asked for; None leaves it to the game. `extents`: where the other extents are.
    `resigned`: the viewer has resigned: the board asks nothing of them.
    `over`: the match is over, by its rules or without them, or was called off: the board asks nothing of anybody.
    `bots`: the seats that programs play, which the rules do not know; a board marks them beside their names.
    """

    links: Mapping[str, Link] = {}
    chosen: tuple[str, ...] = ()
    recent: tuple[tuple[int, Event], ...] = ()
    shape: Shape = "portrait"
    others: Mapping[str, Link] = {}
    refused: Mapping[str, Link] = {}
    extent: Extent | None = None
    extents: Mapping[Extent, str] = {}
    resigned: bool = False
    over: bool = False
    bots: frozenset[int] = frozenset()


class Meta(msgspec.Struct, frozen=True):
    """Everything that describes a game apart from its rules."""

    slug: str
    title: Text
    blurb: Text
    """The goal: in one sentence of at most 90 letters, what a player does to win. It stands wherever it is offered."""
    seats: tuple[int, ...]
    minutes: int
    state: type[msgspec.Struct]
    moves: tuple[type[Move], ...]
    events: tuple[type[Event], ...]
    asks: Mapping[str, AskKind]
    endings: Mapping[str, Text]
    refusals: Mapping[str, Refusal]
    traits: frozenset[Literal["hidden", "simultaneous", "luck"]]
    bound: int
    """A match of random moves ends within this many decisions."""
    options: type[Options] = Options
    option_texts: Mapping[str, OptionText] = {}
    """The words of every option, by its name."""
    samples: tuple[Options, ...] = ()
    """Options that, with the defaults, exercise every rule and every ending; tests alternate between them."""
    marks: Mapping[str, Mark] = {}
    seat_marks: tuple[Mark, ...] = ()
    """The marks of the seats, if the game has its own: drawn on a pale plate beside the seat's letter, or their own."""
    takes_marks: Callable[[Any], bool] = lambda _: False
    """Whether, under these options, seats get their marks by what happens in a match: see `Game.with_marks`."""
    bot_names: tuple[str, ...] = (
        "Lumo", "Nika", "Tavi", "Zeno", "Kiro", "Sela", "Runo", "Vani", "Miro", "Oda", "Pilo", "Suri",
    )  # fmt: skip
    """What bots are called at its tables: given names, the same in every language, more than a table has seats."""
    shapes: tuple[Shape, ...] = ("portrait",)
    """The shapes its board is drawn in: portrait alone, which pages then show on every screen, or all of them."""
    on_board: frozenset[str] = frozenset()
    """Kinds of steps that are chosen on the board, such as the cells of a map: pages fold the list of them."""
    weights: Mapping[str, int] = {}
    """How often random play draws each kind of move, relative to the others; 1 unless named."""
    silence: Callable[[Any], Text | None] = lambda _: None
    """What the rules forbid players to tell each other under these options, shown above the chat; None: nothing."""
    hides_in_windows: Callable[[Any], bool] = lambda _: True
    """Whether an answer in a window may depend, under these options, on what not everybody sees. Such a window is
    silent; see `pbem.kit.windows`."""
    ease: Literal[1, 2, 3] = 2
    """How hard the rules are to learn, from 1 (easy) to 3: newcomers see the easiest games first."""
    orders: tuple[OrderKind, ...] = ()
    """The rules of its own that seats may order; lists and fixed answers need none."""
    guards: Mapping[Guard, GuardKind] = {}
    """At most six."""
    has_rounds: bool = True
    """False if the match is a single round, so that an order for a round is one for the match."""
    sittings: tuple[tuple[str, str], ...] = ()
    """Kinds of questions of which one seat may answer the second together with the first, because nothing that another
    does in between bears on it. In a sitting the second answer is given as an order for one question."""
    draws: Mapping[str, DrawKind] = {}
    """What is drawn by luck, by the word that the names of these draws begin with: `die` in `die:s1:7`."""
    bot_version: int = 1
    """Incremented whenever a bot of the game chooses differently: only the same version can repeat its choices."""
    fold: int = 1
    """Incremented whenever `evolve` yields a different state from the same events; kept folds are then ignored."""

    @property
    def has_windows(self) -> bool:
        """True if some of its questions open windows."""
        return any(kind.window for kind in self.asks.values())


UNNUMBERED = "-"
"""Stands for the number where no rule of the game is behind a refusal."""

COMMON_REFUSALS: Mapping[str, Refusal] = {
    "not_asked": Refusal(
        UNNUMBERED, Text("On ne vous demande rien pour le moment.", "You are not being asked anything at the moment.")
    ),
    "wrong_kind": Refusal(
        UNNUMBERED,
        Text("Ce coup ne répond pas à la question posée.", "This move does not answer the question you are asked."),
    ),
}
"""Refusals that mean the same in every game."""


class IllegalMove(Exception):
    """A move the rules refuse. `code` is a key of `Meta.refusals` or `COMMON_REFUSALS`.

    The facts fill in its sentence. The sender sees them, so they may contain nothing that they could not know.
    """

    def __init__(self, code: str, **facts: str | int) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts


class Unreadable(ValueError):
    """A move typed in notation that cannot be understood; `hint` says in both languages what is expected."""

    def __init__(self, text: str, hint: Text) -> None:
        super().__init__(f"unreadable: {text[:60]!r}")
        self.text = text
        self.hint = hint


S = TypeVar("S", bound=msgspec.Struct)
M = TypeVar("M", bound=Move)
E = TypeVar("E", bound=Event)


class PlayerView(msgspec.Struct, frozen=True):
    """What a seat knows, and what it could remember, at a table of this many: all that a bot decides by.

    `fold` is its own, in which what has faded is forgotten. `seen` are the events of the game so far, as the seat saw
    them when they were fresh; what was taken back is not among them. `memory` is luck of the seat that gives the same
    at each of its decisions in a match, so that a bot that forgets something has forgotten it for good.
    """

    fold: Any
    seats: int
    seen: Sequence[Event] = ()
    memory: Luck = NO_LUCK


Bot = Callable[[PlayerView, int, Chance], Any]
"""A program that plays: returns a legal move for the seat from what that seat knows, with its own luck.

It may be asked on the full state, too, as in an imagined match: then `fold` hides nothing and `seen` is empty. Anyone
who checks a log repeats its choices, with another version of Python or so: floats are added by `math.fsum`, since what
`sum` makes of them goes by that version and by their order.
"""


class BotView(PlayerView, frozen=True):
    """What a bot of a package is given: what its seat knows, and the answers that are legal by that."""

    legal: tuple[Any, ...] = ()


class PackagedBot(msgspec.Struct, frozen=True):
    """A bot that a package offers for a game: an entry point of the group `pbem.bots` names it. See docs/bots.md.

    `choose` returns one of `view.legal` for the seat, by its own luck. `title` says in a word or two how strong it is,
    `strength` how it plays, in a short sentence after that. `version` is incremented whenever it chooses differently.
    """

    choose: Callable[[BotView, int, Chance], Any]
    title: Text
    strength: Text
    version: Annotated[int, msgspec.Meta(ge=1)] = 1


Imagine = Callable[[PlayerView, int, Chance], Any]
"""Returns a whole state that the seat cannot tell from the true one, by what its view holds.

Its own fold agrees with it, the same questions are open, and the same answers are legal. States are drawn as evenly as
is practical over all that agree with what the seat has seen, the moves of the others included.
"""


Estimate = Callable[[Any], Sequence[float] | None]
"""Returns each seat's chance to win in this full state, in seat order, together at most 1; a shared victory counts in
parts. None where it is too early to tell: then the imagined match goes on.

It is asked before each decision, so it answers None at once where nothing has come to rest, such as within a round.
"""

Person = Callable[[PlayerView, int, Chance], Sequence[Order]]
"""A scripted person: returns the orders that they leave when they have looked at the board, from what their seat knows.

They replace those that they left before for the same questions. See docs/orders.md.
"""


class Game(Protocol[S, M, E]):
    """The rules of one game. Every method is a pure function of its arguments."""

    def __hash__(self) -> int:
        """Hashes by identity: there is one object per game, and caches use it as a key."""

    @property
    def meta(self) -> Meta:
        """The game's description: constant."""

    @property
    def bots(self) -> Mapping[str, Bot]:
        """The game's own bots by name; "random", which every game has, is not among them."""

    @property
    def imagine(self) -> Imagine | None:
        """Imagines what a seat does not see; None if the game does not offer it. Bots that think rest on it."""

    @property
    def playout(self) -> Bot | None:
        """A bot quick enough to play imagined matches by the hundred; None: moves are drawn at random.

        Where fields of the state are marked as those of events are (see `pbem.kit.secrecy`), it is given what its seat
        knows of the imagined state, else all of it. The marks show nothing that the seat has not seen.
        """

    @property
    def estimate(self) -> Estimate | None:
        """Says what a position is worth where an imagined match need not be played on; None: all go to their end."""

    @property
    def with_marks(self) -> Callable[["AnyGame", Any], "AnyGame"] | None:
        """Returns this game with the `seat_marks` that the seats have taken by a fold, which may be any viewer's.

        The fold is None before the match begins, and for a reader who may not see it. The rules are the same, but
        `parse` and `end` may know the marks. There is one object for each way in which marks can be taken, since caches
        use it as a key. Only asked where `Meta.takes_marks` says so; None if it never does.
        """

    @property
    def figures(self) -> Mapping[str, Figure]:
        """The drawn examples of the rules, by the name under which RULES.*.md shows each: ``![…](figure:name)``."""

    @property
    def end(self) -> End | None:
        """Draws the picture of a match that is over; None: pages show the marks of the game and of its winners."""

    @property
    def card(self) -> CardOf | None:
        """Makes the cards of important news, of which a match has few; None: all news are lines of the story."""

    @property
    def intro(self) -> Intro | None:
        """What the game's own page says of it besides `meta`; None for nothing."""

    @property
    def lesson(self) -> Lesson | None:
        """Teaches the game on its board; None if it has no lesson."""

    @property
    def notation_page(self) -> Callable[[Lang], str] | None:
        """Writes in Markdown what may be typed; None where the files NOTATION.*.md say it, which win in any case."""

    def setup(self, seats: int, options: Any, luck: Luck) -> Sequence[E]:
        """Returns the events that open a match; the first one creates the state.

        Each draw has a name of its own in the match, which begins with a key of `Meta.draws`: `luck.named("deal:r1")`.
        If it is for one seat, a part of the name is that seat: `die:s1:7`.
        """

    def decide(self, state: S, seat: int, move: M, luck: Luck) -> Sequence[E]:
        """Returns the facts that follow from a move, forced public steps included.

        Works on the full fold. Raises IllegalMove; called with the seat's own fold, it raises the same one.
        """

    def evolve(self, state: S | None, event: E) -> S:
        """Returns the state after an event, full or redacted. Never refuses what `decide` once produced."""

    def pending(self, state: S) -> tuple[Ask, ...]:
        """Returns the open questions, at most one per seat; empty when the match is over."""

    def legal(self, state: S, seat: int) -> Sequence[M]:
        """Returns all moves that answer the seat's open question, lazily; empty if it has none."""

    def fallback(self, fold: S, seat: int, chance: Chance) -> M:
        """Returns what the clock plays for an absent seat, from its own fold, revealing as little as possible."""

    def follow(self, order: Order, fold: S, ask: Ask, chance: Chance) -> M | None:
        """Returns what an order of `Meta.orders` answers to a question of one of its kinds, from its owner's own fold.

        None: the owner is asked. In a window it is never None. `pbem.kit.orders.following` looks at scope and guards.
        """

    def check_order(self, order: Order, fold: S, seat: int) -> None:
        """Raises IllegalMove if an order, of any shape, could never be followed or is not offered at this table."""

    def answers(self, kind: str, fold: S, seat: int) -> Sequence[M]:
        """Returns the answers to this kind of question that a seat may choose among for an order; () to type them.

        They may be more than are legal, since the question is still to come. `fold` is the seat's own: nothing that
        it does not see is left out or named.
        """

    def name(self, move: M, lang: Lang) -> Phrase:
        """Returns what a move is called, in as few words as a field of a form has room for, wherever the match stands.

        Within a sentence, so it begins with a small letter; what it is called does not depend on who sees what.
        """

    def round_of(self, fold: S) -> int:
        """Returns the number of the round, for orders of that scope; always the same in a game without rounds."""

    @property
    def typical(self) -> Person:
        """The scripted person of docs/orders.md, who leaves no orders if the game has none."""

    def preview(self, fold: S, seat: int, move: M) -> Sequence[E]:
        """Returns the first events of a legal move that the seat can foresee from its own fold, without luck."""

    def supposable(self, fold: S, viewer: int, since: Sequence[E]) -> Sequence[E] | None:
        """Returns the facts of which one comes next, as the viewer would see them; None if they cannot be named.

        (): none comes before an answer to the questions that are open. Asked on a planning board, with the viewer's own
        fold after the facts `since` those that really happened. Such facts are results of luck, what follows from a
        move without anybody's choice, and answers to a question that is not `public`. A single one is certain. If the
        fact that really comes is of a type that is returned, it is among them. At most 64.
        """

    def foretell(self, event: E, before: S, lang: Lang) -> Phrase:
        """Says one of several facts that may come, so that they can be told from each other; the others as `tell`."""

    def outcome(self, state: S) -> Outcome | None:
        """Returns how the match ended; None while it runs."""

    def scores(self, fold: S) -> tuple[int, ...] | None:
        """Returns what each seat's score is in this position; None if the game keeps no score before its end.

        Public: every viewer's fold gives the same, the spectator's included. At the end it equals `Outcome.scores`.
        """

    def parse(self, text: str, seat: int | None = None) -> M:
        """Parses a typed move of `seat`, which is None if unknown. Raises Unreadable with a hint."""

    def format(self, move: M) -> str:
        """Returns the move in the game's short notation: `parse(format(m)) == m`."""

    def tell(self, event: E, before: S | None, lang: Lang) -> Phrase:
        """Narrates a redacted event, from the fold before it; "" when it is not worth a line."""

    def prompt(self, ask: Ask, fold: S, lang: Lang) -> Phrase:
        """Says what the seat is asked and what binds it, in a sentence or two below the title of the ask's kind."""

    def label(self, move: M, fold: S, lang: Lang) -> Phrase:
        """Returns the move in full, said to the player who is about to make it."""

    def path(self, move: M, fold: S, lang: Lang) -> tuple[Step, ...]:
        """Returns the steps that lead to the move, from the kind of move to its last detail.

        No two legal moves share a path, and no path is a prefix of another; where the order is free, no two have the
        same steps, and they come in the same order in every path. An illegal move of `candidates` has one, too.
        """

    def pad(self, ask: Ask, fold: S, lang: Lang) -> Pad:
        """Returns the answers to the seat's question in short, for mails.

        Each legal move's path begins with the steps of exactly one field.
        """

    def candidates(self, ask: Ask, fold: S, lang: Lang) -> tuple[Candidate, ...]:
        """Returns the answers that the seat may look for and that can be illegal; () if the game names none.

        The seat's page says of each that is illegal why it is. Made from the seat's own fold, like all it reads.
        """

    def describe(self, fold: S, viewer: Viewer, lang: Lang, *, over: bool = False) -> tuple[Phrase, ...]:
        """Describes the board in words, line by line: for text mails and for people who cannot see the picture.

        `over` as in `Scene`: no line then says whose turn it is, or what anybody is to do.
        """

    def draw(self, fold: S, viewer: Viewer, lang: Lang, scene: Scene) -> str:
        """Draws the board as an SVG element: symbols by name, the names of seats as ``{0}``.

        What should slide in a replay has a name that stays the same from position to position: `data-piece` on the
        group of a known card or tile (its notation), `data-token` on that of another public thing. Hidden things have
        neither, or a name made from their place alone.

        Where `scene.over` is set, nothing says whose turn it is, or what anybody is to do; a match that its rules have
        ended looks the same with and without it.

        Only shapes of `Meta.shapes` are asked for. A pad is "" when nothing besides the pieces can be touched.
        """


AnyGame = Game[Any, Any, Any]


def ask_of(game: AnyGame, state: Any, seat: int) -> Ask | None:
    """Returns the seat's open question, or None."""
    return next((ask for ask in game.pending(state) if ask.seat == seat), None)


def game_with_marks(game: AnyGame, options: Options, fold: Any) -> AnyGame:
    """Returns the game as a match with these options shows it: see `Game.with_marks`, also for the fold."""
    if not game.meta.takes_marks(options) or game.with_marks is None:
        return game
    return game.with_marks(game, fold)


def require_legal(game: AnyGame, fold: Any, seat: int, move: Move) -> None:
    """Raises IllegalMove unless the seat may answer with this move, from its own fold alone."""
    if move not in game.legal(fold, seat):
        game.decide(fold, seat, move, NO_LUCK)
        raise AssertionError(f"{move} is not legal, but nothing refuses it")
