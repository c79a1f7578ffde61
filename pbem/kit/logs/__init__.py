"""The portable log of a match: a JSON document that replays it, for one viewer or for all.

Services, commands and features may call all of it. Begin with `logfile`.

logfile        reads and writes the document
entries        its entries: decoded, and refused where no match could have written them
log_errors     what can be wrong with a log, and with JSON that is decoded, in words
repetition     every decision of a log made again, and what was drawn for it
fortunes       how lucky each seat was
chain          commitments, lucky words, marks, and the chain of hashes over a log
verdict        whether a log agrees with itself, and with what a player holds
verdict_texts  what it says, in words
"""
