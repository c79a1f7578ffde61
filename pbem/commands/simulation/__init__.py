"""`pbem simulate`: matches of bots, their figures as tables, and as pictures."""
