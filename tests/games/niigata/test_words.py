"""The texts of Niigata: natural sentences in both languages."""

import pytest
from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.describe import waters_of_tile_in_words
from pbem.games.niigata.facts import Claim, Claimed, Ended, Pass, PickingEnded, Place, Take, Thrown, Waste
from pbem.games.niigata.facts_tiles import NAMES, PRINTED, count_animals
from pbem.games.niigata.words import animals_in_words
from pbem.kit.contract import Card, Viewer
from pbem.kit.laws.matches import check_phrase
from pbem.kit.texts import LANGS, Lang
from tests.games.discovered import sample_tables
from tests.games.niigata.tables import ALICE, BOB, CHARLIE, Played, match_with_hands, spend_breeders
from tests.games.stage.lengths import MOST_ASKED, MOST_TITLE, length_of_phrase, questions_of_matches, story_of_matches
from tests.games.stage.news import cards_shown
from tests.harness.cases import cases

NBSP = "\u00a0"


def what_is_told(played: Played, lang: Lang) -> list[str]:
    """The story so far, with plain spaces."""
    lines, before = [], None
    for event in played.events:
        lines.append(GAME.tell(event, before, lang).replace(NBSP, " "))
        before = played.state_after(played.events[: len(lines)])
    return lines


def a_round() -> Played:
    """Alice and Bob take a tile each and lay it; Bob closes a pond and claims it, and the match ends."""
    played = spend_breeders(Played(2, ALICE, ["N03", "N02", "N13", "N14"], ("Y", 3)), 0, 1)
    played.all_play("take N02", "take N03", "place N03 1E r3", "place N02 1N", "claim 0 N")
    return played


def test_the_story_of_each_event_in_french() -> None:
    assert what_is_told(a_round(), "fr") == [
        "68 tuiles, à tour de rôle ; {0} lance en premier.",
        "{0} lance les dés : carpe jaune et 3.",
        "{1} prend {N02}.",
        "{0} prend {N03}.",
        "Il reste 2 tuiles : elles sont défaussées.",
        "{0} pose {N03} en 1E.",
        "{1} pose {N02} en 1N et ferme un bassin (2 points).",
        "{1} place un éleveur en 0 : 2 points.",
        "Tous les éleveurs sont placés : {1} gagne avec 2 points.",
    ]


def test_the_story_of_each_event_in_english() -> None:
    assert what_is_told(a_round(), "en")[1:] == [
        "{0} rolls the dice: yellow carp and 3.",
        "{1} takes {N02}.",
        "{0} takes {N03}.",
        "2 tiles are left and discarded.",
        "{0} lays {N03} at 1E.",
        "{1} lays {N02} at 1N and closes a pond (2 points).",
        "{1} places a breeder at 0: 2 points.",
        "All breeders are placed: {1} wins with 2 points.",
    ]


def test_the_story_names_the_player_who_wastes_a_tile() -> None:
    played = Played(2, ALICE, ["N10", "N11", "N31", "N13"], ("Y", 3), "grab")
    played.play("take N10", ALICE)
    played.play("take N11", BOB)
    assert what_is_told(played, "fr")[-1] == "{N10} ne va pas avec les dés : {0} la gâche."
    assert what_is_told(played, "en")[-1] == "{N10} does not match the dice: {0} wastes it."


@cases(
    "wasted, english",
    [
        ((Waste(0, "N10"), Waste(0, "N31")), "{0} wastes {N10} and {N31}."),
        ((Waste(0, "N10"), Waste(1, "N31")), "{0} wastes {N10}, {1} wastes {N31}."),
        (
            (Waste(0, "N10"), Waste(0, "N31"), Waste(1, "N13")),
            "3 tiles taken do not match the dice: wasted.",
        ),
    ],
)
def test_the_story_names_wasted_tiles_or_counts_them_if_there_are_three(
    wasted: tuple[Waste, ...], english: str
) -> None:
    before = Played(2, ALICE, ["N10", "N31", "N13", "N14"], ("Y", 3), "grab").state
    assert GAME.tell(PickingEnded(wasted, ()), before, "en") == english


