# One image for web, worker, beat and migrate; the command says which (see Procfile).
ARG PYTHON=python:3.13-slim

FROM ${PYTHON} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
# All that comes from the net comes with hashes, and before the code: a change of the code needs no net. Libraries that
# come as sources alone are built with what build.txt names.
COPY requirements/build.txt requirements/run.txt requirements/
RUN pip install --require-hashes --requirement requirements/build.txt
RUN pip install --require-hashes --no-build-isolation --ignore-installed --prefix /install --requirement requirements/run.txt
COPY pyproject.toml LICENSE ./
COPY templates templates
COPY workers workers
COPY pbem pbem
RUN pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
    && pip install --no-deps --prefix /install dist/*.whl

FROM ${PYTHON}
ENV PYTHONUNBUFFERED=1
WORKDIR /app
# Skia is linked to libEGL and libGL: without them pictures are about eleven times slower. Fonts: names in all scripts, and
# emoji, in pictures of boards.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        fontconfig fonts-droid-fallback fonts-noto-color-emoji fonts-noto-core libegl1 libgl1 \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --no-create-home --uid 10001 --shell /usr/sbin/nologin pbem
COPY --from=build /install /usr/local

USER pbem
EXPOSE 8000
CMD ["python", "-m", "pbem.run.server"]
