"""The kit: what every game is written with. Pure: no input or output, no clock, no luck of its own.

contract   the words and the `Game` protocol          chance    luck from a seed, or from a script
secrecy    who may see which field of an event        codec     canonical JSON, strict decoding
choices    legal moves without making them all        notation  forgiving reading of typed moves
replay     entries, folds, what is still fresh        logfile   the portable log
verdict    whether a log agrees with itself          bots      programs that fill seats
play       matches in memory, by random moves        laws      what every game must obey, by random play
soundness  the laws of a position and its decisions  bounds    the laws of events and their sizes
damage     what can be wrong with a portable log, in words
commitments  the commitment to a seed as people read and type it
"""
