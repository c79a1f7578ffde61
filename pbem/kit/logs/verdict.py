"""Whether a finished match's log agrees with itself: seed, commitment, draws and rules.

Anyone can make up a match and write such a log. The commitment in the players' mails ties it to a match that was
played: the organiser and invited players get it before the deal, players who join or start a match while signed in get
it when the match starts. `NOT_CHECKED` lists what nothing ties.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kit.chance import SeedChance
from pbem.kit.contract import AnyGame, Event, IllegalMove, ask_of
from pbem.kit.logs.logfile import Log, commitment
from pbem.kit.proof import commitments
from pbem.kit.replay import AnyEntry, Cancelled, TableEvent, evolve_all, full_fold
from pbem.kit.secrecy import redact
from pbem.kit.texts import Text

ENOUGH = 10
"""No more problems are reported: a forged log could otherwise cause any amount of work."""

NOT_CHECKED: Mapping[str, Text] = {
    "players": Text(
        fr="que ces coups sont bien ceux des joueurs",
        en="whether the players made these moves",
    ),
    "bots": Text(
        fr="ce que les robots ont choisi : tout coup permis passe",
        en="what the bots chose: any legal move passes",
    ),
    "times": Text(
        fr="les dates et heures des entrées",
        en="the times of the entries",
    ),
    "via": Text(
        fr="par quelle voie chaque coup est arrivé (by.via)",
        en="how each move was entered (by.via)",
    ),
    "table": Text(
        fr="ce qui est dit de la tablée (absences, congés, places reprises), dont dépendent les tirages suivants",
        en="what is said of the table (absences, holidays, seats taken over), though later draws depend on it",
    ),
    "seed_choice": Text(
        fr="comment la graine a été choisie : le serveur la tire seul",
        en="how the seed was chosen: the server alone draws it",
    ),
}
"""What `verify` never checks, by its name in the API."""

_NOT_FULL = Text(
    fr="ce journal ne peut pas être vérifié : seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    en="this log cannot be checked: only the full log of a finished match, with its seed, can be verified",
)
_BEFORE_THE_END = Text(
    fr="ce journal ne peut pas être vérifié avant la fin : "
    "seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    en="this log cannot be checked before the end: "
    "only the full log of a finished match, with its seed, can be verified",
)
_NEVER = Text(
    fr="ce journal ne peut pas être vérifié : la partie a été arrêtée, et sa graine n’est alors jamais révélée",
    en="this log cannot be checked: the match was called off, and then its seed is never revealed",
)
_OTHER_COMMITMENT = Text(
    fr="l’empreinte n’est pas celle qui a été donnée : dans le journal, ses {digits} chiffres sont {has}",
    en="the commitment is not the one that was given: in the log its {digits} digits are {has}",
)
_SHORT = Text(fr=f"{commitments.SHORT} premiers", en=f"first {commitments.SHORT}")
_OTHER_SEED = Text(
    fr="la graine n’est pas celle qui avait été engagée",
    en="the seed is not the one that was committed to",
)
_ENOUGH = Text(
    fr=f"après {ENOUGH} problèmes, on n’a plus regardé la suite",
    en=f"after {ENOUGH} problems the rest was not looked at",
)
_NO_END = Text(
    fr="les règles ne savent pas dire comment elle finit ({error})",
    en="the rules cannot say how it ends ({error})",
)
CUT_OFF = Text(
    fr="le journal s’arrête ici, la partie n’est pas finie",
    en="the log is cut off here, the match has not ended",
)
_CALLED_OFF = Text(
    fr="la partie a été arrêtée ici, et pourtant elle a continué ou était finie",
    en="the match was called off here, and yet it went on or had ended",
)
_NO_DECISION = Text(
    fr="les règles ne peuvent rien décider ici ({error})",
    en="the rules cannot decide here ({error})",
)
_UNEXPLAINED = Text(
    fr="ni un coup permis ni la graine ne donnent ces événements",
    en="neither a legal move nor the seed gives these events",
)


class Finding(msgspec.Struct, frozen=True):
    """Something that is wrong: the number of the entry at fault, if it is one, and the reason."""

    said: Text
    entry: int | None = None

    def __str__(self) -> str:
        return self.said.en if self.entry is None else f"entry {self.entry}: {self.said.en}"


class Verdict(msgspec.Struct, frozen=True):
    """What `verify` found: the number of decisions it could repeat, and what is wrong."""

    decisions: int
    findings: tuple[Finding, ...]
    cancelled: bool = False
    """The match has no outcome, because its host ended it early."""
    checked: bool = True
    """False if the log is too incomplete to be checked, as while the match runs; its one finding says why."""
    compared: int | None = None
    """How many digits of the given commitment match the log's: 64 or 16. None if none was given."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in English words."""
        return tuple(map(str, self.findings))

    @property
    def ok(self) -> bool:
        """True if everything was checked and holds: the log agrees with itself, and with a given commitment."""
        return not self.findings


