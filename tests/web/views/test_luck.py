"""The luck of a match on its pages: the sign on the table, and the page with the envelope; never the seed."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from sqlmodel import col, update

from pbem.kit.logs.chain import hash_word, mark_of, word_from_seed
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.verdict import Verdict, verify
from pbem.models.tables import Match, SeatRow
from pbem.services.log import proofs
from pbem.services.views import luck, match_views
from tests.harness.cases import cases
from tests.table import play_out
from tests.web.cast import Page, Web, play_on, words_of
from tests.web.everywhere import Everywhere

LANGS = ("en", "fr")
MOST_WORDS = 80
WORDS = re.compile(r"[^\W_][\w’'-]*")
EXPLAINED = re.compile(r'<p class="explains">(.*?)</p>', re.DOTALL)
KEEP = {"en": "No mailbox holds them: keep them yourself.", "fr": "Aucune boîte aux lettres ne les garde"}
ALONE = {"en": "the server knew all luck when it sealed", "fr": "Le serveur connaissait donc tout le hasard"}
COMPARE = {"en": "Did my word count? Does my email agree?", "fr": "Mon mot a-t-il compté ?"}
WORD_OF = {"en": "Yes: this is the word that counts for", "fr": "Oui : c’est bien le mot qui compte pour"}
NOBODY = {"en": "No. Nobody here has this lucky word", "fr": "Non. Personne ici n’a ce mot porte-bonheur"}
LEFT = {"en": "only in league with the last player to sit down", "fr": "de mèche avec la dernière personne à s’asseoir"}


def row_of(web: Web, match_id: str) -> Match:
    """Returns the match's row."""
    with web.site.reading() as session:
        return session.get_one(Match, match_id)


def heads_of(web: Web, match_id: str) -> dict[int, str]:
    """Returns the heads of the match's chain by entry."""
    with web.site.reading() as session:
        return {n: head for n, _, head in proofs.read_seals(session, match_id)}


def paths_of_pages(web: Web, match_id: str, seat: int = 0) -> tuple[str, str]:
    """Returns the paths of the seat's page and of the spectators'; the page of luck is below each."""
    return web.link("play", match_id, seat), f"/match/{match_id}"


def play_with_words(web: Web, **words: str) -> str:
    """Returns the id of a match that has just begun, whose players typed these lucky words, by seat: `s0`, `s1`."""
    match_id = web.create(word=words.get("s0"))
    web.confirm(match_id)
    for seat in (1, 2):
        web.accept(match_id, seat, word=words.get(f"s{seat}"))
    return match_id


def exchange_word(web: Web, match_id: str, seat: int, word: str) -> None:
    """Puts another word in the place of a seat's, as a dishonest server would."""
    with web.site.writing() as work:
        match = work.get_one(Match, match_id)
        hashes = [*proofs.word_hashes(match)]
        hashes[seat] = hash_word(word)
        match.words = json.dumps(hashes)


def play_alone(web: Web) -> str:
    """Returns the id of a match that has begun and has no deadlines, as against bots."""
    match_id = web.start()
    with web.site.writing() as work:
        work.execute(update(Match).where(col(Match.id) == match_id).values(untimed=True))
    return match_id


# --- the sign on the table -----------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_the_match_page_links_to_the_luck_page_and_shows_no_commitment(everywhere: Everywhere, lang: str) -> None:
    web, known = everywhere.web, everywhere.matches
    for phase in ("inviting", "running", "over", "left"):
        match = row_of(web, known[phase])
        for path in paths_of_pages(web, known[phase]):
            page = Page(web.client(lang).get(f"{path}?lang={lang}").text)
            assert f"{path}/luck" in page.hrefs()
            table, words = words_of(web, path, lang), words_of(web, f"{path}/luck", lang)
            assert match.commitment not in table, "there is a page for it"
            assert (match.head is not None) == (phase != "inviting")
            if match.head is not None:
                assert mark_of(match.head) in words
                assert mark_of(match.head) not in table


