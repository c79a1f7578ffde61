"""What people type in Niigata, and which tiles a text may name."""

from typing import Any

from hypothesis import strategies as st

from pbem.games.niigata.facts import Claim, Pass, Place, Take
from pbem.games.niigata.facts_tiles import NAMES, cell_name
from tests.games.discovered import things_in

tiles = st.sampled_from(NAMES)
near, anywhere = (st.builds(cell_name, st.integers(-far, far), st.integers(-far, far)) for far in (3, 99))
cells = near | anywhere
MOVES = st.one_of(
    st.builds(Take, tiles),
    st.builds(Pass),
    st.builds(Place, tiles, cells, st.integers(0, 3)),
    st.builds(Claim, st.builds("{}.{}".format, cells, st.sampled_from("NESW"))),
)

HINT = {"fr": "prends N20", "en": "take N20"}

FRAGMENTS = ("0", "3W1S", "-3,1", "turned 90", "half turn", "W3S1", "3O1S", "tournée 90", "demi-tour", "O3S1")
UNSEEN = ()


def marks_known(fold: Any) -> set[str]:
    """Every tile that the fold knows: those in the stock are hidden from all."""
    return things_in(fold, {"I", *NAMES})


def marks_spoken(fold: Any) -> set[str]:
    """None: a tile is named where it lies."""
    return set()


SPELLINGS = {
    "take N20": "take N20",
    "N20": "take N20",
    "n 20": "take N20",
    "Je prends la tuile N7.": "take N07",
    "I take the tile 20": "take N20",
    "grab n20": "take N20",
    "pass": "pass",
    "Je passe": "pass",
    "stop": "pass",
    "J’arrête": "pass",
    "pas d’éleveur": "pass",
    "no breeder": "pass",
    "je ne prends rien": "pass",
    "place N20 3W1S r1": "place N20 3W1S r1",
    "PLACE n20 3w1s R1": "place N20 3W1S r1",
    "place N20 -3,1 r1": "place N20 3W1S r1",
    "place N20 (−3, 1), r1": "place N20 3W1S r1",
    "pose N20 3O1S": "place N20 3W1S r0",
    "je pose la tuile N20 en 3 ouest 1 sud, un quart de tour": "place N20 3W1S r1",
    "pose N20 1 sud 3 ouest demi-tour": "place N20 3W1S r2",
    "lay N20 at 2N turned 270 degrees": "place N20 2N r3",
    "lay N20 at 2 north half turned": "place N20 2N r2",
    "pose N20 2N trois quarts de tour": "place N20 2N r3",
    "pose N20 2N sans tourner": "place N20 2N r0",
    "place N20 2N rotation 2": "place N20 2N r2",
    "claim 3W1S N": "claim 3W1S N",
    "claim 3W1S.N": "claim 3W1S N",
    "éleveur 3O1S nord": "claim 3W1S N",
    "je mets un éleveur sur le bassin 3O1S, côté nord": "claim 3W1S N",
    "breeder on 0 east": "claim 0 E",
    "claim start W": "claim 0 W",
    "éleveur départ ouest": "claim 0 W",
    "pose un éleveur en 2N, côté est": "claim 2N E",
    "je passe mon tour": "pass",
    "non merci": "pass",
    "je m’arrête là": "pass",
    "don't claim": "pass",
    "fini": "pass",
    "place N20 1N not turned": "place N20 1N r0",
    "pose N20 1N pas tournée": "place N20 1N r0",
    "place N20 1N 90° clockwise": "place N20 1N r1",
    "pose N20 1N tournée de 90 degrés vers la droite, sens horaire": "place N20 1N r1",
    "place N20 W3 S1 r1": "place N20 3W1S r1",
    "place N20 S1W3": "place N20 3W1S r0",
    "pose N20 O3S1": "place N20 3W1S r0",
    "claim N1 west": "claim 1N W",
    "N20 3W1S r1": "place N20 3W1S r1",
    "N20 0,-1": "place N20 1N r0",
    "takeN20": "take N20",
    "poseN20 1Nr1": "place N20 1N r1",
    "claim 3W1SN": "claim 3W1S N",
    "éleveur 1NO": "claim 1N W",
    "claim 1EN": "claim 1E N",
    "pose la 20en 1N": "place N20 1N r0",
    "N20 please": "take N20",
}

UNCLEAR = (
    "",
    "hello",
    "take",
    "take N80",
    "take N00",
    "take N20 N21",
    "N",
    "place",
    "place N20",
    "place 3W1S",
    "place N20 3W1S r5",
    "place N20 3W1S r",
    "place N20 3W1S r1 r2",
    "place N20 3W100S",
    "place N20 3W1E",
    "claim",
    "claim 3W1S",
    "claim N",
    "claim 3W1S X",
    "claim 3W1S N E",
    "pass N20",
    "do not pass",
    "je ne passe pas",
    "not turned",
    "3W1S",
    "3W1",
    "N3W1",
    "N20 N21",
    "N20 N1",
    "place N20 1N 90 counter-clockwise",
    "place N20 1N contre le sens horaire 90",
)