def verify(log: Log, given: str | None = None) -> Verdict:
    """Checks the seed against its commitment, then makes every decision again with the luck the seed gives.

    A decision holds if some legal move gives exactly its entries. The match must have ended. A log played under rules
    that have been corrected since may fail here and still replay: the facts stand.

    `given` is the commitment from a player's mail, 64 digits or the first 16; it is compared with the log's even if
    nothing else can be checked.
    """
    compared = None if given is None else len(given)
    if given is not None and not log.seed_sha256.startswith(given):
        return Verdict(0, (Finding(_other_commitment(log, len(given))),))
    if log.seed is None or log.viewer != "all":
        return Verdict(0, (Finding(_why_unchecked(log)),), checked=False, compared=compared)
    if commitment(log.seed) != log.seed_sha256:
        return Verdict(0, (Finding(_OTHER_SEED),), compared=compared)
    findings: list[Finding] = []
    played = _Replay(log, log.seed)
    decisions = 0
    for group in _decisions(log.entries):
        decisions += 1
        if problem := played.problem(group):
            findings.append(Finding(problem, group[0].n))
            if len(findings) == ENOUGH:
                return Verdict(decisions, (*findings, Finding(_ENOUGH)), compared=compared)
        played.state = evolve_all(log.game, played.state, (entry.event for entry in group))
    cancelled, finding = _end(log, played.state)
    return Verdict(decisions, (*findings, finding) if finding else tuple(findings), cancelled, compared=compared)


def _other_commitment(log: Log, digits: int) -> Text:
    if digits == commitments.WHOLE:
        return _OTHER_COMMITMENT.fill(digits=digits, has=log.seed_sha256)
    return _OTHER_COMMITMENT.fill(digits=_SHORT, has=commitments.short_form(log.seed_sha256))


def _why_unchecked(log: Log) -> Text:
    """Returns why nothing can be checked: the match runs, was called off, or the log is incomplete."""
    if any(isinstance(entry.event, Cancelled) for entry in log.entries):
        return _NEVER
    try:
        over = log.game.outcome(full_fold(log.game, log.entries)) is not None
    except Exception:  # noqa: BLE001 - a forged log on which the rules break has no end that one could wait for
        over = True
    return _NOT_FULL if over else _BEFORE_THE_END


def _end(log: Log, state: Any) -> tuple[bool, Finding | None]:
    """Returns whether the host ended the match, and what is wrong with its end."""
    last = log.entries[-1].n
    called_off = next((e.n for e in log.entries if isinstance(e.event, Cancelled)), None)
    try:
        over = log.game.outcome(state) is not None
    except Exception as error:  # noqa: BLE001 - as below: a finding
        return False, Finding(_NO_END.fill(error=type(error).__name__), last)
    if called_off is None:
        return False, None if over else Finding(CUT_OFF, last)
    if over or any(not isinstance(e.event, TableEvent) for e in log.entries[called_off:]):
        return True, Finding(_CALLED_OFF, called_off)
    return True, None


def _decisions(entries: Sequence[AnyEntry]) -> Iterator[list[AnyEntry]]:
    group: list[AnyEntry] = []
    for entry in entries:
        if isinstance(entry.event, TableEvent):
            continue
        if group and (entry.key, entry.by) != (group[-1].key, group[-1].by):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


class _Replay:
    """The match as far as it has been replayed: the full state, and the folds of seats that the clock played for."""

    def __init__(self, log: Log, seed: bytes) -> None:
        self.log, self.seed = log, seed
        self.state: Any = None
        self.own: dict[int, tuple[int, Any]] = {}

    def problem(self, group: Sequence[AnyEntry]) -> Text | None:
        """Returns what is wrong with the next decision, or None."""
        try:
            holds = self._holds(group)
        except Exception as error:  # noqa: BLE001 - a log can be forged so that the rules break on it: a finding, too
            return _NO_DECISION.fill(error=type(error).__name__)
        return None if holds else _UNEXPLAINED

    def _holds(self, group: Sequence[AnyEntry]) -> bool:
        game, at = self.log.game, group[0].n
        events = [entry.event for entry in group]
        if self.state is None:
            return list(game.setup(self.log.seats, self.log.options, SeedChance(self.seed, at, "setup"))) == events
        by = group[0].by
        seat = by.answers_for
        ask = None if seat is None else ask_of(game, self.state, seat)
        if seat is None or ask is None or ask.key != group[0].key:
            return False
        if by.clock is not None:
            move = game.fallback(self._own_fold(seat, at), seat, SeedChance(self.seed, at, "fallback", seat))
            return self._decide(game, seat, move, at) == events
        return any(self._decide(game, seat, move, at) == events for move in game.legal(self.state, seat))

    def _own_fold(self, seat: int, before: int) -> Any:
        """Returns what the seat knew. Continues the last fold: in a long log every move may be the clock's."""
        at, own = self.own.get(seat, (0, None))
        seen = (redact(entry.event, seat) for entry in self.log.entries[at : before - 1])
        self.own[seat] = before - 1, evolve_all(self.log.game, own, seen)
        return self.own[seat][1]

    def _decide(self, game: AnyGame, seat: int, move: Any, at: int) -> list[Event] | None:
        try:
            return list(game.decide(self.state, seat, move, SeedChance(self.seed, at, "decide", seat)))
        except IllegalMove:
            return None
