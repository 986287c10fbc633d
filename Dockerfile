# A small image with the command lighttea:
#   docker build -t lighttea .
#   docker run --rm -v "$PWD:/data" lighttea align left.tsv right.csv --out runs/first
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir "build>=1.2" && \
    python -m build --wheel --outdir /wheels . && \
    python -m venv /opt/lighttea && \
    wheel="$(ls /wheels/lighttea-*.whl)" && \
    /opt/lighttea/bin/pip install --no-cache-dir "${wheel}[json,report,review,xlsx,zstd]"

FROM python:3.12-slim
COPY --from=build /opt/lighttea /opt/lighttea
ENV PATH="/opt/lighttea/bin:$PATH" \
    NUMBA_CACHE_DIR=/tmp/numba
RUN useradd --create-home --uid 1000 lighttea && \
    mkdir /data && \
    chown lighttea:lighttea /data
USER lighttea
WORKDIR /data
ENTRYPOINT ["lighttea"]
CMD ["--help"]
