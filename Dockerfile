# The service in a container: docs/guides/containers.md. Both stages have the same base, so that the venv
# fits. Another base must be Debian with python3 (3.11 or newer) and its venv module.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
# The commit, for the version that the service says: the files below are no clone.
ARG COMMIT=
ENV CONTENTSVC_COMMIT=${COMMIT}
WORKDIR /src
COPY LICENSE README.md pyproject.toml setup.cfg ./
COPY etc/requirements.lock etc/requirements.build.lock ./etc/
COPY twisted ./twisted
COPY contentsvc ./contentsvc
# Nothing is installed but files whose hashes scripts/lock has written down. twistd writes Twisted's
# cache of plugins here: nobody can write it later.
RUN python3 -m venv /build && python3 -m venv /opt/contentsvc \
    && /build/bin/pip install --no-cache-dir --require-hashes --only-binary :all: \
        -r etc/requirements.build.lock \
    && /build/bin/pip wheel --no-cache-dir --require-hashes --no-build-isolation \
        --wheel-dir /dist -r etc/requirements.lock \
    && /build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --no-index \
        --wheel-dir /dist . \
    && /opt/contentsvc/bin/pip install --no-cache-dir --no-deps --no-index /dist/*.whl \
    && /opt/contentsvc/bin/twistd --help >/dev/null

FROM ${BASE}
# Postgres asks for the name of its user, so there must be one. 10001 is nobody's on Debian.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/contentsvc \
        --shell /usr/sbin/nologin contentsvc \
    && install -d -m 0700 -o 10001 -g 10001 /var/lib/contentsvc
COPY --from=build /opt/contentsvc /opt/contentsvc
ENV PATH=/opt/contentsvc/bin:$PATH \
    CONTENTSVC_LISTEN=tcp:8080 \
    CONTENTSVC_DATA_DIR=/var/lib/contentsvc \
    CONTENTSVC_LOG_FORMAT=json
USER 10001:10001
WORKDIR /var/lib/contentsvc
VOLUME /var/lib/contentsvc
EXPOSE 8080
STOPSIGNAL SIGTERM
# Alive, not ready: to start the container anew does not bring back a database that is away.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/health/live', timeout=4)"]
# Settings can follow as options.
ENTRYPOINT ["twistd", "--nodaemon", "--pidfile=", "contentsvc"]
