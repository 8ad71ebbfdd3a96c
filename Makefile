# Every target does its own set-up, so that a fresh clone needs nothing but Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
TOOLS := .venv-formats
BROWSER := .venv-browser
SERVER := .venv-server
SITE := .venv-site
OBJECTS := .venv-objects
RELEASE := .venv-release
MCP := .venv-mcp
DECISIONS := .venv-decisions
VULNERABILITIES := .venv-audit
JUDGES := .venv-judges
OPENAI := .venv-openai
FRAMEWORKS := .venv-frameworks
PYTHONS ?= 3.11 3.12 3.13
KERNELS ?= Haswell:1 SkylakeX:2 Zen:2 Prescott:1
BIN := $(VENV)/bin
export FIDUCIAL_REFERENCE
# Tests import and start the same modules over and over: bytecode of them and of the tests is kept.
export PYTHONDONTWRITEBYTECODE :=

# $(call beside,FOLDER,LIST): an environment of its own with the packages of a list, in which everything of $(VENV) is found, too.
define beside
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@$(1)/bin/python -m pip install --quiet -r $(2)
	@$(1)/bin/python -c "import pathlib, site, sys; places = [p.resolve() for p in pathlib.Path('$(VENV)').glob('lib/python*/site-packages')]; \
		(pathlib.Path(site.getsitepackages()[0]) / 'zz_ours.pth').write_text(''.join(f'import site; site.addsitedir({str(p)!r})\n' for p in places))"
endef

.PHONY: help demo test slow properties browser pictures site attacks pythons kernels lint bench bench-scale ray spark objects formats frameworks openai-2 promptflow server-check evidence requests seeds release mcp decisions vulnerabilities cards shipped-judges tool-rounds format clean

# pip is asked again only when pyproject.toml changes.
$(VENV)/.ready: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet -e '.[dev,test]'
	@mkdir -p .links && ln -sfn .. .links/fiducial
	@$(BIN)/python benchmarks/bytecode.py
	@touch $@

demo: $(VENV)/.ready  ## the whole pipeline on the built-in suite, offline; the report lands in ./demo
	@$(BIN)/fiducial demo --out demo

test: $(VENV)/.ready  ## the tests of everything that a change breaks in seconds; set FIDUCIAL_REFERENCE to compare with reference data too
	@$(BIN)/python -m pytest -n auto --dist worksteal

slow: $(VENV)/.ready  ## the other tests: kills, limits, time-outs, large inputs, other kernels
	@$(BIN)/python -m pytest -n auto --dist worksteal -m slow

properties: $(VENV)/.ready  ## the property tests with new examples, FIDUCIAL_EXAMPLES=1000 of them a test; `make test` tries 25 of them, the same in each run
	@FIDUCIAL_EXAMPLES=$${FIDUCIAL_EXAMPLES:-1000} $(BIN)/python -m pytest -q -n auto --dist worksteal -m hypothesis

browser: $(VENV)/.ready  ## the pages in Chromium (Debian: chromium chromium-driver), with axe-core, which npm brings; in an environment of its own (90 MB)
	$(call beside,$(BROWSER),.ci/browser.txt)
	@if command -v npm >/dev/null && ! test -e $(BROWSER)/node_modules/axe-core; then \
		npm install --silent --no-audit --no-fund --prefix $(BROWSER) axe-core@4.14.1 || echo "axe-core cannot be installed here: its tests are skipped"; fi
	@PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(BROWSER)/bin/python -m pytest -p pytest_timeout tests/browser

pictures: $(VENV)/.ready  ## the pictures of the documentation anew, after what they show has changed; needs what `make browser` needs
	$(call beside,$(BROWSER),.ci/browser.txt)
	@PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 FIDUCIAL_PICTURES=docs/images $(BROWSER)/bin/python -m pytest -q -p pytest_timeout tests/browser/test_pictures.py

site: $(VENV)/.ready  ## these pages and an API reference into build/site; a dead link or anchor is an error; in an environment of its own (120 MB)
	$(call beside,$(SITE),.ci/site.txt)
	@$(SITE)/bin/python -m sphinx -q -E -W --keep-going -c docs -d $(SITE)/doctrees . build/site
	@echo build/site/docs/index.html

attacks: $(VENV)/.ready  ## every attack that is kept as a test, and a table by area: tried, held; `.ci/as_ordinary_user make attacks` as somebody else than root
	@PYTHONPATH=tests/support $(BIN)/python -m pytest -q -n auto --dist worksteal -m attack -p attack_table

