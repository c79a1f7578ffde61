"""The words on the board of Hogen, and what calls are called."""

from pbem.kit.words import T

# --- on the board ------------------------------------------------------------------------------------------

SEEN_BY = T("Plateau de Hogen vu par *", "Hogen board as * sees it")
SEEN_BY_ALL = T("Plateau de Hogen, toutes les cartes ouvertes", "Hogen board, all cards open")
SEEN_BY_PUBLIC = T("Plateau de Hogen vu par un spectateur", "Hogen board as a spectator sees it")
PALACE = T("Palais", "Palace")
HAND = T("main", "hand")
ALLY = T("alliée", "ally")
OUT = T("hors jeu", "out")
CHOOSING = T("choisit encore", "still choosing")
CALLING = T("appelle", "calls")
PASSES = T("passe", "passes")
IS_ASKED = T("joue", "to play")
IS_ANSWERING = T("répond", "answers")
YOUR_HAND_OUT = T("Votre main (hors jeu)", "Your hand (out)")
YOUR_ALLY = T("Votre alliée", "Your ally")
ALL_CHOOSE = T("chacun choisit son alliée", "everybody chooses an ally")
NOBODY_WINS = T("personne ne gagne", "nobody wins")
UNANSWERED = T("sans réponse", "unanswered")
DECLARE = T("déclarer", "declare")
HIDES = T("cache", "hides")
IN_PALACE = T("au palais", "palace")
YOURS = T("à vous", "yours")
GUESSED = T("* ?", "*?")
PAD = T("Appels et alliées", "Calls and allies")
YOU_CHOOSE = T("choisissez votre alliée", "choose your ally")
YOU_CALL = T(
    "appelez un clan, un rang\nou une carte, ou bien\ndéclarez les alliées",
    "call for a clan, a rank\nor a card, or declare\neveryone’s ally",
)
YOU_ANSWER = T("posez une carte et\nprenez-en une au palais", "lay a card and take\none from the palace")
YOU_ARE_OUT = T("vous êtes hors jeu", "you are out")

# Beside the viewer's own ally, line by line.
HIDDEN = T("cachée\naux\nautres", "hidden\nfrom\nothers")
REVEALED = T("montrée\nà tous", "shown\nto all")
TO_CHOOSE = T("à\nchoisir", "to be\nchosen")
NEVER_CHOSEN = T("jamais\nchoisie", "never\nchosen")

# What is said to the viewer, and about somebody else, whose name replaces the *; … is what is called.
CALLS = (T("vous appelez …", "you call for …"), T("* appelle …", "* calls for …"))
ANSWERS = (T("à vous de répondre", "you must answer"), T("à * de répondre", "* must answer"))
