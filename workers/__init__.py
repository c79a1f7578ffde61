"""The Celery side: tasks of a few lines over `pbem.services`."""
