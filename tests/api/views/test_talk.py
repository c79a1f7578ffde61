"""Messages and notes by the API: for seats, not for spectators."""

from __future__ import annotations

from tests.api.cast import Table, json_of


def test_seats_chat_and_spectators_can_neither_read_nor_write(hogen: Table) -> None:
    alice, bob, charlie = hogen.alice, hogen.bob, hogen.charlie
    answer = alice.post(f"{hogen.path}/messages", {"text": "Bonjour !"})
    first = json_of(answer, 201)
    assert json_of(bob.get(f"{hogen.path}/messages")) == {"messages": [first]}
    assert bob.get(f"{hogen.path}/messages?after={first['id']}").json == {"messages": []}
    assert charlie.get(f"{hogen.path}/messages").status_code == 401
    assert charlie.post(f"{hogen.path}/messages", {"text": "Hello"}).status_code == 401
    assert alice.post(f"{hogen.path}/messages", {"text": " "}).status_code == 422
    assert alice.post(f"{hogen.path}/messages", {}).status_code == 422


def test_a_seat_writes_and_reads_its_own_note(hogen: Table) -> None:
    alice, bob = hogen.alice, hogen.bob
    assert alice.put(f"{hogen.path}/note", {"text": "Bob has a four"}).json == {"text": "Bob has a four"}
    assert alice.get(f"{hogen.path}/note").json == {"text": "Bob has a four"}
    assert bob.get(f"{hogen.path}/note").json == {"text": ""}
    assert alice.put(f"{hogen.path}/note", {"text": "x" * 4001}).status_code == 422