@pytest.mark.long
def test_a_match_called_off_links_to_no_luck_page_nor_promises_a_check(everywhere: Everywhere) -> None:
    web, off = everywhere.web, everywhere.matches["off"]
    for path in paths_of_pages(web, off):
        assert "/luck" not in web.client().get(path).text
        words = words_of(web, f"{path}/luck")
        assert "Stays sealed" in words
        assert row_of(web, off).commitment not in words
        assert "anybody can check" not in words


# --- the page ------------------------------------------------------------------------------------------------


@pytest.mark.long
@cases("lang", LANGS)
@cases("phase", ["inviting", "running", "over", "left"])
def test_the_luck_page_explains_itself_in_at_most_80_words(everywhere: Everywhere, phase: str, lang: str) -> None:
    web, match_id = everywhere.web, everywhere.matches[phase]
    for path in paths_of_pages(web, match_id):
        text = unescape(web.client(lang).get(f"{path}/luck?lang={lang}").text)
        explained = WORDS.findall(" ".join(EXPLAINED.findall(text)))
        assert 30 < len(explained) <= MOST_WORDS, len(explained)


@pytest.mark.long
@cases("lang", LANGS)
def test_the_luck_page_shows_the_whole_commitment_and_the_mark(everywhere: Everywhere, lang: str) -> None:
    web, known = everywhere.web, everywhere.matches
    for phase in ("inviting", "running", "over", "left"):
        match = row_of(web, known[phase])
        for path in paths_of_pages(web, known[phase]):
            words = words_of(web, f"{path}/luck", lang)
            assert match.commitment in words.split(), "alone, so that it is easily copied"
            assert KEEP[lang] not in words, "mailboxes hold it"
            if match.head is not None:
                assert mark_of(match.head) in words.split()


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_without_mails_the_luck_page_says_to_keep_the_commitment(web: Web, lang: str) -> None:
    match_id = play_alone(web)
    assert KEEP[lang] in words_of(web, web.link("play", match_id, 0) + "/luck", lang)


@pytest.mark.long
def test_a_private_match_shows_its_luck_to_its_players_alone(web: Web) -> None:
    match_id = web.start(spectators=False)
    own, public = paths_of_pages(web, match_id)
    assert web.client().get(f"{own}/luck").status_code == 200
    assert web.client().get(f"{public}/luck").status_code == 404
    play_out(web.site, match_id)
    assert web.client().get(f"{own}/luck").status_code == 200
    assert web.client().get(f"{public}/luck").status_code == 404


@pytest.mark.long
def test_an_invalid_link_opens_no_luck_page(web: Web) -> None:
    assert web.client().get("/match/0123456789abcdef01234567/luck").status_code == 404
    assert web.client().get("/play/nonsense/luck").status_code == 401


# --- lucky words ---------------------------------------------------------------------------------------------


def test_a_player_sees_the_word_they_typed_and_nobody_else_does(web: Web) -> None:
    match_id = play_with_words(web, s0="Mirabelle", s1="Abricot rouge")
    for over in (False, True):
        if over:
            play_out(web.site, match_id)
        own = [words_of(web, f"{paths_of_pages(web, match_id, seat)[0]}/luck") for seat in range(3)]
        watched = words_of(web, f"/match/{match_id}/luck")
        for word, reader in (("mirabelle", own[0]), ("abricot rouge", own[1])):
            assert [word in page for page in (*own, watched)] == [page is reader for page in (*own, watched)]
        assert "You typed none; your word follows from the sealed number." in own[2]
        for page in own[:2]:
            assert "Your word; nobody else sees it. Type it in below to see that it counts." in page
        assert "Type it in below" not in watched


def test_before_the_start_the_luck_page_compares_no_word(web: Web) -> None:
    match_id = web.create(word="mirabelle")
    web.confirm(match_id)
    words = words_of(web, f"{paths_of_pages(web, match_id)[0]}/luck?mail=mirabelle")
    assert "Your word; nobody else sees it." in words
    assert COMPARE["en"] not in words
    assert "typed a word" not in words
    assert "Yes: this is the word" not in words


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("over", [False, True])
def test_a_lucky_word_leads_to_its_owner_during_the_match_and_after_it(web: Web, lang: str, over: bool) -> None:
    match_id = play_with_words(web, s0="Mirabelle", s1="Abricots", s2="abricots")
    if over:
        play_out(web.site, match_id)
    own, public = (f"{path}/luck" for path in paths_of_pages(web, match_id, 1))
    you = {"en": "Bob (you)", "fr": "Bob (vous)"}[lang]
    for path, bob in ((own, you), (public, "Bob")):
        assert COMPARE[lang] in words_of(web, path, lang)
        assert f"{WORD_OF[lang]} Alice." in words_of(web, f"{path}?mail=%20MIRABELLE", lang)
        two = {"en": f"{bob} and Carol.", "fr": f"{bob} et Carol."}[lang]
        assert f"{WORD_OF[lang]} {two}" in words_of(web, f"{path}?mail=abricots", lang), (
            "no mark, although it is like one"
        )
        assert NOBODY[lang] in words_of(web, f"{path}?mail=quetsche", lang)


