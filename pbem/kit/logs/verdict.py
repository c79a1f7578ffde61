"""Whether a log agrees with itself and with what a player holds: commitment, chain, luck and rules.

Anyone can make up a match and write such a log. What ties it to a match that was played is in the players' mails: the
commitment and the heads of the chain. Each `Check` says what was looked at and how much of it; `not_checked` lists what
nothing ties.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from pbem.kit import replay
from pbem.kit.endings import end_by_resignations
from pbem.kit.logs import chain, verdict_texts
from pbem.kit.logs.chain import WHOLE
from pbem.kit.logs.logfile import DEAL, Log, Proof
from pbem.kit.logs.repetition import Decision, Draw, Repetition
from pbem.kit.texts import Text

_ALWAYS = ("players", "times", "via", "table")


class Finding(msgspec.Struct, frozen=True):
    """Something that is wrong: the number of the entry at fault, if it is one, and the reason."""

    said: Text
    entry: int | None = None

    def __str__(self) -> str:
        return self.said.en if self.entry is None else f"entry {self.entry}: {self.said.en}"


Subject = Literal["commitment", "mark", "head", "word", "chain", "seals", "words", "facts", "luck", "bots"]


class Check(msgspec.Struct, frozen=True):
    """Something that was looked at and holds, and how much of it.

    commitment  digits that were given, 64 or 16      seals  seals that were opened
    mark        the entry whose mark was given        words  lucky words that somebody typed
    head        the entry whose head was given        facts  decisions that were made again
    word        seats that have the word              luck   draws that were made again
    chain       entries in the chain                  bots   choices of bots that were made again
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
    draws: tuple[Draw, ...] = ()
    """What was drawn for the rules and the clock, in order, as far as it was made again and came out the same."""

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


def verify(
    log: Log, given: str | None = None, mark: str | None = None, word: str | None = None, *, thoughts: bool = False
) -> Verdict:
    """Checks a log against itself and against what a player holds.

    Looks at the commitment, mark and word that were given; at the chain and its seals; at the seed; and makes every
    decision again with the luck that the seed gives. A decision holds if some legal move gives exactly its entries. A
    log played under rules that have been corrected since may fail there and still replay: the facts stand.

    `given` is the commitment from a player's mail, 64 digits or the first 16; `mark` a mark from one, or the 64 digits
    of a head; `word` a lucky word. All are compared even if nothing else can be checked. `thoughts`: bots that think
    choose again, too, which may take a second for each choice.
    """
    checks: list[Check] = []
    full = log.seed is not None and log.viewer == "all"
    wrong_seed = [*_check_seed(log, checks)] if full else []
    other = [*_compare_commitment(log, given, checks), *wrong_seed]
    opens = log.seed is not None and not wrong_seed
    findings = [*other, *_compare_word(log, word, checks), *_check_chain(log, mark, checks, opens=opens)]
    if full and not other:
        return _verdict_by_repetition(Repetition(log, thoughts=thoughts), log, findings, checks)
    checked, findings = bool(findings), findings or [Finding(_why_unchecked(log))]
    return Verdict(tuple(findings), tuple(checks), checked=checked, not_checked=_list_gaps(log))


def seats_that_typed(log: Log) -> tuple[int, ...]:
    """Returns the seats whose lucky word somebody typed. Only for a log of format 2 with its seed."""
    assert log.proof is not None
    assert log.seed is not None
    return chain.seats_with_own_words(log.proof.words, log.seed)


def _list_gaps(log: Log, *, bots: bool = True) -> tuple[str, ...]:
    """Returns what is not checked of this log. `bots`: not all choices of its bots were made again."""
    more = ["takebacks"] if replay.count_takebacks(log.entries) else []
    more += ["bots"] if bots else []
    if log.proof is None:
        return (*_ALWAYS, *more, "table_luck", "seed_choice")
    more += ["closed_seals"] if log.seed is None else []
    # Before it knew the words of other seats the host fixed the seed; without any, it knew all luck when it did.
    others = log.seed is None or any(seat != chain.ORGANISER for seat in seats_that_typed(log))
    return (*_ALWAYS, *more, *(("words", "collusion") if others else ("seed_choice",)))


