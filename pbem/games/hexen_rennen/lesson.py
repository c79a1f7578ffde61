"""The lesson of Hexen Rennen: four turns of three players, in which tiles and cards carry witches on and back."""

from pbem.kit.contract import Lesson
from pbem.kit.words import T, lesson_step

LESSON = Lesson(
    # Dealt so that within four turns the reader meets a number of their own, their own symbol and another's, and
    # another's witch comes to theirs.
    seed=f"{36214:064x}",
    seats=3,
    before=((1, "divide 3 6 9 / 4 7 10 / 2 5 8"), (2, "divide 4 5 6 / 2 8 9 / 3 7 10")),
    steps=(
        lesson_step(
            "Vos sorcières à l’arrivée marquent : le plus de points gagne. D’abord, mettez le 8 à l’étape 1.",
            "Witches in the goal score: most points win. First give each stage three numbers: the 8 to stage 1.",
            "1-8",
            given=("1-2", "1-5", "2-6", "2-9", "3-3", "3-4"),
            tap=T("Mettre le 8 à l’étape 1", "Put the 8 into stage 1"),
        ),
        lesson_step(
            "Vos nombres font avancer vos sorcières, mais jamais après 48. Mettez donc le 10 à l’étape 2.",
            "Your numbers carry your witches on, but never past 48. So put the 10 into stage 2.",
            "2-10",
            tap=T("Mettre le 10 à l’étape 2", "Put the 10 into stage 2"),
        ),
        lesson_step(
            "Le dé donne 6 : une de vos sorcières (A) vole de 6 tuiles. Touchez celle de la tuile 6.",
            "You rolled 6: one of your witches (A) flies 6 tiles. Tap her on tile 6.",
            "fly-6",
            then=((1, "fly 4"), (2, "fly 0")),
            tap=T("Voler de 6 à 12", "Fly from 6 to 12"),
        ),
        lesson_step(
            "Votre {A8} l’a portée de 8. Touchez le départ : on saute les tuiles occupées.",
            "Your {A8} carried her on by 8. Tap the start: occupied tiles are skipped.",
            "fly-0",
            tap=T("Partir, et aller en 9", "Fly from the start to 9"),
        ),
        lesson_step(
            "Elle est sur votre symbole, la lune : une carte la fait avancer, et ne sert qu’une fois. Jouez 7.",
            "She is on your symbol, the moon: a card moves her on, then it is gone for good. Play 7.",
            "card-7",
            then=((1, "fly 8"), (2, "fly 5")),
            tap=T("Jouer la carte 7 : de 9 à 16", "Play card 7: from 9 to 16"),
        ),
        lesson_step(
            "{B3} n’est pas à vous : rien ne se passe. Lancez votre troisième sorcière.",
            "{B3} is not yours: nothing happens. You rolled 5: send your third witch off.",
            "fly-0",
            then=((2, "play 4"), (1, "fly 12"), (2, "fly 4")),
            tap=T("Partir, et aller en 7", "Fly from the start to 7"),
        ),
        lesson_step(
            "Sur {CS}, une carte l’a renvoyée en 3. Voici {2} sur votre lune : renvoyez-la avec 5.",
            "On {CS}, a card sent her back to 3. Now {2} is on your moon: send her back with 5.",
            "card-5",
            tap=T("Jouer la carte 5 : de 9 à 4", "Play card 5: from 9 to 4"),
        ),
        lesson_step(
            "Le dé donne 6. Avec celle qui est en 3, vous retrouvez votre lune : touchez-la.",
            "You rolled 6: your witch on 3 reaches your moon again. Tap her.",
            "fly-3",
            tap=T("Voler de 3 à 9", "Fly from 3 to 9"),
        ),
        lesson_step(
            "Une carte lune mène à une autre lune visible : aucune ici. Gardez vos cartes.",
            "A moon card leads to another moon in sight: none yet. Keep your cards.",
            "leave",
        ),
        lesson_step(
            "Arrivez au nombre exact : votre troisième sorcière finit la course. {DS}, neutre, tire une carte.",
            "Reach the goal by the exact number: your third witch there ends it. {DS}, neutral, draws a card.",
        ),
    ),
)
