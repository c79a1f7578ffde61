"""The lesson of Hagakure: one round of three players that the reader wins with a banner, and the banner of the next."""

from pbem.kit.contract import Lesson
from pbem.kit.words import T, lesson_step

LESSON = Lesson(
    # Dealt so that the reader takes tricks by a villager, the highest samurai and the second Fool, and then has a hand
    # of villagers and a better Yomi.
    seed=f"{647527:064x}",
    seats=3,
    before=((1, "none"), (2, "zero")),
    steps=(
        lesson_step(
            "Un point par pli, −2 sans aucun. Après neuf manches, le plus de points gagne.",
            "One point a trick, −2 for none. After nine rounds, most points win.",
        ),
        lesson_step(
            "Vos samouraïs {S20} et {S22} sont forts : touchez ×2, vos points doublent.",
            "Your samurai {S20} and {S22} are strong: tap ×2 to double your points.",
            "double",
            then=((1, "play V15"), (2, "play V8")),
            tap=T("Jouer la bannière ×2", "Play the banner ×2"),
        ),
        lesson_step(
            "{1} entame d’un villageois : tout est permis. La plus haute carte gagne : {V17}.",
            "{1} led a villager: play anything. The highest card wins: {V17}.",
            "play-V17",
        ),
        lesson_step(
            "Entamez de {S22} : les autres doivent jouer un samouraï ou un Fou, s’ils en ont.",
            "Lead {S22}: the others must play a samurai or a Fool, if they have one.",
            "play-S22",
            then=((1, "play S19"), (2, "play S18")),
        ),
        lesson_step(
            "Le sceau de {S18} vaut un point de plus. Gardez {S20}, entamez de {V6}.",
            "The seal on {S18} is worth one more point. Keep {S20} and lead {V6}.",
            "play-V6",
            then=((1, "play V13"), (2, "play V9"), (1, "play S21"), (2, "play F")),
        ),
        lesson_step(
            "Un Fou seul vaut 0 ; à deux, le dernier joué prend le pli : jouez {F}.",
            "A lone Fool is worth 0; of two, the last one takes the trick: play {F}.",
            "play-F",
            then=((2, "none"),),
        ),
        lesson_step(
            "Quatre plis et le sceau : 5, doublés 10. {2} n’a aucun pli : sa bannière 0 lui évite −2.",
            "Four tricks and the seal: 5, doubled 10. {2} took none: the 0 banner spares the −2.",
        ),
        lesson_step(
            "Mauvaise main ! Échangez-la contre le Yomi, cinq cartes non distribuées.",
            "A bad hand! Swap it for the Yomi, five cards that no one was dealt.",
            "swap",
            tap=T("Échanger votre main contre le Yomi", "Swap your hand for the Yomi"),
        ),
        lesson_step(
            "Une fois chacune : +2 si vous prenez quatre villageois, l’œil pour voir une main.",
            "Use each banner once: +2 if you take four villagers, the eye to see a hand.",
        ),
    ),
)