def test_the_story_tells_a_round_without_a_matching_tile() -> None:
    played = Played(2, ALICE, ["N10", "N31", "N13", "N14"], ("Y", 3))
    line = GAME.tell(PickingEnded((), ("N10", "N31", "N13", "N14")), played.state, "fr")
    assert line.replace(NBSP, " ") == "Rien ne va avec les dés : 4 tuiles défaussées."


def test_the_story_of_a_pass_says_whether_tiles_or_breeders_were_declined() -> None:
    played = match_with_hands(["N03"], ["N02", "N10"])
    played.all_play("place N03 1E r3", "place N02 1N", "pass")
    assert what_is_told(played, "fr")[-1] == "{1} garde ses éleveurs."
    picking = Played(2, ALICE, ["N11", "N12", "N16", "N20"], ("Y", 3))
    picking.play("pass")
    assert what_is_told(picking, "en")[-1] == "{1} takes no more tiles."


def test_the_story_tells_a_shared_victory() -> None:
    before = Played(2, ALICE, ["N11"], ("Y", 3)).state
    line = GAME.tell(Ended("stock", (3, 3), (0, 1)), before, "fr")
    assert line.replace(NBSP, " ").endswith("{0} et {1} gagnent avec 3 points.")
    assert GAME.tell(Ended("stock", (3, 3), (0, 1)), before, "en").endswith("{0} and {1} win with 3 points.")


def test_move_labels_describe_the_whole_move_and_the_pond_it_closes() -> None:
    played = match_with_hands(["N03"], ["N02"])
    own = played.fold_of(ALICE)
    assert GAME.label(Place("N03", "1E", 3), own, "fr") == "Vous posez {N03} en 1E, tournée de 270°."
    played.play("place N03 1E r3")
    own = played.fold_of(BOB)
    assert GAME.label(Place("N02", "1N", 0), own, "fr").replace(NBSP, " ") == (
        "Vous posez {N02} en 1N et fermez un bassin (2 points)."
    )
    assert GAME.label(Place("N02", "1N", 2), own, "en") == "You lay {N02} at 1N (180°) and close a pond (3 points)."
    played.play("place N02 1N")
    own = played.fold_of(BOB)
    assert GAME.label(Claim("0.E"), own, "en") == ("You place a breeder on the pond at 0, north side: 2 points.")
    assert GAME.label(Pass(), own, "en") == "You keep your breeders."


def test_move_labels_name_the_point_that_an_unmatched_tile_costs() -> None:
    played = Played(2, ALICE, ["N10", "N11", "N31", "N13"], ("Y", 3), "grab")
    own = played.fold_of(BOB)
    assert GAME.label(Take("N10"), own, "en") == "You take {N10}: it does not match the dice and costs a point."
    assert GAME.label(Take("N11"), own, "fr").replace(NBSP, " ") == "Vous prenez {N11} : 1 jaune."
    steps = {(tile, lang): GAME.path(Take(tile), own, lang)[0].label for tile in NAMES[9:11] for lang in LANGS}
    assert steps["N10", "en"] == "Take {N10} (−1)"
    assert steps["N10", "fr"] == "Prendre {N10} (−1)"
    assert steps["N11", "en"] == "Take {N11}"


def test_the_steps_of_each_move_are_safe_in_urls() -> None:
    played = match_with_hands(["N03"], ["N02"])
    own = played.fold_of(ALICE)
    steps = GAME.path(Place("N03", "3W1S", 1), own, "fr")
    assert [s.text for s in steps] == ["lay-N03", "at-3W1S", "turn-1"]
    assert [s.label for s in steps] == ["Poser {N03}", "En 3O1S", "Tournée de 90°"]
    played.all_play("place N03 1E r3", "place N02 1N")
    own = played.fold_of(BOB)
    assert [s.text for s in GAME.path(Claim("0.E"), own, "en")] == ["claim-0.N"]
    assert [s.text for s in GAME.path(Pass(), own, "en")] == ["pass"]


