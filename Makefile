# Shorthands for people; each is a line or two of scripts/ or of the CMake presets (`cmake --list-presets`).
PRESET ?= release
PREFIX ?= /usr/local

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "  make %-11s %s\n", $$1, $$2 }'

.PHONY: setup build demo test test-full test-gpu film-gpu bench bench-maps bench-peers docs format lint install clean
setup: ## install what is missing (Debian, Ubuntu; root or sudo)
	@scripts/setup

build: setup ## build the library and the program (PRESET=release or debug)
	@echo "configuring build/$(PRESET)"
	@cmake --preset $(PRESET) > /dev/null
	@cmake --build --preset $(PRESET) --target scree

demo: ## the spinning drum: a film and a poster in out/drum
	@$(MAKE) --no-print-directory build PRESET=release
	@scripts/demo

test: ## everything that must hold, sanitizers included
	@scripts/test

test-full: ## that and the slow tests
	@scripts/test --full

test-gpu: ## the GPU part, where there is a GPU
	@scripts/test-gpu

film-gpu: ## a million letters leave a silo: a film in out/million, by a build with the GPU part
	@scripts/film-gpu

bench: ## benchmarks of maps, scenes and large steps: tables here and in out/bench, CSV in bench/results
	@scripts/bench

bench-maps: ## only the contact maps: build time, error, query time
	@scripts/bench maps

bench-peers: ## LAMMPS, YADE and Box2D (installed if missing) beside Scree on the same piles
	@scripts/bench-peers

docs: ## the documentation as a site, in out/site
	@scripts/docs

format: ## clang-format, in place
	@scripts/setup --dev
	@scripts/format

lint: ## clang-format and clang-tidy, only looking
	@scripts/lint

install: build ## headers, libraries, program and CMake package into PREFIX=/usr/local
	@cmake --install build/$(PRESET) --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf build