def test_the_luck_page_shows_a_player_that_their_word_was_replaced(web: Web) -> None:
    match_id = play_with_words(web, s1="abricots")
    exchange_word(web, match_id, 1, "prune")
    own = f"{paths_of_pages(web, match_id, 1)[0]}/luck"
    assert "the log has another one for your seat: yours does not count" in words_of(web, own)
    found = words_of(web, f"{own}?mail=abricots")
    assert "nobody has this lucky word" in found, "it is read as a mark, too"
    assert "your word was replaced" in found
    assert f"{WORD_OF['en']} Bob (you)." in words_of(web, f"{own}?mail=prune")


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_a_word_typed_for_a_seat_whose_owner_typed_none_is_named(web: Web, lang: str) -> None:
    match_id = play_with_words(web)
    exchange_word(web, match_id, 2, "prune")
    own, public = paths_of_pages(web, match_id, 2)
    somebody = {"en": "that somebody typed for your seat", "fr": "que quelqu’un a saisi pour votre place"}
    words = words_of(web, f"{own}/luck", lang)
    assert somebody[lang] in words
    assert {"en": "You typed none", "fr": "Vous n’en avez pas choisi"}[lang] not in words
    named = {"en": "Carol typed a word of their own.", "fr": "Carol a choisi son propre mot."}
    assert named[lang] in words_of(web, f"{public}/luck", lang)


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_the_luck_page_names_who_typed_a_word_from_the_start_on(web: Web, lang: str) -> None:
    all_three, carol, alice, nobody = {"s0": "a", "s1": "b", "s2": "c"}, {"s2": "c"}, {"s0": "a"}, dict[str, str]()
    says = {
        "en": ["Alice, Bob and Carol typed a", "Carol typed a", "Nobody besides the organiser", "Nobody typed a word"],
        "fr": ["Alice, Bob et Carol ont", "Carol a choisi", "À part l’organisateur, personne", "Personne n’a choisi"],
    }[lang]
    for typed, named in zip((all_three, carol, alice, nobody), says, strict=True):
        match_id = play_with_words(web, **typed)
        assert named in words_of(web, f"/match/{match_id}/luck", lang)


@pytest.mark.long
@pytest.mark.parametrize("over", [False, True])
def test_no_page_holds_another_seats_word_its_hash_or_an_untyped_word(web: Web, over: bool) -> None:
    match_id = play_with_words(web, s1="abricot")
    play_on(web, match_id, 3)
    if over:
        play_out(web.site, match_id)
    seed = row_of(web, match_id).seed
    derived = [word_from_seed(seed, seat) for seat in range(3)]
    secrets = [
        "abricot",
        *map(hash_word, derived),
        hash_word("abricot"),
        *derived,
        proofs.keys_of(row_of(web, match_id)).luck.hex(),
    ]
    for seat in (0, 2):
        for path in (
            *paths_of_pages(web, match_id, seat),
            f"{paths_of_pages(web, match_id, seat)[0]}/replay",
            f"/replay/{match_id}",
        ):
            for below in ("", "/luck"):
                text = web.client().get(f"{path}{below}").text
                assert not [one for one in secrets if one in text], f"{path}{below}"


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGS)
def test_the_luck_page_explains_the_lucky_words_once_the_match_has_begun(web: Web, lang: str) -> None:
    many, none = play_with_words(web, s1="abricot", s2="quetsche"), play_with_words(web, s0="mirabelle")
    for _ in ("running", "over"):
        words = words_of(web, f"/match/{many}/luck", lang)
        assert {"en": "Bob and Carol typed a word", "fr": "Bob et Carol ont choisi"}[lang] in words
        assert {"en": "If they are theirs, the", "fr": "S’ils sont les leurs"}[lang] in words
        assert LEFT[lang] in words
        assert ALONE[lang] not in words
        words = words_of(web, f"/match/{none}/luck", lang)
        assert ALONE[lang] in words, "the organiser's own word is in the commitment"
        assert LEFT[lang] not in words
        for match_id in (many, none):
            play_out(web.site, match_id)