def test_the_board_in_words_is_enough_to_play() -> None:
    played = match_with_hands(["N03"], ["N02", "N19"])
    played.all_play("place N03 1E r3", "place N02 1N")
    lines = GAME.describe(played.fold_of(BOB), BOB, "en")
    assert lines == (
        "Round 1: {0} rolled the dice, yellow carp and 5. Stock: 65.",
        "{1} may place a breeder.",
        "{1} (seat B, you): 0 points, 4 breeders left, {N19} (water N+E: 2 yellow and 1 heron).",
        "{0} (seat A): 0 points, 4 breeders left.",
        "Row: 1N {N02}.",
        "Row: 0 {I}, 1E {N03} r3.",
        "Free closed pond at 0, north side: 2 yellow (2 points).",
        "Open pond: 1 white and 1 yellow (2 points); it opens on 2N (water to the south).",
        "Open pond: no animals (0 points); it opens on 1W (water to the east), 1S (water to the north).",
    )


def test_the_board_in_words_lists_the_tiles_that_can_be_taken() -> None:
    played = Played(2, ALICE, ["N10", "N19"], ("Y", 3), "grab")
    lines = [line.replace(NBSP, " ") for line in GAME.describe(played.fold_of(BOB), BOB, "fr")]
    assert "À prendre : {N10} (eau N+E : 1 blanche) ; ne va pas avec les dés." in lines
    assert "À prendre : {N19} (eau N+E : 2 jaunes et 1 échassier)." in lines
    assert "Tous prennent des tuiles à la fois." in lines


@cases("tile", sorted(PRINTED))
def test_the_description_of_a_tile_gives_every_side_and_its_animals(tile: str) -> None:
    """A reader without the picture must know how to lay it: parsed again, the words give the tile."""
    edges, living = ["."] * 4, []
    for letter, part in zip(
        "abcd", waters_of_tile_in_words(tile, "fr").removeprefix("eau ").split(" ; "), strict=False
    ):
        sides, animals = part.split(" : ")
        living.append(animals)
        for side in sides.split("+"):
            edges["NESO".index(side)] = letter
    assert ("".join(edges), living) == (
        PRINTED[tile][0],
        [animals_in_words(count_animals(a), "fr") for a in PRINTED[tile][1]],
    )


def test_the_board_in_words_names_the_seats_that_have_passed() -> None:
    played = Played(2, ALICE, ["N11", "N12", "N16", "N20"], ("Y", 3), "grab")
    played.play("pass", ALICE)
    assert "{0} (seat A): 0 points, 4 breeders left, takes no more tiles." in GAME.describe(played.state, BOB, "en")
    played.all_play("take N11", "take N12")
    assert not [line for line in GAME.describe(played.state, BOB, "en") if "no more" in line]


# --- for all matches ---------------------------------------------------------------------------------------


@cases("lang", LANGS)
def test_every_story_line_has_words_and_names_only_existing_pieces(lang: Lang) -> None:
    for table in sample_tables(GAME):
        before = None
        for entry in table.entries:
            line = GAME.tell(entry.event, before, lang)
            if line or not isinstance(entry.event, PickingEnded):
                check_phrase(table, line, lang)
            before = GAME.evolve(before, entry.event)


def test_every_tile_of_niigata_has_a_symbol() -> None:
    assert set(GAME.meta.marks) == {"I", *NAMES} == set(PRINTED)


def test_the_pad_of_a_mail_is_the_map_with_a_sign_where_a_pond_can_close() -> None:
    played = match_with_hands(["N03"], ["N02", "N10"])
    played.play("place N03 1E r3")
    fold = played.fold_of(BOB)
    (ask,) = GAME.pending(fold)
    pad = GAME.pad(ask, fold, "fr")
    assert [[cell.text for cell in row] for row in pad.places] == [
        ["", "1O", "0", "1E", "2E"],
        ["1N", "", "●", "●", ""],
        ["0", "+", "■", "■", "●"],
        ["1S", "", "+", "●", ""],
    ]
    steps = [[step.text for step in cell.steps] for row in pad.places for cell in row if cell.steps]
    assert steps == [["lay-N02", f"at-{cell}"] for cell in ("1N", "1E1N", "1W", "2E", "1S", "1E1S")]
    assert [cell.steps is None for row in pad.rows for cell in row] == [True, False], "the other tile is one link"


