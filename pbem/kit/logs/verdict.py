"""Whether a log agrees with itself and with what a player holds: commitment, chain, luck and rules.

Anyone can make up a match and write such a log. What ties it to a match that was played is in the players' mails: the
commitment and the heads of the chain. Each `Check` says what was looked at and how much of it; `not_checked` lists what
nothing ties.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from pbem.kit.logs.logfile import Log, Proof
from pbem.kit.logs.repetition import Decision, Repetition
from pbem.kit.proof import chain, commitments
from pbem.kit.proof.commitments import commit, commit_to_seed
from pbem.kit.proof.lucky_words import seats_with_own_words
from pbem.kit.proof.marks import find_mark
from pbem.kit.replay import Cancelled, MatchEnded, TableEvent, full_fold, seats_left
from pbem.kit.texts import Text

ENOUGH = 10
"""No more problems are reported: a forged log could otherwise cause any amount of work."""

NOT_CHECKED: Mapping[str, Text] = {
    "players": Text(
        fr="que ces coups sont bien ceux des joueurs",
        en="whether the players made these moves",
    ),
    "bots": Text(
        fr="ce que les robots ont choisi : tout coup permis passe",
        en="what the bots chose: any legal move passes",
    ),
    "times": Text(
        fr="les dates et heures des entrées : elles sont ce que dit l’hôte",
        en="the times of the entries: they are what the host says",
    ),
    "via": Text(
        fr="par quelle voie chaque coup est arrivé (by.via) : c’est ce que dit l’hôte",
        en="how each move was entered (by.via): that is what the host says",
    ),
    "table": Text(
        fr="ce qui est dit de la tablée (absences, congés, places reprises) : c’est ce que dit l’hôte",
        en="what is said of the table (absences, holidays, seats taken over): that is what the host says",
    ),
    "collusion": Text(
        fr="si l’hôte et la dernière personne à s’asseoir étaient de mèche : ensemble, ils peuvent choisir la donne",
        en="whether the host and the last person to sit down were in league: together they can choose the deal",
    ),
    "table_luck": Text(
        fr="si ce qui est dit de la tablée a déplacé des tirages, comme ce format le permet",
        en="whether what is said of the table moved draws, as this format allows",
    ),
    "seed_choice": Text(
        fr="comment la graine a été choisie : le serveur l’a tirée seul",
        en="how the seed was chosen: the server alone drew it",
    ),
}
"""What `verify` may not have checked, by its name in the API; see `Verdict.not_checked`."""

_ALWAYS = ("players", "times", "via", "table")

_NOT_FULL = Text(
    fr="ce journal ne peut pas être vérifié : seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    en="this log cannot be checked: only the full log of a finished match, with its seed, can be verified",
)
_BEFORE_THE_END = Text(
    fr="ce journal ne peut pas être vérifié avant la fin : "
    "seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    en="this log cannot be checked before the end: "
    "only the full log of a finished match, with its seed, can be verified",
)
_SEALED = Text(
    fr="ce journal ne peut pas encore être vérifié : ses secrets sont gardés jusqu’au {until}",
    en="this log cannot be checked yet: its secrets are kept until {until}",
)
_NEVER = Text(
    fr="ce journal ne peut pas être vérifié : la partie a été arrêtée, et sa graine n’est alors jamais révélée",
    en="this log cannot be checked: the match was called off, and then its seed is never revealed",
)
_OTHER_COMMITMENT = Text(
    fr="l’empreinte n’est pas celle qui a été donnée : dans le journal, ses {digits} chiffres sont {has}",
    en="the commitment is not the one that was given: in the log its {digits} digits are {has}",
)
_SHORT = Text(fr=f"{commitments.SHORT} premiers", en=f"first {commitments.SHORT}")
_OTHER_SEED = Text(
    fr="la graine n’est pas celle qui avait été engagée",
    en="the seed is not the one that was committed to",
)
_NO_SUCH_MARK = Text(
    fr="aucune étape de ce journal ne porte cette marque : c’est un autre journal, ou il a été changé",
    en="no step of this log has this mark: it is another log, or it was changed",
)
_NO_CHAIN = Text(
    fr="un journal de ce format n’a pas de marques",
    en="a log of this format has no marks",
)
_OTHER_HEAD = Text(
    fr="ses entrées ne mènent pas à la marque que donne son en-tête",
    en="its entries do not lead to the mark that its header gives",
)
_BROKEN_SEAL = Text(
    fr="ce qui y est montré n’est pas ce qui avait été scellé ({path})",
    en="what it shows is not what was sealed ({path})",
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
_WENT_ON = Text(
    fr="la partie s’est terminée ici, et pourtant elle a continué ou était déjà finie",
    en="the match ended here, and yet it went on or had ended before",
)
_OTHER_END = Text(
    fr="la partie ne s’est pas terminée ainsi : les abandons du journal disent autre chose",
    en="the match did not end like this: the resignations in the log say otherwise",
)
_NO_DECISION = Text(
    fr="les règles ne peuvent rien décider ici ({error})",
    en="the rules cannot decide here ({error})",
)
_UNEXPLAINED = Text(
    fr="ni un coup permis ni la graine ne donnent ces événements",
    en="neither a legal move nor the seed gives these events",
)
_OTHER_CHOICE = Text(
    fr="ce robot n’aurait pas choisi ce coup",
    en="this bot would not have chosen this move",
)


class Finding(msgspec.Struct, frozen=True):
    """Something that is wrong: the number of the entry at fault, if it is one, and the reason."""

    said: Text
    entry: int | None = None

    def __str__(self) -> str:
        return self.said.en if self.entry is None else f"entry {self.entry}: {self.said.en}"


Subject = Literal["commitment", "mark", "chain", "words", "facts", "luck", "bots"]


class Check(msgspec.Struct, frozen=True):
    """Something that was looked at and holds, and how much of it.

    commitment  digits that were given, 64 or 16      facts  decisions that were made again
    mark        the entry whose mark was given        luck   draws that were made again
    chain       entries in the chain                  bots   choices of bots that were made again
    words       lucky words that somebody typed
    """

    what: Subject
    count: int


class Verdict(msgspec.Struct, frozen=True):
    """What `verify` found."""

    findings: tuple[Finding, ...]
    checks: tuple[Check, ...] = ()
    cancelled: bool = False
    """The match has no outcome, because its host ended it early."""
    checked: bool = True
    """False if the log is too incomplete to be checked, as while the match runs; its one finding says why."""
    not_checked: tuple[str, ...] = ()
    """Keys of `NOT_CHECKED`: what the result says nothing about."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, in English words."""
        return tuple(map(str, self.findings))

    @property
    def ok(self) -> bool:
        """True if everything was checked and holds: the log agrees with itself, and with what was given."""
        return not self.findings

    def count(self, what: Subject) -> int | None:
        """Returns how much of this was looked at and holds; None if it was not."""
        return next((check.count for check in self.checks if check.what == what), None)


