"""The rules of Hexen Rennen: who is asked, what comes by itself, and all that describes it and its moves.

Which moves are legal, and why others are not, stands in `facts`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pbem.games.hexen_rennen import facts, notation, words
from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen.facts import DIVISIONS, Choose, Fly, HexenOptions, Leave, Play
from pbem.kit.answers import rows_of
from pbem.kit.assemble import kinds_in
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Ask, Candidate, Cell, DrawKind, Mark, Outcome, Pad, Phrase
from pbem.kit.game.facts import Event
from pbem.kit.game.knowing import Knows
from pbem.kit.game.moves import Move, Question
from pbem.kit.game.rules import Game
from pbem.kit.texts import Lang, OptionText, Text
from pbem.kit.words import T, put_in, say


def prompt_free_or_obliged(free: Text, obliged: Text) -> Callable[[race.State, int, Lang], Phrase]:
    """Says the one, or the other to who must play a card (5.6)."""
    return lambda s, seat, lang: (obliged if s.obliged else free)[lang].format(s=s)


class Race(Game):
    """What `Meta` and the layer are told; the methods below are the rules. Orders are added in `orders`."""

    slug, title, seats, minutes = "hexen-rennen", T("Hexen Rennen", "Hexen Rennen"), (2, 3, 4), 45
    blurb = T(
        "Menez vos trois sorcières au but, et faites reculer celles des autres.",
        "Race your three witches home, and send the others’ back.",
    )
    state, moves, events = race.State, kinds_in(facts, Move), kinds_in(facts, Event)
    questions = {
        "clan": Question(
            T("Choisissez votre clan", "Choose your clan"),
            prompt=T(
                "Un des clans qui restent ; premier arrivé, premier servi.",
                "One of the clans that are left; first come, first served.",
            ),
            hint=T(
                "Touchez le clan que vous voulez : tous courent de même. Ceux que personne ne prend sont neutres.",
                "Touch the clan you want: all race alike. Those that nobody takes are neutral.",
            ),
            race=True,
            public=True,
        ),
        "divide": Question(
            T("Répartissez vos tuiles", "Divide your tiles"),
            prompt=T(
                "Trois nombres par étape, en secret. Ils porteront vos sorcières.",
                "Three numbers into each stage, in secret. They carry your own witches.",
            ),
            hint=T(
                "Un symbole s’ajoute à chaque étape, puis on la mélange. Répartir grands et petits nombres est un bon "
                "début.",
                "A symbol is added to each stage, which is then shuffled. Spreading high and low numbers is a good "
                "start.",
            ),
            any_order=True,
        ),
        "fly": Question(
            T("À vous : quelle sorcière ?", "Your turn: which witch?"),
            prompt=T(
                "Vous avez fait {s.die} : avancez une de vos sorcières de {s.die}.",
                "You rolled {s.die}: move one of your witches forward by {s.die}.",
            ),
            hint=T(
                "Touchez la sorcière qui vole. Une tuile cachée peut la porter plus loin, ou permettre à un "
                "autre de la faire reculer.",
                "Touch the witch that flies. A hidden tile may carry her forward, or let another player send her back.",
            ),
            public=True,
        ),
        "own": Question(
            T("Jouez-vous une carte ?", "Do you play a card?"),
            moves=(Play, Leave),
            prompt=prompt_free_or_obliged(
                T(
                    "Vous êtes en {s.witch}, sur votre symbole : une carte vous fait avancer.",
                    "You are on {s.witch}, your symbol: a card moves your witch forward.",
                ),
                T(
                    "Une carte nombre vous a fait reculer en {s.witch} : vous devez jouer une carte.",
                    "A number card sent you back to {s.witch}: you must play a card.",
                ),
            ),
            hint=T(
                "Une carte fait avancer votre sorcière, puis elle est dépensée : vous n’en piochez jamais d’autre.",
                "A card moves your witch forward and is then spent: you never draw another.",
            ),
            public=True,
        ),
        "foreign": Question(
            T("Renvoyer la sorcière ?", "Send the witch back?"),
            moves=(Play, Leave),
            prompt=prompt_free_or_obliged(
                T(
                    "{{{s.active}}} est en {s.witch}, sur votre symbole : une carte fait reculer sa sorcière.",
                    "{{{s.active}}}’s witch is on {s.witch}, your symbol: a card sends her back.",
                ),
                T(
                    "{{{s.active}}} a reculé en {s.witch}, sur votre symbole : vous devez jouer une carte.",
                    "{{{s.active}}} was sent back to {s.witch}, your symbol: you must play a card.",
                ),
            ),
            hint=T(
                "Une carte fait reculer cette sorcière. Gardez-en pour celles qui sont près de l’arrivée.",
                "A card sends this witch back. Keep some for those that are close to the goal.",
            ),
            window=True,
            public=True,
        ),
    }
    sittings = (("fly", "own"),)
    endings = {
        "arrived": T("les trois sorcières d’un clan sont arrivées", "the three witches of a clan have arrived"),
        "shared": T(
            "trois sorcières sont arrivées, victoire partagée aux points",
            "three witches have arrived, and the victory is shared on points",
        ),
    }
    draws = {
        "pile": DrawKind(T("Pioche d’un clan neutre", "Pile of a neutral clan")),
        "division": DrawKind(T("Tuiles d’un clan neutre par étape", "Tiles of a neutral clan by stage")),
        "stage": DrawKind(T("Ordre des tuiles d’une étape", "Order of the tiles of a stage")),
        "first": DrawKind(T("Qui commence", "Who begins"), chooses_seat=True),
        "die": DrawKind(T("Dé", "Die"), race.FACES),
    }
    traits, has_rounds = frozenset({"simultaneous"}), False
    # Every flight goes forward by at least one; twelve witches have 51 steps each, and 36 cards of seats and 12 of
    # neutral clans give back at most 780. Each turn has at most one answer besides the cards. Real ones end near 250.
    bound = 3000
    options, samples = HexenOptions, (HexenOptions(goal_by_tile=True), HexenOptions(clans="chosen"))
    option_texts = {
        "goal_by_tile": OptionText(
            T("Arriver par une tuile", "Reaching the goal by a tile"),
            T(
                "Si une tuile de son propre clan peut porter une sorcière jusque dans l’arrivée.",
                "Whether a tile of her own clan may carry a witch into the goal.",
            ),
            {"false": T("Pas permis", "Not allowed"), "true": T("Permis", "Allowed")},
        ),
        "clans": OptionText(
            T("Clans", "Clans"),
            T(
                "Lune, champignon, chat et chaudron dans l’ordre des places, ou chacun choisit le sien au début.",
                "Moon, mushroom, cat and cauldron in the order of the seats, or each player chooses one at the start.",
            ),
            {"seats": T("Selon les places", "By seat"), "chosen": T("Au choix de chacun", "Each player chooses")},
        ),
    }
    shapes = ("portrait", "landscape", "low", "pad")
    on_board = frozenset(map(str, range(1, race.STAGES + 1)))  # the fields of a division, by stage
    marks = {tile: Mark(f"hx-{tile[0].lower()}", race.COLOURS[race.CLAN_OF[tile]]) for tile in race.TILES}
    seat_marks = race.SEAT_MARKS[: len(race.CLANS)]

    @staticmethod
    def takes_marks(options: HexenOptions) -> bool:
        """Whether the seats choose their clans (2.5)."""
        return options.clans == "chosen"

    bot_names = (
        "Alrun", "Berta", "Hulda", "Ilsa", "Kuni", "Lioba", "Odila", "Runa", "Tilda", "Trude", "Walda", "Zita",
    )  # fmt: skip

    fold = 2

    # --- the rules, by the numbers of RULES.*.md -------------------------------------------------------------

    def begin(self, seats: int, options: HexenOptions, luck: Luck) -> facts.Opened:
        """Shuffles the cards of neutral clans (2.3). Their tiles are divided later, with the others'."""
        choosing = options.clans == "chosen"
        names = (
            range(1, len(race.CLANS) - seats + 1) if choosing else race.CLANS[seats:]
        )  # which they are is not known yet
        piles = tuple(luck.named(f"pile:{name}").shuffled(race.DECK) for name in names)
        return facts.Opened(seats, options.goal_by_tile, piles, choosing)

    def asks(self, s: race.State) -> Sequence[Ask]:
        """Asks at first for everybody's clan (2.5) and division (2.2), then for a witch (3.2) or a card (5.2)."""
        if not s.turn:
            kinds = ["clan" if clan is None else "divide" for clan in s.clans]
            return [Ask(seat, f"t0.{kind}{seat}", "t0", kind) for seat, kind in enumerate(kinds) if not s.divided[seat]]
        turn = f"t{s.turn}"
        if s.asked is not None:
            return (Ask(s.asked, f"{turn}.symbol{s.symbols}", turn, "own" if s.asked == s.active else "foreign"),)
        return () if s.active is None or s.witch is not None else (Ask(s.active, f"{turn}.fly", turn, "fly"),)

    def next_fact(self, s: race.State, k: Knows, since: Sequence[Event]) -> Event | None:
        """Returns what follows the last fact: the course, what a place does to the witch, or the next turn's die."""
        match since[-1] if since else None:
            case facts.Flew() | facts.Turned() | facts.Carried():
                arrives = True
            case facts.Rolled() | facts.Reached() as last:  # 8.2: the only move is made at once
                moves = self.legal(s, last.seat)
                if len(moves) > 1:
                    return None
                forced: Event = moves[0].fact(s, last.seat) if moves else facts.Stuck(last.seat)
                return forced
            case facts.Played() | facts.Drawn() as last:  # R11
                arrives = last.card != race.SYMBOL and last.target != last.origin
            case facts.Chosen():
                left, free = [seat for seat, clan in enumerate(s.clans) if clan is None], race.free_clans(s)
                return facts.Chosen(left[0], race.CLANS[free[0]]) if left and not free[1:] else None  # 8.2
            case facts.Divided():
                return self._lay_course(s, k) if all(s.divided) else None
            case facts.Laid(first=first):
                return self._roll_die(s, k, first)
            case None | facts.Opened():
                return None
            case _:
                arrives = False
        assert s.active is not None, "somebody's turn runs"
        happens = self._fact_at_arrival(s, k, s.active, since) if arrives else None
        return happens or self._roll_die(s, k, (s.active + 1) % s.seats)  # 4.2

    def _lay_course(self, s: race.State, k: Knows) -> facts.Laid:
        """Divides neutral clans by lot (2.3), shuffles each stage (2.4), and draws who begins (R16)."""
        divided, letters = (
            [chosen for chosen in s.stages if chosen is not None],
            race.clan_letters_and_tile_owners(s.clans)[0],
        )
        for clan in letters[s.seats :]:
            divided.append(facts.division_at_index(k.named(f"division:{clan}").below(len(DIVISIONS))).stages)
        tiles: list[str] = []
        for stage in range(race.STAGES):
            clans = zip(letters, divided, strict=True)
            here = (f"{clan}{value}" for clan, chosen in clans for value in (*chosen[stage], race.SYMBOL))
            tiles += k.named(f"stage:{stage + 1}").shuffled(here)
        return facts.Laid(tuple(tiles), k.named("first").below(s.seats))

    def _roll_die(self, s: race.State, k: Knows, seat: int) -> facts.Rolled:
        return facts.Rolled(seat, k.named(f"die:s{seat}:{s.turn + 1}").roll(race.FACES))  # 3.1

    def _fact_at_arrival(self, s: race.State, k: Knows, active: int, since: Sequence[Event]) -> Event | None:
        """Returns what the place does to the witch that has come there; None: nothing (4.1)."""
        place = s.witch
        assert place is not None, "a witch has moved"
        if place > race.COURSE:
            return self._end_if_all_witches_arrived(s, active)
        tile = s.shown[place - 1]
        if tile is None:
            return facts.Turned(place, k.uncover(s.tiles[place - 1], race.tiles_possible_at(s, place)))
        clan, steps = race.owner_of_tile(s, tile), race.VALUE_OF[tile]
        if steps:  # 5.1, R1, R12
            target, last = place + steps, race.GOAL if s.goal_by_tile else race.COURSE
            stays = clan != active or target > last or target in race.tiles_with_witch(s)
            return None if stays else facts.Carried(active, place, target)
        if clan < s.seats:  # 5.2
            can = race.targets_of_playable_cards(s, clan)
            return (
                facts.Reached(clan, place, was_sent_back_by_number_card(s, since))
                if can
                else facts.Powerless(clan, place)
            )
        if not s.piles[clan]:  # 5.5, R6
            return facts.Exhausted(clan, place)
        card = k.uncover(s.piles[clan][0], dict.fromkeys(race.cards_of_clan_without(s.discards[clan])))
        return facts.Drawn(clan, card, place, race.target_of_card(s, clan, card, race.tiles_with_witch(s)) or place)

    def _end_if_all_witches_arrived(self, s: race.State, active: int) -> facts.Finished | None:
        """Returns the end, which all with most points win (7.2, R8); None before all witches of a clan have arrived."""
        scores = self.scores(s)
        best = tuple(seat for seat, score in enumerate(scores) if score == max(scores))
        return facts.Finished(active, scores, best) if s.witches[active][0] > race.COURSE else None

    def check_event(self, s: race.State | None, event: Any) -> None:
        """Refuses what comes after the end."""
        if s is None:
            super().check_event(s, event)
        elif s.finisher is not None or type(event) is facts.Opened:
            raise ValueError("nothing can happen after the end, and no second opening")

    def outcome(self, s: race.State) -> Outcome | None:
        """Returns who has most points, once a seat's three witches are in the goal (7.1, 7.2)."""
        if s.finisher is None:
            return None
        return Outcome("arrived" if len(s.winners) == 1 else "shared", s.winners, s.scores)

    def scores(self, s: race.State) -> tuple[int, ...]:
        """Returns what the witches of each seat in the goal are worth (7.2)."""
        return tuple(sum(map(race.points_at_place, three)) for three in s.witches)

    def fallback(self, fold: race.State, seat: int, chance: Chance) -> Any:
        """Returns what the clock plays (8.4).

        That is the clan of the seat's letter, else the first one left; a random division; the rearmost witch; no card,
        or if obliged the lowest number, else S.
        """
        if fold.clans[seat] is None:
            free = race.free_clans(fold)
            return Choose(race.CLANS[seat if seat in free else free[0]])
        if not fold.turn:
            return chance.pick(DIVISIONS)
        if fold.asked is None:
            return Fly(min(race.flights_of_active_seat(fold)))
        if not fold.obliged:
            return Leave()
        return Play(min(race.targets_of_playable_cards(fold, seat), key=lambda card: race.STEPS_OF[card] or race.GOAL))

    # --- moves as they are typed (9) -------------------------------------------------------------------------

    hint = notation.HINT

    def parse(self, text: str, seat: int | None = None) -> Move:
        """Returns the move that the text means when this seat types it. Raises Unreadable with a hint."""
        return notation.parse(text, None if seat is None else race.CLANS[seat])

    def format(self, move: Any) -> str:
        """Returns the move in short notation."""
        return notation.format(move)

    # --- told ------------------------------------------------------------------------------------------------

    def foretell(self, event: Event, before: race.State, lang: Lang) -> Phrase:
        """Says what may come: the die by itself, which the story tells with the flight."""
        if isinstance(event, facts.Rolled):
            return event.say(lang, "{seat} fait {die}.", "{seat} rolls {die}.")
        return self.tell(event, before, lang)

    def label(self, move: Move, fold: race.State, lang: Lang) -> Phrase:
        """Returns the whole move in a sentence, and what certainly comes of it."""
        if isinstance(move, Fly):
            ahead, _ = self._where_move_ends_in_words(move, fold, lang)
            start = say(lang, f"de {move.origin}" if move.origin else "du départ", f"from {move.origin or 'the start'}")
            return say(lang, f"Vous avancez {start} {ahead}", f"You fly {start} {ahead}")
        if not isinstance(move, Play):
            return super().label(move, fold, lang)
        ahead, goes_on = self._where_move_ends_in_words(move, fold, lang)
        sign, whose = put_in(f"{race.letter_of_clan(fold, fold.asked or 0)}{move.card}"), put_in(fold.active)
        if fold.asked == fold.active:
            own = f" : vous avancez de {fold.witch} {ahead}", f": you fly from {fold.witch} {ahead}"
            return sign + say(lang, *own)
        start = "" if goes_on else say(lang, f" de {fold.witch}", f" from {fold.witch}")
        return sign + say(lang, f" : {whose} recule{start} {ahead}", f": {whose} goes back{start} {ahead}")

    def _where_move_ends_in_words(self, move: Fly | Play, fold: race.State, lang: Lang) -> tuple[Phrase, bool]:
        """Returns where the witch of a move comes, as far as tiles that lie face up tell, and what follows there.

        Of the places to which tiles and forced cards take her on, the last one is named; True if there is any.
        """
        seat = fold.active if fold.asked is None else fold.asked
        assert seat is not None, "somebody is asked"
        state, follows = fold, ""
        stops: list[int] = []
        for event in self.preview(fold, seat, move):
            state = self.evolve(state, event)
            if isinstance(event, (facts.Flew, facts.Carried, facts.Played)):
                stops.append(event.target)
                follows = ""
            else:
                follows = tell_what_follows_arrival(event, state, seat, lang)
        first, last, goes_on = stops[0], stops[-1], len(stops) > 1
        way, further = words.target_in_words(first, lang), str(last)
        if last > race.COURSE:
            square = race.points_at_place(last)
            further = say(lang, f"à l’arrivée ({square})", f"into the goal ({square})")
        if goes_on:
            way += say(lang, f", puis {further}", f", then {further}")
        follows = follows or tell_coming_neutral_draw(state, lang)
        if last <= race.COURSE and not follows:
            way += words.tile_in_brackets(fold, last) or say(lang, ", tuile encore cachée", ", a tile still face down")
        return f"{way}.{follows or words.why_halted(state, lang)}", goes_on

    # --- offered ---------------------------------------------------------------------------------------------

    def candidates(self, ask: Ask, fold: race.State, lang: Lang) -> Iterator[Candidate]:
        """Yields each clan; each place where a witch stands; each card of the hand, and playing none."""
        if ask.kind == "clan":
            yield from super().candidates(ask, fold, lang)
        elif ask.kind == "fly":
            for fly in Fly.every(fold, ask.seat):
                yield Candidate(words.place_sign(fly.origin, lang), fly)
        elif ask.kind != "divide":
            for play in Play.every(fold, ask.seat):
                yield Candidate(put_in(f"{race.letter_of_clan(fold, ask.seat)}{play.card}"), play)
            yield Candidate(words.name_of_playing_none(fold, lang), Leave())

    def pad(self, ask: Ask, fold: race.State, lang: Lang) -> Pad:
        """Returns the answers in short: one that opens the division; each witch and each card with where it leads."""
        if ask.kind == "clan":
            return super().pad(ask, fold, lang)
        if ask.kind == "divide":
            open_board = Cell(say(lang, "Répartir mes tuiles", "Divide my tiles"), ())
            title = say(lang, "Trois nombres par étape, en secret", "Three numbers for each stage, in secret")
            return Pad(title, ((open_board,),))
        ways: list[tuple[Phrase, int, Move]] = [
            (words.place_sign(origin, lang), target, Fly(origin))
            for origin, target in race.flights_of_active_seat(fold).items()
        ]
        title = say(lang, f"Le dé donne {fold.die}. Faites voler…", f"The die shows {fold.die}. Fly…")
        if ask.kind != "fly":
            letter, cards = race.letter_of_clan(fold, ask.seat), race.targets_of_playable_cards(fold, ask.seat)
            ways = [(put_in(f"{letter}{card}"), target, Play(card)) for card, target in cards.items()]
            where = words.place_in_words(fold.witch or 0, lang)
            title = say(lang, f"Faire reculer la sorcière {where}…", f"Move the witch {where} back…")
            if ask.kind == "own":
                title = say(lang, f"Avancer votre sorcière {where}…", f"Move your witch {where} forward…")
        cells = [
            Cell(
                f"{sign} → {words.place_sign(target, lang)}{words.tile_in_brackets(fold, target)}",
                self.path(move, fold, lang),
            )
            for sign, target, move in ways
        ]
        none = Leave() in self.legal(fold, ask.seat)
        last = (Cell(words.name_of_playing_none(fold, lang), self.path(Leave(), fold, lang)),)
        return Pad(title, (*rows_of(cells, 2), *((last,) if none else ())))