def test_the_pad_of_a_very_large_map_has_the_tiles_alone() -> None:
    fold = match_with_hands(["N03", "N10"], ["N02"]).fold_of(ALICE)
    (ask,) = GAME.pending(fold)
    wide = replace(fold, frontier=dict.fromkeys((f"{n}E" for n in range(1, 42)), ("", "", "", "")))
    pad = GAME.pad(ask, wide, "en")
    assert not pad.places
    assert len(pad.rows[0]) == 2


# --- in the strip of a seat's page ---------------------------------------------------------------------------

MOST_TOLD = 62


@cases("lang", LANGS)
def test_the_title_of_each_question_fits_one_line_of_a_phone(lang: Lang) -> None:
    assert [ask.title[lang] for ask in GAME.meta.asks.values() if len(ask.title[lang]) > MOST_TITLE] == []


@pytest.mark.long
@cases("lang", LANGS)
def test_questions_and_chosen_moves_fit_two_lines_of_a_phone(lang: Lang) -> None:
    found = [(kind, text) for kind, text in questions_of_matches(GAME, lang) if length_of_phrase(text) > MOST_ASKED]
    assert found == []


@pytest.mark.long
@cases("lang", LANGS)
def test_a_line_of_the_story_fits_two_lines_of_the_strip(lang: Lang) -> None:
    lines = [*story_of_matches(GAME, lang)]
    assert [text for _, text in lines if length_of_phrase(text) > MOST_TOLD] == []
    assert len({kind for kind, _ in lines}) > 7


# --- the cards of important news --------------------------------------------------------------------------------

HEADS = ("", "Breeders", "Points")


def test_when_the_stock_runs_out_a_news_card_announces_the_last_round() -> None:
    ends = "The stock is empty: the match ends after this round."
    table = (HEADS, *((f"{{{seat}}}", "4", "0") for seat in range(3)))
    last = Card("Last round", (ends,), table)
    for stock, cards in ((0, [last]), (1, [])):
        played = Played(display=("N01", "N02"), stock=stock)
        assert cards_shown(GAME, played.events, ALICE, "en") == cards


def test_the_news_card_of_the_last_round_in_french() -> None:
    (card,) = cards_shown(GAME, Played(display=("N01",), stock=0).events, CHARLIE, "fr")
    assert (card.title, card.lines) == ("Dernier tour", ("La pioche est vide : la partie finit après ce tour.",))
    assert card.table[0] == ("", "Éleveurs", "Points")


def card_of_claim(viewer: Viewer, breeders: tuple[int, ...]) -> Card | None:
    """The card when Bob places a breeder on a closed pond; `breeders` are those left before it."""
    state = Played(display=("N01", "N02")).state
    name, pond = next(iter(state.ponds.items()))
    ponds = {**state.ponds, name: replace(pond, open=0, animals=(1, 0, 0, 0))}
    before = replace(state, ponds=ponds, free=(name,), phase="claim", active=BOB, breeders=breeders)
    assert GAME.card is not None
    return GAME.card(Claimed(BOB, name), before, viewer, "en")


def test_a_seats_last_breeder_is_a_news_card_for_all_others() -> None:
    card = card_of_claim(ALICE, (2, 1, 0))
    assert card is not None
    assert card == Card(
        "{1} has no breeder left",
        ("The match ends once all breeders are placed.",),
        (HEADS, ("{1}", "0", "3"), ("{0}", "2", "0"), ("{2}", "0", "0")),
    )
    assert card_of_claim(CHARLIE, (2, 1, 0)) == card
    assert card_of_claim(BOB, (2, 1, 0)) is None


def test_other_breeders_and_the_one_ending_the_match_have_no_news_card() -> None:
    assert card_of_claim(ALICE, (2, 2, 0)) is None
    assert card_of_claim(ALICE, (0, 1, 0)) is None


def test_a_throw_with_tiles_left_has_no_news_card() -> None:
    played = Played(display=("N01", "N02"))
    assert GAME.card is not None
    assert GAME.card(Thrown(ALICE, "Y", 5, ("N03",)), replace(played.state, phase="between"), ALICE, "en") is None
