"""The kinds of mails: a module each, found by discovery (`pbem.services.kinds`). Those of a feature are its `letters`.

A module has the letter, a frozen value with all that the mail says; `build`, which writes it; and `KIND`, which holds
both and says how the service treats the mail. What it says in words is in `templates/mail/<kind>.jinja`.
"""
