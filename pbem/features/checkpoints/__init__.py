"""Checkpoints: a note signed once a day about the heads of all logs, which other hosts may cosign.

Begin with `making`, which signs the note of a day; `cosigning` is for the notes of other sites.

tables      the checkpoints, their leaves, where matches stand in them, and what was cosigned
notes       signed notes and keys, in the formats of C2SP; the site's own
days        what a note says, whether it continues another; trees of hashes, and proofs that a leaf is in one
published   what is published, and where a match stands
              read_note, read_list_of_days, read_place_of_match
making      makes the checkpoint of a day
              make_checkpoint_of_today
cosigning   cosigns the checkpoints of others, and publishes their cosignatures
              cosign_note, publish_cosignatures
hooks       what this adds to the clock, metrics, `/readyz` and `pbem doctor`: whether the last one is too old
tasks       makes the checkpoint of the day, once
pages       the checkpoints as text, for programs and other hosts
api         where a match stands in them
commands    `pbem checkpoint`
"""
