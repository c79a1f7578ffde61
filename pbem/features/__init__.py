"""Features: what a host can leave out. Each is a folder here, or an installed package; the core names none of them.

`pbem.discovery` finds them, and these modules of theirs by name; a feature has those that it needs:

tables  its tables, imported with those of the core
hooks   `HOOKS`, what it adds to the services: see `pbem.services.hooks`
pages   its pages, and what it adds to those of others: see `pbem.web.features`

Beside the folders stands what several of them need:

leases     rows that wait to be worked on, each claimed by one of any number of workers
slices     long work on a row, done in slices by any number of workers
safe_http  calls to URLs entered by strangers: public addresses only
chances    what a position is worth to each seat, by playouts
lines      what becomes of a line that a seat has thought out, and the orders that it makes

`static/` holds its static files. The templates are in `templates/features/<name>/`, or in `templates/` of an installed
package. docs/new-feature.md tells how to write one.
"""
