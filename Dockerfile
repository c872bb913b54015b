# The server in a container: `docker build -t decoct .`; see docs/server.md. Two stages, so that no build tool is in the image.
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE NOTICE ./
COPY src src
COPY plugins/postgresql plugins/postgresql
# Only what is imported here is compiled, and pip stays behind: 490 MB in place of 600 (with the base 632).
RUN python -m venv /opt/decoct \
  && /opt/decoct/bin/pip install --no-cache-dir --no-compile '.[server,mcp,openai]' ./plugins/postgresql \
  && /opt/decoct/bin/python -c 'import decoct.cli.app, decoct.library, decoct.server.app, decoct.mcp.tools, decoct_postgresql' \
  && /opt/decoct/bin/pip uninstall --yes pip

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home --home-dir /data decoct
COPY --from=build /opt/decoct /opt/decoct
ENV PATH=/opt/decoct/bin:$PATH PYTHONUNBUFFERED=1 DECOCT_STATE=/data/server
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen(r.Request('http://127.0.0.1:8000/health'), timeout=4)"]
# Reachable from outside, so it refuses to start before there is a key: decoct keys add --server-admin --library '*:admin'
ENTRYPOINT ["decoct"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
