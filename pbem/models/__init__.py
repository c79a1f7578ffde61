"""Tables and the engine: storage only, no behaviour.

Services, and use cases of features, read and write rows; pages and API do not import it. Begin with `tables`.
"""
