"""Subcommands of `pbem`, a module each; `pbem.cli` imports only the one that runs.

Commands of features may call `terminal` and `host`. Begin with `terminal`, which has what all commands print with.
"""
