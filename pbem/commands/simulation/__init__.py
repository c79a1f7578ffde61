"""`pbem simulate` and `pbem lab`: their arguments, the run, and the results as text, JSON, pictures and a page."""