def _compare_commitment(log: Log, given: str | None, checks: list[Check]) -> Iterator[Finding]:
    if given is None:
        return
    digits = len(given)
    if log.commitment.startswith(given):
        checks.append(Check("commitment", digits))
    elif digits == WHOLE:
        yield Finding(verdict_texts.OTHER_COMMITMENT.fill(digits=digits, has=log.commitment))
    else:
        first = verdict_texts.FIRST_DIGITS
        yield Finding(verdict_texts.OTHER_COMMITMENT.fill(digits=first, has=chain.commitment_in_groups(log.commitment)))


def _compare_word(log: Log, word: str | None, checks: list[Check]) -> Iterator[Finding]:
    if word is None:
        return
    if log.proof is None:
        yield Finding(verdict_texts.NO_WORDS)
    elif seats := chain.seats_with_word(log.proof.words, word):
        checks.append(Check("word", len(seats)))
    else:
        yield Finding(verdict_texts.NO_SUCH_WORD)


def _check_chain(log: Log, mark: str | None, checks: list[Check], *, opens: bool) -> Iterator[Finding]:
    """Yields what is wrong with chain, seals and mark. `opens`: the log has the seed, and so the salt of every seal."""
    proof = log.proof
    if proof is None:
        if mark is not None:
            yield Finding(verdict_texts.NO_CHAIN)
        return
    heads, broken = log.heads(), _first_broken_seal(log, proof, checks, opens=opens)
    if broken is not None:
        yield broken
    elif heads[-1] != proof.head:
        yield Finding(verdict_texts.OTHER_HEAD)
    else:
        checks.append(Check("chain", len(log.entries)))
    if mark is not None:
        at = chain.find_entry_with_mark(heads, mark)
        if at is None:
            yield Finding(verdict_texts.NO_SUCH_MARK)
        elif broken is None or broken.entry is None or at < broken.entry:
            checks.append(Check("head" if len(mark) == WHOLE else "mark", at))


def _first_broken_seal(log: Log, proof: Proof, checks: list[Check], *, opens: bool) -> Finding | None:
    """Returns the first seal that does not fit what the log shows, or None; counts those that were opened."""
    if log.viewer == "all" and not opens:  # it shows everything, and has no salts
        return None
    key, opened = log.seal_key() if opens else None, 0
    for entry, sealed, salts in zip(log.entries, proof.sealed, proof.salts, strict=True):
        if key is not None:
            salts = {path: chain.salt_of_value(key, entry.n, path) for path in sealed}
        if path := chain.first_broken_seal(entry, sealed, salts):
            return Finding(verdict_texts.BROKEN_SEAL.fill(path=path), entry.n)
        opened += len(salts)
    if opened:
        checks.append(Check("seals", opened))
    return None


def _check_seed(log: Log, checks: list[Check]) -> Iterator[Finding]:
    """Yields what is wrong with the seed; counts the words that somebody typed."""
    assert log.seed is not None
    proof = log.proof
    if proof is None:
        if chain.commitment_to_seed(log.seed) != log.commitment:
            yield Finding(verdict_texts.OTHER_SEED)
    elif chain.commit(proof.deal, log.seed, proof.words[0]) != log.commitment:
        yield Finding(verdict_texts.OTHER_SEED)
    else:
        checks.append(Check("words", len(seats_that_typed(log))))


def _why_unchecked(log: Log) -> Text:
    """Returns why nothing can be checked: the match runs, was called off, is sealed, or the log is incomplete."""
    if any(isinstance(entry.event, replay.Cancelled) for entry in log.entries):
        return verdict_texts.NEVER
    if log.proof is not None and log.proof.sealed_until is not None:
        if log.proof.sealed_until == DEAL:
            return verdict_texts.SEALED_DEAL
        return verdict_texts.SEALED.fill(until=log.proof.sealed_until)
    if any(isinstance(entry.event, replay.MatchEnded) for entry in log.entries):
        return verdict_texts.NOT_FULL
    try:
        over = log.game.outcome(replay.full_fold(log.game, log.entries)) is not None
    except Exception:  # noqa: BLE001 - a forged log on which the rules break has no end that one could wait for
        over = True
    return verdict_texts.NOT_FULL if over else verdict_texts.BEFORE_THE_END


