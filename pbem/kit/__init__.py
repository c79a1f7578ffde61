"""The kit: what every game is written with. Pure: no input or output, no clock, no luck of its own.

contract   the words and the `Game` protocol          chance    luck from a seed, or from a script
secrecy    who may see which field of an event        codec     canonical JSON, strict decoding
choices    legal moves without making them all        notation  forgiving reading of typed moves
replay     entries, folds, what is still fresh        bots      programs that fill seats
play       matches in memory, by random moves         options   what a match may be set up with
texts      texts in two languages                     commitments  the commitment to a seed as people type it
logs       the portable log of a match                laws      what every game must obey, checked by random play
words      word tables, sentences, lists              svg       the strokes of a board
board      one viewer's eyes and marks                tuples    changes to frozen tuples
course     the events of a decision, as they happen   assemble  a game made of its modules
"""