def verify(log: Log, given: str | None = None, mark: str | None = None) -> Verdict:
    """Checks a log against itself and against what a player holds.

    Looks at the commitment and the mark that were given; at the chain and its seals; at the seed; and makes every
    decision again with the luck that the seed gives. A decision holds if some legal move gives exactly its entries. A
    log played under rules that have been corrected since may fail there and still replay: the facts stand.

    `given` is the commitment from a player's mail, 64 digits or the first 16; `mark` a mark from one, or the 64 digits
    of a head. Both are compared even if nothing else can be checked.
    """
    checks: list[Check] = []
    if finding := _compare_commitment(log, given, checks):
        return Verdict((finding,), not_checked=_not_checked(log))
    full = log.seed is not None and log.viewer == "all"
    if full and (finding := _check_seed(log, checks)):
        return Verdict((finding,), tuple(checks), not_checked=_not_checked(log))
    findings = [*_check_chain(log, mark, checks)]
    if full:
        return _repeat(log, findings, checks)
    checked, findings = bool(findings), findings or [Finding(_why_unchecked(log))]
    return Verdict(tuple(findings), tuple(checks), checked=checked, not_checked=_not_checked(log))


def typed_words(log: Log) -> tuple[int, ...]:
    """Returns the seats whose lucky word somebody typed. Only for a log of format 2 with its seed."""
    assert log.proof is not None
    assert log.seed is not None
    return seats_with_own_words(log.proof.words, log.seed)


def _not_checked(log: Log, *, bots: bool = True) -> tuple[str, ...]:
    """Returns what is not checked of this log. `bots`: not all choices of its bots were made again."""
    if log.proof is None:
        return (*_ALWAYS, "bots", "table_luck", "seed_choice")
    # Before it knew the words of other seats the host fixed the seed; without any, it knew all luck when it did.
    chosen = "seed_choice" if log.seed is None or not any(typed_words(log)) else "collusion"
    return (*_ALWAYS, *(["bots"] if bots else []), chosen)


def _compare_commitment(log: Log, given: str | None, checks: list[Check]) -> Finding | None:
    if given is None:
        return None
    if not log.commitment.startswith(given):
        return Finding(_other_commitment(log, len(given)))
    checks.append(Check("commitment", len(given)))
    return None


def _other_commitment(log: Log, digits: int) -> Text:
    if digits == commitments.WHOLE:
        return _OTHER_COMMITMENT.fill(digits=digits, has=log.commitment)
    return _OTHER_COMMITMENT.fill(digits=_SHORT, has=commitments.short_form(log.commitment))


