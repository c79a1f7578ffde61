"""How moves of Hexen Rennen are typed: `divide 2 3 4 / 5 6 7 / 8 9 10`, `fly 10`, `fly 0`, `play 5`, `play S`, `leave`,
and `choose C` where clans are chosen.

Magic symbols may be written in a division, one per stage. The letter of the player's own clan may stand on either side
of a number or a card, with filler words between. That of another clan is refused: the player means something else than
what would be played.
"""

import re
import unicodedata

from pbem.games.hexen_rennen.facts import Choose, Divide, Fly, Leave, Play
from pbem.games.hexen_rennen.facts_race import CARDS, CLANS, GOAL
from pbem.kit.contract import Unreadable
from pbem.kit.game.moves import Move, parts_of_move_as_typed
from pbem.kit.notation import LONGEST, plain_text, spelled, understand, words
from pbem.kit.texts import Text
from pbem.kit.words import T

HINT = T(
    "Écrivez par exemple : divide 2 3 4 / 5 6 7 / 8 9 10 (vos nombres, étape par étape) · fly 10 ou fly 0 "
    "(la sorcière de la tuile 10, ou du départ) · play 5 ou play S (une carte) · leave (ne rien jouer). "
    "En français : répartis, vole, joue, laisse.",
    "Write for example: divide 2 3 4 / 5 6 7 / 8 9 10 (your numbers, stage by stage) · fly 10 or fly 0 "
    "(the witch on tile 10, or at the start) · play 5 or play S (a card) · leave (play nothing).",
)

HINT_OF_CLANS = T(
    "Écrivez par exemple : choose C ou choisis le chat (A lune, B champignon, C chat, D chaudron). "
    "Ensuite : divide 2 3 4 / 5 6 7 / 8 9 10 (vos nombres, étape par étape).",
    "Write for example: choose C or choose the cat (A moon, B mushroom, C cat, D cauldron). "
    "After that: divide 2 3 4 / 5 6 7 / 8 9 10 (your numbers, stage by stage).",
)

VERBS = spelled(
    {
        "choose": "choose chooses pick picks take takes want wants choisis choisit choisir prends prend prendre veux "
        "veut clan clans",
        "divide": "divide divides division divise diviser split splits partition repartis reparti repartit repartir "
        "repartition partage partager",
        "fly": "fly flies flight vole voler vol move moves moving deplace deplacer avance avancer bouge bouger "
        "witch sorciere",
        "play": "play plays joue jouer use utilise utiliser card cards carte cartes back send recule reculer renvoie",
        "leave": "leave leaves laisse laisser stay stays reste rester pass passe passer keep garde garder rien nothing "
        "skip non no not don't pas aucune aucun none",
        "start": "start depart",
        "symbol": "s symbol symbole magic magique",
        "stage": "stage stages etape etapes",
    }
)
FILLERS = frozenset(
    words(
        "a an and at au aux avec c'est ce celle d'une de depuis des do du elle en et from her i il in is it j je l la "
        "le les ma merci mes mon my n ne nombre nombres number numbers of on place sa sur thank thanks the tile tiles "
        "to tour tuile tuiles turn un une with you"
    )
)

_CLANS = spelled({"A": "moon lune", "B": "b mushroom champignon", "C": "c cat chat", "D": "d cauldron chaudron"})
"""What clans are called. The letter A is an article as well."""

_TOKEN = re.compile(r"[a-z']+|[0-9]+|[/|;]")
_STROKES = frozenset("/|;")
_LETTER_AND_SYMBOL = re.compile(r"[a-d]s")
_PREPOSITION = re.compile(r"\bà\b", re.IGNORECASE)
_NOUNS = frozenset(
    words("card cards magic number numbers stage stages symbol tile tiles witch depart start tuile tuiles")
)
"""Nouns before which "a" is an article, or the French preposition without its accent; elsewhere it is clan A."""
_MINUS = re.compile(r"(?:^| )-[0-9]")
_STAGE_NUMBER = re.compile(
    r"\b(?:stage|etape)s? *(?:n[o°]? *)?(?P<after>[123])(?![0-9]) *[:=.,-]?"
    r"|\b(?P<before>[123])(?:st|nd|rd|re|ere|de|nde|e|eme) (?:stage|etape) *[:=.,-]?"
    r"|\b(?P<bare>[123]) *:"
)
_DIGITS = re.compile(r"(?:10|[2-9])+")
_NUMBER = re.compile(r"10|[2-9]")


