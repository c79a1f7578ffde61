"""Gives a log its seals and its chain, for matches that are not in a database: those in memory, transcripts."""

from collections.abc import Sequence

import msgspec

from pbem.kit.contract import AnyGame, Options, Viewer
from pbem.kit.logs import chain
from pbem.kit.logs.chain import commit, key_of_luck, key_of_seals
from pbem.kit.logs.logfile import Log, Proof
from pbem.kit.replay import AnyEntry, redact_entries, whether_entries_answer_windows


def seal_log(
    game: AnyGame, options: Options, seats: int, deal: str, seed: bytes, words: Sequence[str],
    entries: Sequence[AnyEntry], table: str | None = None,
) -> Log:  # fmt: skip
    """Returns the full log of a match with its seed. `words` are the hashes of the lucky words, in seat order.

    `table`: its own id, if other tables play the deal, too.
    """
    key, stored = key_of_seals(key_of_luck(deal, seed, words), table), msgspec.to_builtins(options)
    sealed = tuple(
        chain.seals_and_salts_of_entry(key, entry, window=window)[0]
        for entry, window in zip(entries, whether_entries_answer_windows(game, entries), strict=True)
    )
    promised = commit(deal, seed, words[0])
    proof = Proof(deal, tuple(words), stored, sealed, ({},) * len(entries), "", table=table)
    log = Log(game, options, seats, "all", promised, seed, tuple(entries), proof)
    return msgspec.structs.replace(log, proof=msgspec.structs.replace(proof, head=log.heads()[-1]))


def redact_log(log: Log, viewer: Viewer, fresh_from: int = 1) -> Log:
    """Returns a full log as its viewer gets it while the match runs: without its seed, with salts of what it shows.

    Fields that have faded before entry `fresh_from` are hidden.
    """
    assert log.proof is not None
    key, seen = log.seal_key(), redact_entries(log.entries, viewer, fresh_from)
    salts = tuple(
        chain.salts_shown_from_key(key, entry, seals) for entry, seals in zip(seen, log.proof.sealed, strict=True)
    )
    proof = msgspec.structs.replace(log.proof, salts=salts)
    return msgspec.structs.replace(log, viewer=viewer, seed=None, entries=tuple(seen), proof=proof)
