"""What binds a match to what its players hold, so that nobody can choose its luck or rewrite its log unnoticed.

docs/chance.md specifies each value to the byte.

lucky_words  what each player adds to the luck of a match
commitments  what is fixed before the deal, and the key of all luck
chain        the chain of hashes over a log, with seals where something is secret
marks        the short form of the chain's head
"""
