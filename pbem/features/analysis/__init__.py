"""Where finished matches were decided: worked out once each, in a worker, when somebody wishes it.

Begin with `analyses`; other code reaches a feature only by its hooks, pages and API.

tables     the analyses, or as much as there is of each
course     the course of a match, what each of its positions was worth, and what each move cost
analyses   what there is of an analysis, for those who may see the whole replay; asking for one; works them out
             request_analysis, read_analysis, continue_longest_waiting_analysis
limits     how often one place may ask for one
hooks      what this adds to the clock and metrics
tasks      has somebody work on the analysis that is due, where bots think
pages      asking for an analysis, how far it is, and what the page of a replay shows
api        asking for an analysis, and all of it
"""
