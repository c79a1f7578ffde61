"""Clients that generators make from the document of the API, and what each of them plays."""
