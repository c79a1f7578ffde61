"""The kit: what every game is written with. Pure: no input or output, no clock, no luck of its own.

contract     the words and the `Game` protocol
texts        texts in two languages
choices      legal moves without making them all
secrecy      who may see which field of an event
replay       entries, folds, what is still fresh, the events of a decision as they happen
folds        what everybody knows after some entries, to go on from there
takeback     whether a move has told anybody anything
endings      how a match ended, by its rules or because of the people at the table, and the places of its seats
play         matches in memory, by random moves
assemble     a game made of its modules
game         a game said once: the layer above the contract
options      what a match may be set up with
chance       luck from a seed, or from a script
bots         programs that fill seats, those that think among them
codec        canonical JSON, strict decoding
notation     forgiving reading of typed moves
answers      what one types to answer a question, and answers as a small table, for mails
orders       what a seat has said beforehand about questions to come
plans        what could come next, as one seat can foresee it
windows      how long a silent window stays open, and how long an order waits
words        word tables, sentences, lists
drawing      strokes and regions of boards
logs         the portable log of a match, and what binds it to what players hold
laws         what every game must obey, checked by random play
"""
