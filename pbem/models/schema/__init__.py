"""The schema of a database beside that of this program.

branches    the migrations of features, which go on beside those of the trunk
revisions   which one this program knows, and the table that says which programs may still write
touching    the triggers that count what changes in a match without a new version
comparison  what distinguishes the tables of a database from those that the models declare
fresh       makes the tables of a new SQLite database at once
upgrade     brings a database up to date, with a copy of a SQLite file from before
"""