def _verdict_by_repetition(again: Repetition, log: Log, findings: list[Finding], checks: list[Check]) -> Verdict:
    held = list[Decision]()
    unknown = enough = False
    for decision in again.decisions():
        unknown |= decision.entries[0].by.bot is not None and decision.bot is None
        if problem := _problem_of_decision(decision):
            findings.append(Finding(problem, decision.entries[0].n))
            enough = len(findings) >= verdict_texts.ENOUGH
            if enough:
                findings.append(Finding(verdict_texts.STOPPED))
                break
        else:
            held.append(decision)
    draws, cancelled = tuple(draw for decision in held for draw in decision.draws), False
    if not enough:
        checks += [Check("facts", len(held)), Check("luck", len(draws))]
        if bots := sum(decision.bot is not None for decision in held):
            checks.append(Check("bots", bots))
        cancelled, found = _check_end(log, again)
        findings += found
    left_out = _list_gaps(log, bots=unknown or enough)
    return Verdict(tuple(findings), tuple(checks), cancelled, not_checked=left_out, draws=draws)


def _problem_of_decision(decision: Decision) -> Text | None:
    if decision.broken is not None:
        return verdict_texts.NO_DECISION.fill(error=decision.broken)
    if not decision.holds:
        return verdict_texts.UNEXPLAINED
    return verdict_texts.OTHER_CHOICE if decision.bot is False else None


def _check_end(log: Log, again: Repetition) -> tuple[bool, list[Finding]]:
    """Returns whether the host ended the match, and what is wrong with its end. `again`: the whole log, repeated."""
    last = log.entries[-1].n
    called_off = next((e.n for e in log.entries if isinstance(e.event, replay.Cancelled)), None)
    ended = next((e.n for e in log.entries if isinstance(e.event, replay.MatchEnded)), None)
    if again.reopened:
        return False, [Finding(verdict_texts.REOPENED, again.reopened[0])]
    alone = None
    if log.proof is not None:  # since format 2 a match ends when one seat is left that has not resigned
        alone = next((n for n, resigned in replay.resignations(log.entries) if len(resigned) == log.seats - 1), None)
    if alone is not None and _is_played_on(log, alone):
        return False, [Finding(verdict_texts.WENT_ON, alone)]
    try:
        over = log.game.outcome(again.state) is not None
    except Exception as error:  # noqa: BLE001 - a forged log on which the rules break: a finding, too
        return False, [Finding(verdict_texts.NO_END.fill(error=type(error).__name__), last)]
    if ended is not None:
        return False, [*_faults_of_end_by_people(log, ended, over=over)]
    if called_off is not None:
        return True, [Finding(verdict_texts.CALLED_OFF, called_off)] if over or _is_played_on(log, called_off) else []
    if not over:
        return False, [Finding(verdict_texts.CUT_OFF, last)]
    return False, []


def _is_played_on(log: Log, after: int) -> bool:
    """True if after entry `after` something is played, or taken back."""
    events = (entry.event for entry in log.entries[after:])
    return any(not isinstance(event, replay.TableEvent) or isinstance(event, replay.Undone) for event in events)


def _faults_of_end_by_people(log: Log, n: int, *, over: bool) -> Iterator[Finding]:
    """Yields what is wrong with an end by the people at the table, which entry `n` tells."""
    if (
        over
        or _is_played_on(log, n)
        or sum(isinstance(e.event, replay.MatchEnded | replay.Cancelled) for e in log.entries) > 1
    ):
        yield Finding(verdict_texts.WENT_ON, n)
        return
    before, ended = log.entries[: n - 1], log.entries[n - 1].event
    assert isinstance(ended, replay.MatchEnded)
    # Which seats are bots the log does not say; at those where a person has played there is none.
    shown = end_by_resignations(
        replay.seats_not_resigned(before, log.seats), {*range(log.seats)} - replay.seats_with_people(before)
    )
    if shown != ended:
        yield Finding(verdict_texts.OTHER_END, n)