def was_sent_back_by_number_card(s: race.State, since: Sequence[Event]) -> bool:
    """Returns whether a number card has sent the witch back to where she is: who is asked next must play (5.6, R10)."""
    for event in reversed(since):
        match event:
            case facts.Flew() | facts.Carried():
                return False
            case facts.Played(seat):
                return seat != s.active
            case facts.Drawn():
                return True
    raise ValueError("no witch has moved")


# --- parts of sentences --------------------------------------------------------------------------------------


def tell_what_follows_arrival(event: Event, s: race.State, mover: int, lang: Lang) -> str:
    """Tells what certainly follows where the witch has come, in a sentence addressed to the mover."""
    match event:
        case facts.Reached(seat, _, obliged) if seat == mover:
            must = ("devrez", "must then") if obliged else ("pourrez", "may then")
            return say(lang, f" Vous {must[0]} jouer une carte.", f" You {must[1]} play a card.")
        case facts.Reached(seat, _, obliged):
            must = ("devra", "must") if obliged else ("pourra", "may")
            return say(lang, f" {{{seat}}} {must[0]} jouer une carte.", f" {{{seat}}} {must[1]} play a card.")
        case facts.Powerless(seat) if seat == mover:
            return say(lang, " Vous n’avez pas de carte à jouer.", " You have no card to play.")
        case facts.Powerless(seat):
            return say(lang, f" {{{seat}}} n’a pas de carte à jouer.", f" {{{seat}}} has no card to play.")
        case facts.Exhausted(clan):
            letter = race.letter_of_clan(s, clan)
            return say(lang, f" Le clan {letter} n’a plus de cartes.", f" Clan {letter} has no cards left.")
        case facts.Finished():
            return say(lang, " La course est finie.", " The race is over.")
    return ""


def tell_coming_neutral_draw(s: race.State, lang: Lang) -> str:
    """Tells that a neutral clan's card is drawn next; "" if none is."""
    tile = words.tile_at(s, s.witch or 0)
    if (
        tile is None
        or race.VALUE_OF[tile]
        or race.owner_of_tile(s, tile) < s.seats
        or not s.piles[race.owner_of_tile(s, tile)]
    ):
        return ""
    return say(lang, f" Le clan {tile[0]} tirera une carte.", f" Clan {tile[0]} will draw a card.")


RULES = Race()
