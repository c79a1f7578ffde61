"""The Celery side: tasks of a few lines over `pbem.services`.

Its import name is `pbem.workers`, in a checkout (`pbem/workers` links here) as in the wheel, which installs no other
top-level package than `pbem`. Imports within it are relative, so that `celery --app workers.app:app` in a checkout does
not make a second application.
"""
