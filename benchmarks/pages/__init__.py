"""How pages open on a slow phone: first paint, largest paint, layout shift and bytes of a first visit, beside bars.

make bench-pages                      all pages
make bench-pages ARGS='home rules'    some of them
"""
