"""Uploaded logs: portable logs from anywhere, kept for a while, to be watched and not played on.

Begin with `uploaded_logs`.

tables         the uploaded logs
settings       what a host may set
uploaded_logs  takes them, gives them to anybody who knows their address, and replays them from the log alone
                 keep_log, read_document, open_kept_log, remove_log
limits         how often one place may upload and look at them
hooks          what this adds to erasure, retention and the clock
pages          opening a file, the viewer, and links to them on other pages
api            sending a log by program, and all that is done with it

commands/ holds `pbem logs`, and `pbem replay`, which tells the story of a log from a file.
"""
