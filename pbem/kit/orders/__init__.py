"""Standing orders: what a seat has said beforehand about questions to come.

An order has one of four shapes: a fixed answer to a kind of question, a ranked list, a rule that the game declares, a
line of facts with the move that follows it. Nothing here knows a clock or a log: who stores orders, and when they are
looked at, is up to the services.

shapes     the shapes that work in every game
scopes     how long an order stands
forms      what the forms of orders ask for, and the order that they make
following  what an order answers
delays     how long an order waits before it answers
refusals   why an order cannot be saved
typed      orders as they are typed
telling    what an order will do, in a sentence
sittings   questions to one seat that its owner can answer at once
"""
