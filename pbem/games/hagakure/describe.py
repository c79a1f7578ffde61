"""The board of Hagakure in words: enough to play from a mail without pictures."""

from pbem.games.hagakure.facts import FOOL, State
from pbem.games.hagakure.words import (
    NOBORI_NAMES,
    card,
    cards,
    pile,
    points,
    round_name,
    seats,
    signed,
    trick_number,
    tricks,
    unseen,
)
from pbem.kit.contract import Lang, Phrase, Viewer
from pbem.kit.notation import french, seat_letter


def describe(fold: State, viewer: Viewer, lang: Lang) -> tuple[Phrase, ...]:
    """The position as the viewer knows it, a line each; never a card that the fold does not know."""
    fr = lang == "fr"
    lines = [_round(fold, lang), _whose_turn(fold, lang)]
    lines += [_seat(fold, (viewer or 0) + step, viewer, lang) for step in range(fold.seats)]
    lines.append(f"Yomi{' ' if fr else ''}: {pile(fold.yomi, lang)}.")
    if hidden := unseen(fold):
        left = ", ".join(f"{hidden.count(n)} × {card(n)}" if hidden.count(n) > 1 else card(n) for n in _once(hidden))
        lines.append(
            f"Cartes pas encore vues dans la manche : {left}." if fr else f"Cards not seen in this round: {left}."
        )
    if fold.sheet:
        rounds = " · ".join(f"{n} ({', '.join(map(signed, row))})" for n, row in enumerate(fold.sheet, 1))
        order = seats(range(fold.seats), lang)
        lines.append(f"Manches ({order}) : {rounds}." if fr else f"Rounds ({order}): {rounds}.")
    lines.append(
        "V villageois, S samouraï, F Vieux Fou, qui compte comme un samouraï ; le nombre est la valeur."
        if fr
        else "V villager, S samurai, F Old Fool, which counts as a samurai; the number is the value."
    )
    return tuple(map(french, lines)) if fr else tuple(lines)


def _once(numbers: list[int]) -> list[int]:
    """Each number once, the fools last."""
    return sorted(set(numbers), key=lambda number: (number == FOOL, number))


def _round(fold: State, lang: Lang) -> str:
    """The round and the trick, with the cards on the table."""
    fr = lang == "fr"
    name = round_name(fold, lang)
    if fold.phase != "play":
        stage = {
            "nobori": ("choix des Nobori", "the Nobori are chosen"),
            "scored": ("comptée", "counted"),
            "over": ("la dernière", "the last one"),
        }[fold.phase][0 if fr else 1]
        return f"{name}, {stage}."
    number, of = trick_number(fold)
    where = f"{name}, pli {number} sur {of}" if fr else f"{name}, trick {number} of {of}"
    if not fold.trick:
        return f"{where}."
    laid = ", ".join(f"{{{(fold.leader + at) % fold.seats}}} {card(number)}" for at, number in enumerate(fold.trick))
    return f"{where} : {laid}." if fr else f"{where}: {laid}."


def _whose_turn(fold: State, lang: Lang) -> str:
    fr = lang == "fr"
    if fold.over:
        if len(fold.winners) == 1:
            winner = fold.winners[0]
            return f"La partie est finie, {{{winner}}} a gagné." if fr else f"The match is over, {{{winner}}} won."
        if fr:
            return f"La partie est finie, victoire partagée : {seats(fold.winners, lang)}."
        return f"The match is over, a shared victory: {seats(fold.winners, lang)}."
    if fold.phase == "scored":
        return "On distribue de nouveau." if fr else "The cards are dealt again."
    if fold.phase == "nobori":
        return f"{{{fold.active}}} choisit un Nobori." if fr else f"{{{fold.active}}} chooses a Nobori."
    if len(fold.trick) == fold.seats:
        return "Le pli est complet." if fr else "The trick is complete."
    if not fold.trick:
        return f"{{{fold.active}}} entame." if fr else f"{{{fold.active}}} leads."
    return f"{{{fold.active}}} doit jouer." if fr else f"{{{fold.active}}} is to play."


def _seat(fold: State, place: int, viewer: Viewer, lang: Lang) -> str:
    seat = place % fold.seats
    fr = lang == "fr"
    who = f"place {seat_letter(seat)}" if fr else f"seat {seat_letter(seat)}"
    if seat == viewer:
        who += ", vous" if fr else ", you"
    if seat == fold.dealer:
        who += ", a distribué" if fr else ", dealt"
    names = NOBORI_NAMES[lang]
    raised = _raised(fold, seat, lang)
    won = f"{tricks(fold.tricks[seat], lang)}{_won(fold, seat)}"
    left = ", ".join(names[nobori] for nobori in fold.nobori[seat])
    total = points(fold.totals[seat], lang)
    hand = pile(fold.hands[seat], lang)
    if fold.bare[seat] and None in fold.hands[seat]:
        hand += ", ni samouraï ni Vieux Fou" if fr else ", neither samurai nor Old Fool"
    if fr:
        played = f"Nobori de la manche : {raised} ; " if raised else ""
        return f"{{{seat}}} ({who}) : {total} ; main : {hand} ; {won} ; {played}Nobori restants : {left or 'aucun'}."
    played = f"Nobori of this round: {raised}; " if raised else ""
    return f"{{{seat}}} ({who}): {total}; hand: {hand}; {won}; {played}Nobori left: {left or 'none'}."


def _raised(fold: State, seat: int, lang: Lang) -> str:
    """The Nobori of the round, or that there is none; empty while the seat may still play one."""
    raised = fold.raised[seat]
    if raised:
        return NOBORI_NAMES[lang][raised]
    if fold.phase == "nobori" and (seat - fold.leader) % fold.seats >= (fold.active - fold.leader) % fold.seats:
        return ""
    return "aucun" if lang == "fr" else "none"


def _won(fold: State, seat: int) -> str:
    return f" ({cards(fold.won[seat])})" if fold.won[seat] else ""
