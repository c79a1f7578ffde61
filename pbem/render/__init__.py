"""What people see: phrases with the names put in, boards with the symbols put in, pictures for mails.

Pages, API and mails may call all of it. Begin with `phrases` for words and `pictures` for boards.
"""