def _check_chain(log: Log, mark: str | None, checks: list[Check]) -> Iterator[Finding]:
    proof = log.proof
    if proof is None:
        if mark is not None:
            yield Finding(_NO_CHAIN)
        return
    if finding := _broken_chain(log, proof):
        yield finding
    else:
        checks.append(Check("chain", len(log.entries)))
    if mark is not None:
        at = find_mark(log.heads(), mark)
        if at is None:
            yield Finding(_NO_SUCH_MARK)
        else:
            checks.append(Check("mark", at))


def _broken_chain(log: Log, proof: Proof) -> Finding | None:
    key = log.key() if log.seed is not None else None
    for entry, sealed, salts in zip(log.entries, proof.sealed, proof.salts, strict=True):
        if key is not None:
            salts = {path: chain.salt(key, entry.n, path) for path in sealed}
        if path := chain.broken_seal(entry, sealed, salts):
            return Finding(_BROKEN_SEAL.fill(path=path), entry.n)
    return None if log.heads()[-1] == proof.head else Finding(_OTHER_HEAD)


def _check_seed(log: Log, checks: list[Check]) -> Finding | None:
    """Returns what is wrong with the seed, or None; counts the words that somebody typed."""
    assert log.seed is not None
    proof = log.proof
    if proof is None:
        return None if commit_to_seed(log.seed) == log.commitment else Finding(_OTHER_SEED)
    if commit(proof.deal, log.seed, proof.words[0]) != log.commitment:
        return Finding(_OTHER_SEED)
    checks.append(Check("words", len(typed_words(log))))
    return None


def _why_unchecked(log: Log) -> Text:
    """Returns why nothing can be checked: the match runs, was called off, is sealed, or the log is incomplete."""
    if any(isinstance(entry.event, Cancelled) for entry in log.entries):
        return _NEVER
    if log.proof is not None and log.proof.sealed_until is not None:
        return _SEALED.fill(until=log.proof.sealed_until)
    if any(isinstance(entry.event, MatchEnded) for entry in log.entries):
        return _NOT_FULL
    try:
        over = log.game.outcome(full_fold(log.game, log.entries)) is not None
    except Exception:  # noqa: BLE001 - a forged log on which the rules break has no end that one could wait for
        over = True
    return _NOT_FULL if over else _BEFORE_THE_END


def _repeat(log: Log, findings: list[Finding], checks: list[Check]) -> Verdict:
    decisions = draws = bots = unknown = 0
    again = Repetition(log)
    for decision in again.decisions():
        decisions, draws = decisions + 1, draws + len(decision.draws)
        bots += decision.bot is not None
        unknown += decision.entries[0].by.bot is not None and decision.bot is None
        if problem := _problem(decision):
            findings.append(Finding(problem, decision.entries[0].n))
            if len(findings) >= ENOUGH:
                findings.append(Finding(_ENOUGH))
                return Verdict(tuple(findings), tuple(checks), not_checked=_not_checked(log))
    checks += [Check("facts", decisions), Check("luck", draws)]
    if bots:
        checks.append(Check("bots", bots))
    cancelled, finding = _end(log, again.state)
    findings += [finding] if finding else []
    return Verdict(tuple(findings), tuple(checks), cancelled, not_checked=_not_checked(log, bots=unknown > 0))


def _problem(decision: Decision) -> Text | None:
    if decision.broken is not None:
        return _NO_DECISION.fill(error=decision.broken)
    if not decision.holds:
        return _UNEXPLAINED
    return _OTHER_CHOICE if decision.bot is False else None


def _end(log: Log, state: Any) -> tuple[bool, Finding | None]:
    """Returns whether the host ended the match, and what is wrong with its end."""
    last = log.entries[-1].n
    called_off = next((e.n for e in log.entries if isinstance(e.event, Cancelled)), None)
    ended = next((e.n for e in log.entries if isinstance(e.event, MatchEnded)), None)
    try:
        over = log.game.outcome(state) is not None
    except Exception as error:  # noqa: BLE001 - a forged log on which the rules break: a finding, too
        return False, Finding(_NO_END.fill(error=type(error).__name__), last)
    if ended is not None:
        return False, _wrong_end(log, ended, over=over)
    if called_off is None:
        return False, None if over else Finding(CUT_OFF, last)
    if over or _goes_on(log, called_off):
        return True, Finding(_CALLED_OFF, called_off)
    return True, None


def _goes_on(log: Log, after: int) -> bool:
    return any(not isinstance(entry.event, TableEvent) for entry in log.entries[after:])


def _wrong_end(log: Log, n: int, *, over: bool) -> Finding | None:
    """Returns what is wrong with an end by the people at the table, which entry `n` tells."""
    if over or _goes_on(log, n) or sum(isinstance(e.event, MatchEnded | Cancelled) for e in log.entries) > 1:
        return Finding(_WENT_ON, n)
    ended = log.entries[n - 1].event
    assert isinstance(ended, MatchEnded)
    left = seats_left(log.entries[: n - 1], log.seats)
    if ended.winners != left or (ended.reason == "last_seat" and len(left) != 1):
        return Finding(_OTHER_END, n)
    return None