def parse(text: str, own: str | None = None, hint: Text = HINT) -> Move:
    """Returns the move that the text means when the seat of the clan `own` types it. Raises Unreadable with a hint."""
    move = understand(text, lambda typed: _parse_move(_plain_text_without_preposition_a(typed)), hint)
    foreign = (
        None
        if own is None or isinstance(move, Choose)
        else _tile_or_card_of_other_clan(_plain_text_without_preposition_a(text), own)
    )
    if own is None or foreign is None:
        return move
    en = format(move)
    fr = en.replace("divide", "répartis")
    if isinstance(move, Play):
        fr, en = f"joue {move.card} ou joue {own}{move.card}", f"play {move.card} or play {own}{move.card}"
    instead = Text(
        f"{foreign} est du clan {foreign[0]}, et le vôtre est {own}. Écrivez {fr}.",
        f"{foreign} is of clan {foreign[0]}, and yours is {own}. Write {en}.",
    )
    raise Unreadable(text[:LONGEST], instead)


def _plain_text_without_preposition_a(text: str) -> str:
    """Returns the plain text, in which "à" does not become the letter of clan A."""
    return plain_text(_PREPOSITION.sub("au", unicodedata.normalize("NFC", text)))


def format(move: Move) -> str:
    """Returns the move in short notation.

    >>> format(Divide(((4, 3, 2), (5, 6, 7), (8, 9, 10))))
    'divide 2 3 4 / 5 6 7 / 8 9 10'
    """
    if isinstance(move, Divide):
        return "divide " + " / ".join(" ".join(map(str, numbers)) for numbers in move.stages)
    return " ".join(parts_of_move_as_typed(move))


def _tile_or_card_of_other_clan(plain: str, own: str) -> str | None:
    """Returns the first tile or card in the text with the letter of another clan; None if there is none.

    >>> _tile_or_card_of_other_clan("joue a4", "B"), _tile_or_card_of_other_clan("joue le 4 de a", "B")
    ('A4', 'A4')
    >>> _tile_or_card_of_other_clan("joue b4", "B") is None
    True
    """
    return next(
        (tile for tile in _tile_or_card_by_place_of_letter(_split_text(plain)).values() if tile[0] != own), None
    )


def _split_text(text: str) -> list[str]:
    """Returns the words, numbers and strokes of the text, with the letter of a clan separated from its symbol.

    >>> _split_text("joue l'as"), _split_text("play 4a")
    (['joue', 'a', 's'], ['play', '4', 'a'])
    """
    found = [re.sub(r"^(?:j|l|d|n|s)'", "", word) for word in _TOKEN.findall(text)]
    return [part for word in found if word for part in (word if _LETTER_AND_SYMBOL.fullmatch(word) else [word])]


def _tile_or_card_by_place_of_letter(split: list[str]) -> dict[int, str]:
    """Returns the tile or card that each letter of a clan belongs to, by the letter's place in the list.

    It is the next one, else the one before; filler words do not count.

    >>> _tile_or_card_by_place_of_letter(["play", "a", "card", "5"])
    {}
    >>> _tile_or_card_by_place_of_letter(["play", "5", "of", "a"])
    {3: 'A5'}
    """
    found = {}
    for place, word in enumerate(split):
        if len(word) != 1 or word.upper() not in CLANS:
            continue
        after = _first_number_or_article(split[place + 1 :], {"a": _NOUNS}.get(word, frozenset()))
        beside = after or _first_number_or_article(split[place - 1 :: -1] if place else [], frozenset())
        if beside == "article":
            continue
        if beside is not None:
            found[place] = word.upper() + beside
    return found


def _first_number_or_article(split: list[str], nouns: frozenset[str]) -> str | None:
    """Returns the first number or symbol, or "article" if one of the nouns comes first; None after anything else."""
    for word in split:
        if word in nouns:
            return "article"
        meaning = VERBS.get(word)
        if word.isdigit() or meaning == "symbol":
            return word if word.isdigit() else "S"
        if word not in FILLERS and meaning not in ("divide", "fly", "play"):
            return None
    return None


