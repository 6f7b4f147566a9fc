# Everything a person needs to do with this repository. `make` lists it.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run build test lint audit bench soak install harnesses prerequisites format clippy tests dependencies web web-checks \
	web-tests pictures lint-api fuzz-api

PASEO := ./target/release/paseo

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

run: build ## Build, then start the daemon in the background
	@$(PASEO) up
	@echo 'Try $(PASEO) run "hello", or `make install` to have paseo on your PATH.'

build: ## Build the release binary, with the web app in it
	@scripts/setup
	@$(MAKE) --no-print-directory web
	cargo build --release --locked -p paseo

test: prerequisites format clippy web-checks harnesses tests web-tests ## Check the format, lint, and run all tests

lint: prerequisites format clippy dependencies ## Check the format, lint, and check the dependencies' licences

audit: ## Look for known vulnerabilities in the dependencies; needs the network, and says what it could not check
	@scripts/audit

# The tests assert what matters of it; this needs the network the first time.
lint-api: ## Lint docs/openapi.json with the recommended rules of Redocly
	@scripts/lint-api

fuzz-api: ## Send the OpenAPI document's requests, right and wrong, to a daemon, and check the answers
	@cargo build --locked -p paseo
	@scripts/fuzz-api

bench: build ## Measure what the design promises, or some of it with ROWS=list,idle,…
	@cargo run --release --locked --quiet -p paseo-bench -- \
		$(if $(ROWS),--rows '$(ROWS)',--results bench/RESULTS.md) $(if $(WITHOUT_WEB),--without-web) $(PASEO)

# It ends by itself, some minutes after MINUTES: making the agents takes time, too.
soak: build ## Watch 500 agents, a team and its terminals for 5 minutes each, or MINUTES=…, and check that nothing freezes or grows
	@cargo run --release --locked --quiet -p paseo-bench -- --soak $(or $(MINUTES),5) \
		$(if $(SCENES),--rows '$(SCENES)') $(PASEO)

install: ## Install paseo into ~/.cargo/bin, or into PREFIX/bin with PREFIX=…
	@scripts/setup
	@$(MAKE) --no-print-directory web
	cargo install --path crates/cli --locked $(if $(PREFIX),--root '$(PREFIX)')

# They show the program as it is: run this when a command or a page looks different.
pictures: web ## Make the pictures of the documentation (docs/pictures) and of every page (target/pictures)
	@cargo build --locked -p paseo
	@cd ui && PASEO_BIN='$(CURDIR)/target/debug/paseo' npm run --silent pictures

# The table is made by a program that is built as the tests are, so that nothing is built twice.
harnesses: ## Install the agents that tests run for real; with LATEST=1 the newest, and try them: docs/harnesses.md
	@echo '== harnesses'
	@scripts/harnesses $(if $(LATEST),latest)
	@$(if $(LATEST),cargo build --workspace --all-features --locked --bin harness-table \
		&& PASEO_HARNESSES='$(CURDIR)/target/harnesses-latest' \
		./target/debug/harness-table docs/harnesses.md "$$(date -u +%F)")

prerequisites:
	@scripts/setup test

format:
	@echo '== format'
	@cargo fmt --all --check

clippy:
	@echo '== clippy'
	@cargo clippy --workspace --all-targets --all-features --locked -- -D warnings

# A snapshot that differs fails, and leaves no file behind.
tests:
	@echo '== tests'
	@INSTA_UPDATE=no cargo test --workspace --all-features --locked

web: ui/dist/index.html

ui/node_modules/.package-lock.json: ui/package-lock.json
	@echo '== packages of the web app'
	@cd ui && npm ci --no-audit --no-fund --loglevel=error

ui/dist/index.html: ui/node_modules/.package-lock.json $(shell find ui/src ui/public ui/build ui/client/src ui/index.html ui/vite.config.ts -type f)
	@echo '== web app'
	@cd ui && npm run --silent build

web-checks: web
	@echo '== web app and its client package: format, lint, types, units'
	@cd ui && npm run --silent format:check && npm run --silent lint && npm run --silent check \
		&& npm run --silent types:check && npm run --silent test

# After the Rust tests, which build the binary that it drives.
web-tests: web
	@cargo build --locked -p paseo
	@echo '== client package'
	@cd ui && PASEO_BIN='$(CURDIR)/target/debug/paseo' npm run --silent test:client
	@echo '== web app in a browser'
	@cd ui && PASEO_BIN='$(CURDIR)/target/debug/paseo' npm run --silent test:e2e

# The first time, cargo-deny is compiled, which takes minutes. It reads what `cargo fetch` got.
dependencies:
	@echo '== dependencies'
	@cargo deny --version >/dev/null 2>&1 || cargo install cargo-deny --locked
	@cargo fetch --locked
	@cargo deny --offline check licenses bans sources
