"""The lesson of Niigata: a first round of two players, in which the reader closes a pond and spoils another."""

from pbem.kit.contract import Lesson
from pbem.kit.words import T, lesson_step

LESSON = Lesson(
    # The other player rolls first, so the reader takes first; all four tiles match the dice, one is a lone heron.
    seed=f"{62:064x}",
    seats=2,
    steps=(
        lesson_step(
            "Le plus de points gagne : placez vos éleveurs sur des bassins clos, pleins de carpes.",
            "Most points win: place your breeders on closed ponds full of carp to score.",
        ),
        lesson_step(
            "Dés : blanc et 4. {N04} a des carpes blanches, et 4 animaux au plus.",
            "Dice: white and 4. {N04} has white carp, and at most 4 animals.",
            "take-N04",
            then=((1, "take N05"),),
        ),
        lesson_step(
            "Deux tuiles par tour. Un échassier seul va avec tous les dés.",
            "You may take two tiles a round. A lone heron matches any dice.",
            "take-N60",
            then=((1, "take N46"), (1, "place N05 1E r3")),
        ),
        lesson_step(
            "Ensuite chacun pose ses tuiles, une à la fois. {1} a commencé.",
            "Then everyone lays their tiles, one at a time. {1} has begun.",
            "lay-N04",
        ),
        lesson_step(
            "Le bassin du milieu a des carpes, et reste ouvert vers 1N.",
            "The pond in the middle has got carp, and is still open towards 1N.",
            "at-1N",
            tap=T("La poser en 1N", "Lay it at 1N"),
        ),
        lesson_step(
            "Tournez-la vers ce bassin : plus aucun de ses côtés n’est ouvert, il est clos.",
            "Rotate it so that its water meets that pond. With no side open, the pond is closed.",
            "turn-2",
            tap=T("La tourner de 180°", "Rotate it 180°"),
        ),
        lesson_step(
            "Votre éleveur prend ce bassin. Une couleur compte : ses blanches à 2 points (rouge 3, jaune 1).",
            "Your breeder takes this pond. One colour scores: its white carp, 2 points each (red 3, yellow 1).",
            "claim-0.N",
            then=((1, "place N46 1E1N r1"),),
            tap=T("Placer un éleveur : 6 points", "Place a breeder: 6 points"),
        ),
        lesson_step(
            "{1} prépare un bassin à deux blanches, ouvert vers 2E1N. Gâchez-le avec votre échassier !",
            "{1} is building a pond with two white carp, open at 2E1N. Spoil it with your heron!",
            "at-2E1N",
            tap=T("Le poser en 2E1N", "Lay it at 2E1N"),
        ),
        lesson_step(
            "Tournez l’échassier vers ce bassin : il y mange la couleur la plus nombreuse.",
            "Rotate the heron into that pond: there it eats the colour with the most carp.",
            "turn-3",
            tap=T("Le tourner de 270°", "Rotate it 270°"),
        ),
        lesson_step(
            "Clos, mais sans valeur : gardez vos éleveurs. Quand tous ont placé les leurs, la partie finit.",
            "Closed, but worth nothing now: keep your breeders. The match ends once everyone has placed theirs.",
            "pass",
            tap=T("Ne pas placer d’éleveur", "Place no breeder"),
        ),
    ),
)
