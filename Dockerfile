# The scoring service: docker build -t rarebit . ; the model is mounted at /model.rarebit.
FROM python:3.11-slim-bookworm AS build

# The engine is C++17; the compiler stays in this stage. Versions are those of the base image's
# Debian release, which gets security updates only.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends -y cmake g++ ninja-build \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY core core
COPY src src
COPY requirements requirements
RUN python -m venv /opt/rarebit \
    && /opt/rarebit/bin/pip install --no-cache-dir --constraint requirements/constraints.txt ".[server]"

FROM python:3.11-slim-bookworm

# Nothing in the image runs as root, and nothing needs to be written.
RUN useradd --system --no-create-home --uid 10001 rarebit
COPY --from=build /opt/rarebit /opt/rarebit
USER 10001
ENV PATH=/opt/rarebit/bin:$PATH PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
# RAREBIT_TOKEN must be set: the service can be reached from outside its container.
ENTRYPOINT ["rarebit", "serve"]
CMD ["/model.rarebit", "--host", "0.0.0.0", "--port", "8000"]