def _tokens_without_clan_letters(text: str) -> list[str]:
    """Returns verbs by their English name, words and numbers, without the letter of a clan beside a card.

    >>> _tokens_without_clan_letters("je joue la carte a5"), _tokens_without_clan_letters("la sorciere du depart vole")
    (['play', 'play', '5'], ['fly', 'start', 'fly'])
    """
    split = _split_text(text)
    lettered = _tile_or_card_by_place_of_letter(split)
    return [VERBS.get(word, word) for place, word in enumerate(split) if place not in lettered and word not in FILLERS]


def _parse_move(text: str) -> Move | None:
    tokens = _tokens_without_clan_letters(text)
    if "choose" in tokens or any(word in _CLANS for word in tokens if len(word) > 1):
        return _parse_clan(_split_text(text))
    verbs = {token for token in tokens if token in ("divide", "fly", "play", "leave")}
    if verbs <= {"divide"}:
        order, labelled = _stage_order_and_text_with_strokes(text)
        return _parse_division([word for word in _tokens_without_clan_letters(labelled) if word != "divide"], order)
    rest = [token for token in tokens if token not in verbs]
    if verbs == {"play"}:
        named = list(dict.fromkeys("S" if word == "symbol" else word for word in rest))
        return Play(named[0]) if len(named) == 1 and named[0] in CARDS else None
    if verbs == {"fly"}:
        # "A10" is a tile or a card, which need not be on place 10; no place is below 0.
        if _tile_or_card_by_place_of_letter(_split_text(text)) or _MINUS.search(text):
            return None
        place = ["0"] if rest == ["start"] else rest
        short = len(place) == 1 and place[0].isdigit() and len(place[0]) < 3
        return Fly(int(place[0])) if short and int(place[0]) <= GOAL else None
    if "divide" not in verbs:
        # "Play nothing", "leave the witch": a number beside it would be unclear.
        return Leave() if "leave" in verbs and not rest else None
    return None


def _parse_clan(split: list[str]) -> Choose | None:
    """Returns the choice of the one clan that is named.

    >>> _parse_clan(["je", "prends", "le", "chat"]), _parse_clan(["choose", "a"]), _parse_clan(["b", "or", "c"])
    (Choose(clan='C'), Choose(clan='A'), None)
    """
    named = {_CLANS[word] for word in split if word in _CLANS}
    if not named and "a" in split:
        named = {"A"}
    rest = [word for word in split if word not in _CLANS and word not in FILLERS and VERBS.get(word) != "choose"]
    return Choose(named.pop()) if len(named) == 1 and not rest else None


def _stage_order_and_text_with_strokes(text: str) -> tuple[list[int], str]:
    """Returns the stages' numbers if they are named, and the text with a stroke in place of each.

    >>> _stage_order_and_text_with_strokes("etape 2: 5 6 7, etape 1: 2 3 4")
    ([2, 1], ' /  5 6 7,  /  2 3 4')
    """
    order: list[int] = []

    def stroke(found: re.Match[str]) -> str:
        order.append(int(found["after"] or found["before"] or found["bare"]))
        return " / "

    return order, _STAGE_NUMBER.sub(stroke, text)


def _parse_division(rest: list[str], order: list[int]) -> Divide | None:
    """Returns three groups of numbers, separated by strokes or of three each.

    Labels give the stages in any order, also more than once: "2 to stage 1, 10 to stage 3, 5 to stage 1…".
    """
    groups: list[list[str]] = [[]]
    for word in rest:
        if word in _STROKES:
            groups.append([])
        elif word == "symbol":
            groups[-1].append("S")
        elif _DIGITS.fullmatch(word):
            groups[-1] += _NUMBER.findall(word)
        else:
            return None
    groups = [group for group in groups if group]
    if order:
        if len(order) != len(groups) or {*order} != {1, 2, 3}:
            return None
        labelled = [*zip(order, groups, strict=True)]
        groups = [[word for at, group in labelled if at == stage for word in group] for stage in (1, 2, 3)]
    symbols = [group.count("S") for group in groups]
    if any(symbols) and (symbols != [1] * len(groups) or len(groups) != 3):
        return None
    numbers = [[int(n) for n in group if n != "S"] for group in groups]
    if len(numbers) == 1 and len(numbers[0]) == 9:
        numbers = [numbers[0][i : i + 3] for i in (0, 3, 6)]
    if len(numbers) != 3 or any(not 1 <= len(group) <= 9 for group in numbers):
        return None
    one, two, three = (tuple(group) for group in numbers)
    return Divide((one, two, three))
