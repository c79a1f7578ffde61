"""What this tree costs beside the one of 11c4cf5b: both do the same work in turn, and the goals are ratios.

make bench-ratio                    all rows, some 15 minutes
make bench-ratio ARGS='page mail'   some of them

`__main__` measures and prints Markdown, `rows` has the goals, `trees` the two trees and their processes, and `subject`
is what runs in either of them.
"""