# --- when it is over -----------------------------------------------------------------------------------------


def test_after_the_end_the_luck_page_lists_what_was_checked_and_what_not(everywhere: Everywhere) -> None:
    web, match_id = everywhere.web, everywhere.matches["over"]
    checks = luck.read_verdict_and_fortunes(web.site, match_views.read_sheet(web.site, match_id, None), None).verdict
    assert checks.ok
    for path in paths_of_pages(web, match_id):
        words = words_of(web, f"{path}/luck")
        assert f"All {checks.count('facts')} decisions, the start and those of the clock included, follow" in words
        assert f"All {checks.count('luck')} draws" in words
        assert f"all {checks.count('chain')} entries" in words
        assert "whether the players made these moves" in words
        assert "You need not take this server’s word for it" in words
    for path in paths_of_pages(web, everywhere.matches["running"]):
        assert "follow the rules" not in words_of(web, f"{path}/luck")


@pytest.mark.long
def test_the_luck_page_checks_a_finished_match_only_once(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = web.start()
    play_out(web.site, match_id)
    checked = []

    def watch(log: Log) -> Verdict:
        checked.append(log)
        return verify(log)

    monkeypatch.setattr(luck, "verify", watch)
    for path in (*paths_of_pages(web, match_id), *paths_of_pages(web, match_id, 1)):
        assert web.client().get(f"{path}/luck?mail=7K3M-9QXT").status_code == 200
    assert len(checked) == 1


@pytest.mark.sample(1)
@pytest.mark.parametrize("lang", LANGS)
def test_a_mails_mark_or_64_characters_lead_to_their_step_in_the_replay(web: Web, lang: str) -> None:
    match_id = web.start()
    play_out(web.site, match_id)
    heads = heads_of(web, match_id)
    entry = sorted(heads)[len(heads) // 2]
    yes = {"en": "Yes, your email agrees", "fr": "Oui, votre courriel concorde"}[lang]
    short = {"en": "To be certain, compare the 64", "fr": "Pour en avoir le cœur net, comparez les 64"}[lang]
    mark = mark_of(heads[entry])
    for path, replay in zip(paths_of_pages(web, match_id), ("replay", "step"), strict=True):
        for typed in (mark, mark.lower().replace("-", " "), heads[entry]):
            text = web.client(lang).get(f"{path}/luck?lang={lang}&mail={typed}").text
            words = unescape(Page(text).words)
            assert (yes in words, short in words) == (typed == heads[entry], typed != heads[entry])
            (found,) = [href for href in Page(text).hrefs() if "step=" in href]
            assert replay in found
            assert web.client(lang).get(found).status_code == 200
    words = words_of(web, f"{paths_of_pages(web, match_id)[0]}/luck?mail={row_of(web, match_id).commitment}", lang)
    assert yes in words
    assert "64" in words.split(yes)[1]


@pytest.mark.sample(1)
@pytest.mark.parametrize("over", [False, True])
def test_the_luck_page_distinguishes_an_unknown_mark_from_nonsense(web: Web, over: bool) -> None:
    match_id = web.start()
    if over:
        play_out(web.site, match_id)
    own = paths_of_pages(web, match_id)[0] + "/luck"
    for other in ("ZZZZ-ZZZZ", "0" * 64, "0" * 16):
        assert "No: this match never had this mark or commitment, and nobody" in words_of(web, f"{own}?mail={other}")
    for nonsense in ("hello", "7K3M-9QX", "%3Cscript%3E"):
        assert NOBODY["en"] in words_of(web, f"{own}?mail={nonsense}")
        assert "A mark looks like 7K3M-9QXT, and a commitment has" in words_of(web, f"{own}?mail={nonsense}")
    short = row_of(web, match_id).commitment[:16]
    assert "Yes, as far as it goes" in words_of(web, f"{own}?mail={short}")


@pytest.mark.long
def test_a_mark_leads_to_its_step_while_the_match_runs(web: Web) -> None:
    match_id = web.start()
    play_on(web, match_id, 5)
    heads = heads_of(web, match_id)
    for path in paths_of_pages(web, match_id):
        for typed in (mark_of(heads[3]), heads[3]):
            page = Page(web.client().get(f"{path}/luck?mail={typed}").text)
            assert "at this step the match had" in page.words
            (found,) = [href for href in page.hrefs() if "step=" in href]
            assert web.client().get(found).status_code == 200


@pytest.mark.sample(1)
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("slug", ["hexen-rennen", "hagakure"])
def test_the_luck_page_shows_each_seats_draws_beside_the_expected(web: Web, slug: str, lang: str) -> None:
    match_id = web.start(game=slug)
    play_out(web.site, match_id)
    found = luck.read_verdict_and_fortunes(web.site, match_views.read_sheet(web.site, match_id, None), None)
    (measured,) = [one for one in found.drawn if one.fortunes]
    words = words_of(web, f"{paths_of_pages(web, match_id, 1)[0]}/luck", lang)
    of = {"en": "of", "fr": "sur"}[lang]
    for fortune in measured.fortunes:
        mean = f"{fortune.total / fortune.count:.2f}".replace(".", "," if lang == "fr" else ".")
        assert f"{mean} {of} {fortune.count}" in words
    unusual = {"en": r": (\d+ in 100|fewer than 1 in 100) get as", "fr": r" : (\d+|moins de 1) sur 100 ont a"}[lang]
    assert len(re.findall(unusual, words)) == len(measured.fortunes)
    assert {"en": "Bob (you)", "fr": "Bob (vous)"}[lang] in words
    assert {"en": "How lucky was I?", "fr": "Ai-je eu de la chance ?"}[lang] in words
    assert {"en": "Who was lucky?", "fr": "Qui a eu de la chance ?"}[lang] in words_of(
        web, f"/match/{match_id}/luck", lang
    )


def test_the_luck_page_has_only_get_forms_and_opening_it_stores_nothing(everywhere: Everywhere) -> None:
    web = everywhere.web
    for match_id in everywhere.matches.values():
        for path in paths_of_pages(web, match_id):
            page = Page(web.client().get(f"{path}/luck").text)
            assert all(form.method == "get" for form in page.forms)
    assert web.everything() == everywhere.rows


# --- secrecy -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_seed_is_in_no_page_and_no_answer_before_the_end(web: Web) -> None:
    match_id = web.start()
    play_on(web, match_id, 5)
    commitment, seed = row_of(web, match_id).commitment, row_of(web, match_id).seed
    api, play = f"/api/v1/matches/{match_id}", web.link("play", match_id, 0)
    bearer = {"Authorization": f"Bearer {play.rsplit('/', 1)[1]}"}
    looked = [f"{api}{part}" for part in ("", "/state", "/events", "/log", "/story", "/ask")]
    looked += [play, f"{play}/replay", f"{play}/replay/log", f"/match/{match_id}", f"/replay/{match_id}"]
    looked += [f"{play}/luck", f"/match/{match_id}/luck"]
    for path in looked:
        answer = web.client().get(path, headers=bearer if path.startswith("/api") else {})
        assert answer.status_code == 200, path
        assert seed.hex() not in answer.text.lower(), path
    assert commitment in web.client().get(api).text


def test_a_substitute_does_not_see_the_word_of_the_player_who_left(web: Web) -> None:
    match_id = play_with_words(web, s1="abricot")
    with web.site.writing() as work:  # as a substitute's taking over leaves the row
        seat = work.get_one(SeatRow, (match_id, 1))
        seat.word, seat.epoch = None, seat.epoch + 1
    assert "abricot" not in words_of(web, web.link("play", match_id, 1, 1) + "/luck")
    assert web.client().get(web.link("play", match_id, 1) + "/luck").status_code == 401
