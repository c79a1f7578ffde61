"""Where finished matches were decided: worked out once each, in a worker, when somebody wishes it.

analyses   what there is of an analysis, for those who may see the whole replay; asking for one
             request_analysis, read_analysis
analysing  works them out, some positions at a time
             analyse, is_due
"""