pythons: $(VENV)/.ready  ## types and tests under Python 3.11, 3.12 and 3.13, where they are there; TESTS=tests/judges for some of them
	@for version in $(PYTHONS); do .ci/under_python $$version $(TESTS) || exit 1; done

kernels: $(VENV)/.ready  ## the statistics' tests under the linear algebra of other processors, and with one and two threads; KERNELS="Zen:2" for some
	@for kernel in $(KERNELS); do .ci/under_kernel $${kernel%:*} $${kernel#*:} || exit 1; done

lint: $(VENV)/.ready  ## formatter, linter, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports

bench: $(VENV)/.ready  ## start-up, throughput, memory: ratios measured side by side; PEERS=FOLDER measures other tools, too
	@$(BIN)/python benchmarks/run_all.py $(if $(PEERS),--peers $(PEERS))

promptflow:  ## the judges under promptflow and azure-ai-evaluation, in an environment of their own (620 MB); ONLY="rubric" for some tests
	@test -x .venv-promptflow/bin/python || $(PYTHON) -m venv .venv-promptflow
	@.venv-promptflow/bin/python -m pip install --quiet -e '.[runners]'
	@PF_HOME_DIRECTORY="$(CURDIR)/.venv-promptflow/.promptflow" \
		.venv-promptflow/bin/python -m pytest tests/api/test_evaluators.py tests/api/test_promptflow.py tests/api/test_azure.py \
		tests/judges/test_connections.py tests/judges/test_shipped_prompts.py tests/docs/test_python_blocks.py $(if $(ONLY),-k "$(ONLY)")

server-check: $(VENV)/.ready  ## generating and judging by a server of another maker (mlx-lm) with tiny models made on the spot, in an environment of its own (350 MB)
	@test -x $(SERVER)/bin/python || $(PYTHON) -m venv $(SERVER)
	@$(SERVER)/bin/python -m pip install --quiet -r .ci/server.txt
	@FIDUCIAL_SERVER_PYTHON="$(CURDIR)/$(SERVER)/bin/python" $(BIN)/python -m pytest tests/server

evidence: $(VENV)/.ready  ## docs/evidence.md from recorded replies of a real model; needs FIDUCIAL_REFERENCE
	@$(BIN)/python benchmarks/evidence.py --out docs/evidence.md

formats: $(VENV)/.ready  ## other tools write what is read and read what is written, in an environment of their own (540 MB; with npm, promptfoo: 1.4 GB more)
	$(call beside,$(TOOLS),.ci/tools.txt)
	@if command -v npm >/dev/null && ! test -x $(TOOLS)/node_modules/.bin/promptfoo; then \
		npm install --silent --no-audit --no-fund --prefix $(TOOLS) promptfoo@0.121.20 || echo "promptfoo cannot be installed here: its tests are skipped"; fi
	@PATH="$(CURDIR)/$(TOOLS)/node_modules/.bin:$$PATH" PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 DEEPEVAL_TELEMETRY_OPT_OUT=1 \
		$(TOOLS)/bin/python -m pytest -p pytest_timeout -W ignore tests/formats/with_tools

frameworks:  ## traces of agent frameworks, run against a scripted server in an environment each (5 GB); then their tests
	@$(PYTHON) benchmarks/frameworks --environments $(FRAMEWORKS)
	@$(MAKE) --no-print-directory $(VENV)/.ready && $(BIN)/python -m pytest -q tests/formats/test_frameworks.py

openai-2: $(VENV)/.ready  ## what uses the openai library, with its oldest version that is allowed; in an environment of its own (60 MB)
	$(call beside,$(OPENAI),.ci/openai.txt)
	@$(OPENAI)/bin/python -m pytest -q tests/judges/transport/test_library_sender.py tests/judges/transport/test_secrets.py tests/evaluation/batch

shipped-judges: $(VENV)/.ready  ## metrics of other tools as judges: their tests, and docs/shipped-judges.md; in an environment of its own (260 MB)
	$(call beside,$(JUDGES),.ci/judges.txt)
	@PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 DEEPEVAL_TELEMETRY_OPT_OUT=1 \
		$(JUDGES)/bin/python -m pytest -p pytest_timeout -W ignore tests/formats/with_tools/test_metrics_as_judges.py
	@DEEPEVAL_TELEMETRY_OPT_OUT=1 $(JUDGES)/bin/python benchmarks/shipped_judges.py --out docs/shipped-judges.md

cards: $(VENV)/.ready  ## a card of every judge that can be asked offline into docs/cards, and docs/measured-judges.md; needs FIDUCIAL_REFERENCE; in the environment of shipped-judges
	$(call beside,$(JUDGES),.ci/judges.txt)
	@$(JUDGES)/bin/python -m pip install --quiet -r .ci/decisions.txt
	@DEEPEVAL_TELEMETRY_OPT_OUT=1 $(JUDGES)/bin/python benchmarks/judge_cards.py

tool-rounds: $(VENV)/.ready  ## requests of other tools' judges, round by round, answered by a scripted model; each tool in an environment of its own (4 GB); TOOL="deepeval" for some
	@$(BIN)/python benchmarks/tool_requests.py --rounds --scripted --out build/tool-rounds $(TOOL)

ray: $(VENV)/.ready  ## a run on Ray with what can go wrong there, and checkers under Dask, in an environment of its own (310 MB); TESTS="..." for some
	$(call beside,.venv-ray,.ci/ray.txt)
	@.venv-ray/bin/python -m pytest $(or $(TESTS),tests/engines)

spark: $(VENV)/.ready  ## checkers under Spark, in an environment of its own (850 MB; needs Java 17)
	$(call beside,.venv-spark,.ci/spark.txt)
	@.venv-spark/bin/python -m pytest tests/engines/test_spark.py

bench-scale: $(VENV)/.ready  ## wall and processor time and memory by size and workers; with .venv-ray (make ray) on Ray, too; SIZES="10000 100000"
	@$(BIN)/python benchmarks/scale.py $(SIZES) $(if $(wildcard .venv-ray/bin/python),--ray "$(CURDIR)/.venv-ray/bin/python")

objects: $(VENV)/.ready  ## runs kept in a store that speaks S3 (moto), with kills and two writers, in an environment of its own (350 MB)
	$(call beside,$(OBJECTS),.ci/objects.txt)
	@PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(OBJECTS)/bin/python -m pytest -p pytest_timeout -W ignore tests/objects

requests: $(VENV)/.ready  ## batch files for every judge and variant, into ./requests; MODEL=... names the model; LADDER=1 writes questions of ladders instead, AUDIT=1 planted faults and attacks, and 300 lifelike faults and twins
	@$(BIN)/python benchmarks/make_requests.py --out requests $(if $(MODEL),--model $(MODEL)) $(if $(LADDER),--ladder) $(if $(AUDIT),--audit)

seeds: $(VENV)/.ready  ## the items of the five documents this project began with, each by its check
	@$(BIN)/python benchmarks/seeds.py

vulnerabilities:  ## known vulnerabilities of a default installation, by pip-audit, where the index has data on them
	@test -x $(VULNERABILITIES)/bin/python || $(PYTHON) -m venv $(VULNERABILITIES)
	@$(VULNERABILITIES)/bin/python -m pip install --quiet -r .ci/vulnerabilities.txt
	@.ci/vulnerabilities $(VULNERABILITIES)/bin/pip-audit $(PYTHON)

mcp: $(VENV)/.ready  ## the server for coding assistants, asked by the official client, in an environment of its own (70 MB)
	$(call beside,$(MCP),.ci/mcp.txt)
	@PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(MCP)/bin/python -m pytest -p pytest_timeout -W ignore tests/mcp

decisions: $(VENV)/.ready  ## decision models of other makers: every fault of a mock server, a real model that knows nothing, and their page; in an environment of its own (150 MB)
	$(call beside,$(DECISIONS),.ci/decisions.txt)
	@PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(DECISIONS)/bin/python -m pytest -p pytest_timeout -W ignore tests/decisions

release: $(VENV)/.ready  ## wheel and source archive of the last commit into ./dist, checked, and tried on every Python here; REPOSITORY=https://... names the repository
	$(call beside,$(RELEASE),.ci/release.txt)
	@$(RELEASE)/bin/python .ci/release.py $(if $(REPOSITORY),--repository $(REPOSITORY))

format: $(VENV)/.ready  ## let the tools mend what they can
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

help:  ## what can be made
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

clean:  ## remove what was installed and built here
	rm -rf $(VENV) .venv-* .links build dist *.egg-info
