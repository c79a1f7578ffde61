# One image for web, worker, beat and migrate; the command says which (see Procfile).
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app

COPY requirements/run.txt requirements/run.txt
RUN pip install --require-hashes --requirement requirements/run.txt

COPY pyproject.toml ./
COPY pbem pbem
COPY workers workers
COPY templates templates
# Everything it needs is above with hashes, but for the build backend of this one step.
RUN pip install --no-deps --editable . && useradd --system --no-create-home --uid 10001 pbem

USER pbem
EXPOSE 8000
CMD ["python", "-m", "pbem.server"]
