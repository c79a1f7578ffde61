"""The portable log of a match: a JSON document that replays it, for one viewer or for all.

logfile      reads and writes the document
log_errors   what can be wrong with a log, in words
verdict      whether a log agrees with itself
type_errors  a decoding error in words
"""
