"""Course: how a match that is over went, on its page: the scores in their course, turning points, numbers.

Begin with `results`.

results     a few numbers of its log, the scores, and the turning points
              read_result
pages       what the page of the match shows of it
"""
