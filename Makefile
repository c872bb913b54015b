# The contributor's interface; CI calls the same targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BASE := $(VENV)/.base
# Where it is set, each of the tests' processes would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-core rooms lint types unit test-models test-services test-browser test-slow test-flaky docs sbom release measure figures coverage clean

help:            ## what each target does
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 18

setup: $(STAMP)  ## a virtual environment with Decoct, the laboratory, the plug-ins and its tools

$(BASE): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $(BASE)

# Wheels before newer releases that are source alone: with one builder for all, what such a release is built with is not there.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --prefer-binary
# The newest pip finds out what to install in a third of the time. One builder for all seven packages, and modules are compiled when they are imported: a minute of a fresh machine's time.
PLUGINS := plugins/postgresql plugins/milvus plugins/ray plugins/local plugins/testing
$(STAMP): pyproject.toml lab/pyproject.toml $(PLUGINS:%=%/pyproject.toml)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip 'hatchling>=1.25' editables
	$(PIP) --no-build-isolation --no-compile -e '.[dev]' -e 'lab[structured,spacy]' $(PLUGINS:%=-e %)
	touch $(STAMP)

demo: $(BASE)    ## ingest the documents of examples/documents, ask, print the context and a cited answer
	PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

test: setup      ## everything that needs no network, no model and no server
	$(MAKE) --no-print-directory -j 2 lint types unit

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

rooms:           ## the rooms of the house: files, lines, imports from room to room, circles of modules
	@$(PYTHON) tests/rooms.py

# A file's tests stay in one process, as its fixtures are dear.
UNIT := $(BIN)/python -m pytest -n auto --dist loadfile
# What is imported, or built by name, from beside the core.
BESIDE = $(shell grep -rlE '^ *(from|import) decoct_(lab|local|milvus|postgresql|ray)|"extractive"' tests --include='test_*.py') tests/test_recipe_digests.py tests/cli/test_cli_structure.py
unit: setup
	$(UNIT)

test-core: setup ## the tests of the core alone, without those of the laboratory and the plug-ins
	$(UNIT) $(BESIDE:%=--ignore=%)

test-models: setup    ## tests with small language models (about 1.5 GB, fetched once)
	$(BIN)/python -m pytest -m models --timeout 1800

# smolagents needs an older SDK for MCP than ours: it has an environment of its own.
SMOLAGENTS := $(VENV)/smolagents
# The AI SDK and the MCP inspector run in Node.js; where npm is missing, their tests say so and are passed over.
NODE_CLIENTS := $(VENV)/node
test-services: setup $(SMOLAGENTS)/.installed $(NODE_CLIENTS)/.installed  ## tests that start a server on loopback
	SMOLAGENTS=$(abspath $(SMOLAGENTS))/bin/python NODE_CLIENTS=$(abspath $(NODE_CLIENTS)) \
		$(BIN)/python -m pytest -m services --timeout 600

$(NODE_CLIENTS)/.installed:
	mkdir -p $(NODE_CLIENTS)
	if command -v npm >/dev/null; then npm install --silent --no-fund --no-audit --prefix $(NODE_CLIENTS) \
		'ai@^6' '@ai-sdk/openai-compatible@^2' '@ai-sdk/cohere@^3' '@ai-sdk/mcp@^1' '@modelcontextprotocol/inspector@^0.15'; fi
	touch $@

$(SMOLAGENTS)/.installed:
	$(PYTHON) -m venv $(SMOLAGENTS)
	$(SMOLAGENTS)/bin/python -m pip install --quiet --disable-pip-version-check 'smolagents[mcp]>=1.26' 'mcp<2'
	touch $@

AXE := $(VENV)/axe/package/axe.min.js
CHROMIUM ?= /usr/bin/chromium
test-browser: setup $(AXE)  ## tests of the web page in Chromium (Debian's package chromium), with axe (fetched once by npm)
	CHROMIUM=$(CHROMIUM) AXE=$(abspath $(AXE)) $(BIN)/python -m pytest -m browser --timeout 300

$(AXE):
	mkdir -p $(VENV)/axe
	cd $(VENV)/axe && npm pack --silent axe-core@4.14.1 >/dev/null && tar xzf axe-core-4.14.1.tgz

test-slow: setup      ## tests of minutes: 100 x kill -9, ten thousand fuzzed files
	$(BIN)/python -m pytest -m slow --timeout 3600

test-flaky: setup     ## every test that needs nothing, 20 times in random order beside two busy loops; tells who failed (hours; goes on where it was)
	$(BIN)/python benchmarks/flaky.py --runs 20

DOCS := $(VENV)/.docs
$(DOCS): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]' -e lab $(PLUGINS:%=-e %)
	touch $(DOCS)

docs: $(DOCS)         ## the documentation as a site, in site/ (opens from the folder, searches offline); checks every link in it
	$(BIN)/python docs/command_page.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# What the container holds, in an environment of its own; the tools that read it stand in another.
SBOM := $(VENV)/sbom
$(SBOM)/.installed: pyproject.toml $(PLUGINS:%=%/pyproject.toml)
	$(PYTHON) -m venv $(SBOM)/what && $(PYTHON) -m venv $(SBOM)/tools
	$(SBOM)/what/bin/pip install --quiet --disable-pip-version-check '.[server,mcp,openai]' ./plugins/postgresql
	$(SBOM)/tools/bin/pip install --quiet --disable-pip-version-check cyclonedx-bom pip-licenses
	touch $@

sbom: $(SBOM)/.installed  ## dist/sbom.cdx.json (CycloneDX) and dist/licences.md: everything that the container's environment holds
	mkdir -p dist
	$(SBOM)/tools/bin/cyclonedx-py environment --output-reproducible --pyproject pyproject.toml -o dist/sbom.cdx.json $(SBOM)/what/bin/python
	$(SBOM)/tools/bin/pip-licenses --python=$(SBOM)/what/bin/python --format=markdown --order=license --with-urls --output-file=dist/licences.md

# DECOCT_HOME is where the repository lies: links on a package index lead there (hatch_build.py).
release: setup        ## wheels and source distributions of all seven, in dist/, the same to the byte from the same commit
	rm -rf dist && mkdir dist
	for folder in . lab $(PLUGINS); do (cd $$folder && SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(abspath $(BIN))/python -m hatchling build -d $(abspath dist)) || exit 1; done
	cd dist && sha256sum * > SHA256SUMS

DATA ?= ../shared/data
measure: setup      ## go on with the measurements that are missing, one at a time, at low priority (resumes where it was)
	$(BIN)/python benchmarks/measure.py --run --data $(DATA)

figures: setup        ## the figures of lab/docs/figures.md, from committed results
	$(BIN)/python experiments/figures.py

coverage: setup       ## every test that needs no model, with branch coverage by file (fails below 90 % outside optional providers)
	$(BIN)/python -m pytest --cov --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=90

clean:
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-library
