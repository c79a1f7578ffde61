"""Subcommands of `pbem`, a module each; `pbem.cli` imports only the one that runs."""
