"""What a verdict on a log says, in both languages: what is wrong with the log, and what nothing ties.

`verdict` fills in the facts.
"""

from collections.abc import Mapping

from pbem.kit.logs.chain import SHORT
from pbem.kit.texts import Text

ENOUGH = 10
"""No more problems are reported: a forged log could otherwise cause any amount of work."""

NOT_CHECKED: Mapping[str, Text] = {
    "players": Text(
        fr="que ces coups sont bien ceux des joueurs",
        en="whether the players made these moves",
    ),
    "bots": Text(
        fr="ce que les robots ont choisi : tout coup permis passe",
        en="what the bots chose: any legal move passes",
    ),
    "times": Text(
        fr="les dates et heures des entrées : elles sont ce que dit l’hôte",
        en="the times of the entries: they are what the host says",
    ),
    "via": Text(
        fr="par quelle voie chaque coup est arrivé : c’est ce que dit l’hôte",
        en="how each move was entered: that is what the host says",
    ),
    "table": Text(
        fr="ce qui est dit de la table (absences, congés, places reprises, abandons et la fin qui en résulte) : "
        "c’est ce que dit l’hôte",
        en="what is said of the table (absences, holidays, seats taken over, resignations and the end that they led "
        "to): that is what the host says",
    ),
    "takebacks": Text(
        fr="si tous étaient d’accord pour reprendre des coups : ce qui suit une reprise est tiré de nouveau",
        en="whether everybody agreed to take moves back: what follows is drawn anew",
    ),
    "closed_seals": Text(
        fr="ce que recouvrent les sceaux que ce journal n’ouvre pas",
        en="what stands under the seals that this log does not open",
    ),
    "words": Text(
        fr="si les mots porte-bonheur sont bien ceux des joueurs : chacun compare le sien",
        en="whether the lucky words are the players’ own: each compares theirs",
    ),
    "collusion": Text(
        fr="si l’hôte et la dernière personne à s’asseoir étaient de mèche : ensemble, ils peuvent choisir la donne",
        en="whether the host and the last person to sit down were in league: together they can choose the deal",
    ),
    "table_luck": Text(
        fr="si ce qui est dit de la tablée a déplacé des tirages, comme ce format le permet",
        en="whether what is said of the table moved draws, as this format allows",
    ),
    "seed_choice": Text(
        fr="comment la graine a été choisie : le serveur l’a tirée seul",
        en="how the seed was chosen: the server alone drew it",
    ),
}
"""What `verify` may not have checked, by its name in the API; see `Verdict.not_checked`."""

NOT_FULL = Text(
    fr="ce journal ne peut pas être vérifié : seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    en="this log cannot be checked: only the full log of a finished match, with its seed, can be verified",
)
BEFORE_THE_END = Text(
    fr="ce journal ne peut pas être vérifié avant la fin : "
    "seul le journal complet d’une partie finie, avec sa graine, se vérifie",
    en="this log cannot be checked before the end: "
    "only the full log of a finished match, with its seed, can be verified",
)
SEALED = Text(
    fr="ce journal ne peut pas encore être vérifié : ses secrets sont gardés jusqu’au {until}",
    en="this log cannot be checked yet: its secrets are kept until {until}",
)
SEALED_DEAL = Text(
    fr="ce journal ne peut pas être vérifié avant la fin de la dernière table de sa donne : "
    "d’ici là, ses secrets sont gardés",
    en="this log cannot be checked before the last table of its deal is over: until then its secrets are kept",
)
NEVER = Text(
    fr="ce journal ne peut pas être vérifié : la partie a été arrêtée, et sa graine n’est alors jamais révélée",
    en="this log cannot be checked: the match was called off, and then its seed is never revealed",
)
OTHER_COMMITMENT = Text(
    fr="l’empreinte n’est pas celle qui a été donnée : dans le journal, ses {digits} chiffres sont {has}",
    en="the commitment is not the one that was given: in the log its {digits} digits are {has}",
)
FIRST_DIGITS = Text(fr=f"{SHORT} premiers", en=f"first {SHORT}")
OTHER_SEED = Text(
    fr="la graine n’est pas celle qui avait été engagée",
    en="the seed is not the one that was committed to",
)
NO_SUCH_MARK = Text(
    fr="aucune étape de ce journal ne porte cette marque : c’est un autre journal, ou il a été changé",
    en="no step of this log has this mark: it is another log, or it was changed",
)
NO_SUCH_WORD = Text(
    fr="aucune place de ce journal n’a le mot qui a été donné",
    en="no seat of this log has the word that was given",
)
NO_WORDS = Text(
    fr="un journal de ce format n’a pas de mots porte-bonheur",
    en="a log of this format has no lucky words",
)
NO_CHAIN = Text(
    fr="un journal de ce format n’a pas de marques",
    en="a log of this format has no marks",
)
OTHER_HEAD = Text(
    fr="ses entrées ne mènent pas à la marque que donne son en-tête",
    en="its entries do not lead to the mark that its header gives",
)
BROKEN_SEAL = Text(
    fr="ce qui y est montré n’est pas ce qui avait été scellé ({path})",
    en="what it shows is not what was sealed ({path})",
)
STOPPED = Text(
    fr=f"après {ENOUGH} problèmes, on n’a plus regardé la suite",
    en=f"after {ENOUGH} problems the rest was not looked at",
)
NO_END = Text(
    fr="les règles ne savent pas dire comment elle finit ({error})",
    en="the rules cannot say how it ends ({error})",
)
CUT_OFF = Text(
    fr="le journal s’arrête ici, la partie n’est pas finie",
    en="the log is cut off here, the match has not ended",
)
CALLED_OFF = Text(
    fr="la partie a été arrêtée ici, et pourtant elle a continué ou était finie",
    en="the match was called off here, and yet it went on or had ended",
)
WENT_ON = Text(
    fr="la partie s’est terminée ici, et pourtant elle a continué ou était déjà finie",
    en="the match ended here, and yet it went on or had ended before",
)
OTHER_END = Text(
    fr="la partie ne s’est pas terminée ainsi : les abandons du journal disent autre chose",
    en="the match did not end like this: the resignations in the log say otherwise",
)
REOPENED = Text(
    fr="la partie était finie, et des coups ont pourtant été repris",
    en="the match had ended, and yet moves were taken back",
)
NO_DECISION = Text(
    fr="les règles ne peuvent rien décider ici ({error})",
    en="the rules cannot decide here ({error})",
)
UNEXPLAINED = Text(
    fr="ni un coup permis ni la graine ne donnent ces événements",
    en="neither a legal move nor the seed gives these events",
)
OTHER_CHOICE = Text(
    fr="ce robot n’aurait pas choisi ce coup",
    en="this bot would not have chosen this move",
)
