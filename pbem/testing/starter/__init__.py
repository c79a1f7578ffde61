"""The files that `pbem new-game` writes: a package with Pig in it, in which the new game's names are put."""
