"""Hunch: guess the dice under the others' cups. A sound game, in which tests plant faults."""

from pbem.kit.assemble import assemble, kinds_in
from pbem.kit.contract import AskKind, DrawKind, Event, Meta, Move
from pbem.kit.texts import OptionText
from pbem.kit.words import T, refusals

from . import board, facts, orders, rules, words

META = Meta(
    slug="hunch",
    title=T("Hunch", "Hunch"),
    blurb=T("Devinez les dés sous les gobelets des autres.", "Guess the dice under the others’ cups."),
    seats=(2, 3),
    minutes=5,
    state=facts.State,
    moves=kinds_in(facts, Move),
    events=kinds_in(facts, Event),
    asks={
        "guess": AskKind(
            T("À vous de deviner", "Your turn to guess"),
            (facts.Guess, facts.Wait),
            hint=T("Chez qui voyez-vous quoi ?", "Who has what?"),
        )
    },
    endings={"turns": T("chacun a joué", "everybody has had their turns")},
    refusals=refusals(
        {
            ("2", "cup"): T("Ce gobelet n’est pas à un autre.", "That is nobody else’s cup."),
            ("3", "face"): T("Aucun dé ne montre {die}.", "No die shows {die}."),
        }
    ),
    traits=frozenset({"hidden", "luck"}),
    bound=14,
    options=facts.Terms,
    option_texts={
        "length": OptionText(
            T("Durée", "Length"),
            T("Combien de tours chacun joue.", "How many turns everybody has."),
            {"short": T("courte", "short"), "long": T("longue", "long")},
        )
    },
    samples=(facts.Terms("long"),),
    draws={"die": DrawKind(T("Dé", "Die"))},
    orders=orders.KINDS,
    has_rounds=False,
)

GAME = assemble(
    META,
    rules,
    facts,
    words,
    words,
    words,
    words,
    board,
    {"bold": rules.bold},
    scores=rules.scores,
    supposable=rules.supposable,
    orders=orders.Orders(),
)
