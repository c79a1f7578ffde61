"""A game said once: moves that say why not, facts that apply and tell themselves, and what comes by itself.

A layer above the contract. `Game` works out of them what the contract asks for: questions, legal moves, refusals,
previews, suppositions, notation, buttons and links, and calls `pbem.kit.assemble`. Its methods have the contract's
names, so a game gives any face by hand where it overrides one.

rules     `Game`: what a game says of itself, and the faces that follow
moves     answers, the reasons against them, and questions
facts     events, and states that count them
knowing   what is known when a fact comes by itself: by the service, one seat, or in every way it may come
patterns  moves as they are typed
parts     boards made of parts that draw and say themselves
"""
