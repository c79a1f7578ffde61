"""Standing orders: what a seat has said beforehand about questions to come.

An order has one of four shapes: a fixed answer to a kind of question, a ranked list, a rule that the game declares, a
line of facts with the move that follows it. Nothing here knows a clock or a log: who stores orders, and when they are
looked at, is up to the services.

shapes     the shapes that work in every game, and why an order cannot be saved
forms      what the forms of orders ask for, and the order that they make
following  what an order answers, how long it stands, and what else one can answer at once
typed      orders as they are typed, and what one will do in a sentence
"""
