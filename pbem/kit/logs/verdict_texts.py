"""What a verdict on a log says, in both languages: what is wrong with the log, and what nothing ties.

`verdict` fills in the facts.
"""

from collections.abc import Mapping

from pbem.kit.logs.chain import SHORT
from pbem.kit.texts import Text

ENOUGH = 10
"""No more problems are reported: a forged log could otherwise cause any amount of work."""

NOT_CHECKED: Mapping[str, Text] = {
    "players": Text("que ces coups sont bien ceux des joueurs", "whether the players made these moves"),
    "bots": Text("ce que les robots ont choisi : tout coup permis passe", "what the bots chose: any legal move passes"),
    "times": Text(
        "les dates et heures des entrées : elles sont ce que dit l’hôte",
        "the times of the entries: they are what the host says",
    ),
    "via": Text(
        "par quelle voie chaque coup est arrivé : c’est ce que dit l’hôte",
        "how each move was entered: that is what the host says",
    ),
    "table": Text(
        "ce qui est dit de la table (absences, congés, places reprises, abandons et la fin qui en résulte) : "
        "c’est ce que dit l’hôte",
        "what is said of the table (absences, holidays, seats taken over, resignations and the end that they led "
        "to): that is what the host says",
    ),
    "takebacks": Text(
        "si tous étaient d’accord pour reprendre des coups : ce qui suit une reprise est tiré de nouveau",
        "whether everybody agreed to take moves back: what follows is drawn anew",
    ),
    "closed_seals": Text(
        "ce que recouvrent les sceaux que ce journal n’ouvre pas",
        "what stands under the seals that this log does not open",
    ),
    "words": Text(
        "si les mots porte-bonheur sont bien ceux des joueurs : chacun compare le sien",
        "whether the lucky words are the players’ own: each compares theirs",
    ),
    "collusion": Text(
        "si l’hôte et la dernière personne à s’asseoir étaient de mèche : ensemble, ils peuvent choisir la donne",
        "whether the host and the last person to sit down were in league: together they can choose the deal",
    ),
    "table_luck": Text(
        "si ce qui est dit de la tablée a déplacé des tirages, comme ce format le permet",
        "whether what is said of the table moved draws, as this format allows",
    ),
    "seed_choice": Text(
        "comment la graine a été choisie : le serveur l’a tirée seul",
        "how the seed was chosen: the server alone drew it",
    ),
}
"""What `verify` may not have checked, by its name in the API; see `Verdict.not_checked`."""

NOT_FULL = Text(
    "ce journal ne peut pas être vérifié : seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    "this log cannot be checked: only the full log of a finished match, with its seed, can be verified",
)
BEFORE_THE_END = Text(
    "ce journal ne peut pas être vérifié avant la fin : "
    "seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    "this log cannot be checked before the end: only the full log of a finished match, with its seed, can be verified",
)
SEALED = Text(
    "ce journal ne peut pas encore être vérifié : ses secrets sont gardés jusqu’au {until}",
    "this log cannot be checked yet: its secrets are kept until {until}",
)
SEALED_DEAL = Text(
    "ce journal ne peut pas être vérifié avant la fin de la dernière table de sa donne : "
    "d’ici là, ses secrets sont gardés",
    "this log cannot be checked before the last table of its deal is over: until then its secrets are kept",
)
NEVER = Text(
    "ce journal ne peut pas être vérifié : la partie a été arrêtée, et sa graine n’est alors jamais révélée",
    "this log cannot be checked: the match was called off, and then its seed is never revealed",
)
OTHER_COMMITMENT = Text(
    "l’empreinte n’est pas celle qui a été donnée : dans le journal, ses {digits} chiffres sont {has}",
    "the commitment is not the one that was given: in the log its {digits} digits are {has}",
)
FIRST_DIGITS = Text(f"{SHORT} premiers", f"first {SHORT}")
OTHER_SEED = Text("la graine n’est pas celle qui avait été engagée", "the seed is not the one that was committed to")
NO_SUCH_MARK = Text(
    "aucune étape de ce journal ne porte cette marque : c’est un autre journal, ou il a été changé",
    "no step of this log has this mark: it is another log, or it was changed",
)
NO_SUCH_WORD = Text(
    "aucune place de ce journal n’a le mot qui a été donné", "no seat of this log has the word that was given"
)
NO_WORDS = Text("un journal de ce format n’a pas de mots porte-bonheur", "a log of this format has no lucky words")
NO_CHAIN = Text("un journal de ce format n’a pas de marques", "a log of this format has no marks")
OTHER_HEAD = Text(
    "ses entrées ne mènent pas à la marque que donne son en-tête",
    "its entries do not lead to the mark that its header gives",
)
BROKEN_SEAL = Text(
    "ce qui y est montré n’est pas ce qui avait été scellé ({path})", "what it shows is not what was sealed ({path})"
)
STOPPED = Text(
    f"après {ENOUGH} problèmes, on n’a plus regardé la suite", f"after {ENOUGH} problems the rest was not looked at"
)
NO_END = Text(
    "les règles ne savent pas dire comment elle finit ({error})", "the rules cannot say how it ends ({error})"
)
CUT_OFF = Text("le journal s’arrête ici, la partie n’est pas finie", "the log is cut off here, the match has not ended")
CALLED_OFF = Text(
    "la partie a été arrêtée ici, et pourtant elle a continué ou était finie",
    "the match was called off here, and yet it went on or had ended",
)
WENT_ON = Text(
    "la partie s’est terminée ici, et pourtant elle a continué ou était déjà finie",
    "the match ended here, and yet it went on or had ended before",
)
OTHER_END = Text(
    "la partie ne s’est pas terminée ainsi : les abandons du journal disent autre chose",
    "the match did not end like this: the resignations in the log say otherwise",
)
REOPENED = Text(
    "la partie était finie, et des coups ont pourtant été repris", "the match had ended, and yet moves were taken back"
)
NO_DECISION = Text("les règles ne peuvent rien décider ici ({error})", "the rules cannot decide here ({error})")
UNEXPLAINED = Text(
    "ni un coup permis ni la graine ne donnent ces événements", "neither a legal move nor the seed gives these events"
)
OTHER_CHOICE = Text("ce robot n’aurait pas choisi ce coup", "this bot would not have chosen this move")
