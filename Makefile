# The commands of the project. `make help` lists them.

SHELL := bash
SWIFT ?= swift
DEMO ?= captures/demo.pcapng.gz
OUT ?= out/demo
# One build serves the program and its tests: everything is compiled once, optimized, and tests see what is internal.
# Debugging information takes a fifth of the time, and the program that is linked has none.
BUILD := $(SWIFT) build -c release -debug-info-format none -Xswiftc -enable-testing
# There is one program: `make run` runs it, tests and benchmarks measure it, and `make install` and packages have it. On Linux it is linked
# with the Swift runtime, so that it needs no Swift where it is installed, and without what sniffer never asks for.
BUILT := .build/sniffer
ifeq ($(shell uname -s),Linux)
UNITS = packaging/*.service packaging/*.timer
BUILD += -Xswiftc -Xfrontend -Xswiftc -function-sections
LINK = packaging/link $(BUILT)
else
# What is signed has to be signed again once its symbols are gone.
LINK = strip -x -o $(BUILT) .build/release/sniffer && codesign --force --sign - $(BUILT)
endif
# Empty where something else has installed the libraries, as Homebrew does.
DEPENDENCIES ?= dependencies
FLAGS ?=
BUILD += $(FLAGS)
PREFIX ?= /usr/local
ROOT = $(DESTDIR)$(PREFIX)
# A program that is built already, to install or pack that.
PROGRAM ?=
INSTALLED = $(or $(PROGRAM),$(BUILT))
PACKAGES ?= out/packages
KINDS ?=
# Man pages and completions of the program, made anew for each installation.
PAGES ?= out/packaging
# Installed below share/doc/sniffer as they lie here, so that their links lead to each other.
DOCUMENTS = LICENSE CHANGELOG.md CONTRIBUTING.md README.md SECURITY.md scale/README.md packaging/grafana-dashboard.json \
  $(shell find docs -name '*.md' -o -name '*.png' -o -name '*.svg')

LOGS := .build/logs
SECONDS ?= 60
RUNS ?= 20000
TARGETS ?=
ADDRESS ?=
COUNT ?= 20000
MINUTES ?= 10
SEED ?=
BENCHMARKS ?= out/benchmarks
CORPUS ?= $(if $(SNIFFER_CORPUS),$(SNIFFER_CORPUS),../shared/corpus)

.PHONY: help run test test-all test-steady build dependencies docs install uninstall package package-check images format lint sanitize sanitize-with benchmark loss meters record fuzz smoke mutants attacks clean

help: ## List the commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Install what is missing, build, and analyze the demo capture into out/demo.
	$(BUILT) $(DEMO) --template -o $(OUT)

test: ## Install what is missing, build, and run all tests. In CI, what is skipped has to be in Tests/skips.
	scripts/install-dependencies --tests
	$(BUILD) --build-tests
	$(LINK)
	scripts/run-tests $(BUILT) $(LOGS)
	$(if $(CI)$(SNIFFER_STRICT),scripts/check-skips $(LOGS)/*.log)

test-all: ## The same with every seed: random tests try four times as many cases as in make test.
	SNIFFER_ALL_SEEDS=1 $(MAKE) test

test-steady: ## Run all tests ten times, five of them beside four busy loops on the same processors: none may fail.
	scripts/install-dependencies --tests
	$(BUILD) --build-tests
	$(LINK)
	scripts/test-steady $(BUILT) $(LOGS)

build: $(DEPENDENCIES) ## Build in release mode.
	$(BUILD) --product sniffer
	$(LINK)

dependencies: ## Install the system libraries that the build needs.
	scripts/install-dependencies

install: $(if $(PROGRAM),,build) ## Install program, pages, completions and systemd units under PREFIX (/usr/local).
	packaging/generate $(PAGES) $(INSTALLED)
	install -d $(ROOT)/bin $(ROOT)/libexec $(ROOT)/share/man/man1 $(ROOT)/share/bash-completion/completions \
	  $(ROOT)/share/zsh/site-functions $(ROOT)/share/fish/vendor_completions.d $(if $(UNITS),$(ROOT)/lib/systemd/system)
	install -m 755 $(INSTALLED) $(ROOT)/bin/sniffer
	install -m 755 packaging/sniffer-keep $(ROOT)/libexec/sniffer-keep
	install -m 644 $(PAGES)/man/*.1 $(ROOT)/share/man/man1/
	install -m 644 $(PAGES)/completions/sniffer.bash $(ROOT)/share/bash-completion/completions/sniffer
	install -m 644 $(PAGES)/completions/sniffer.zsh $(ROOT)/share/zsh/site-functions/_sniffer
	install -m 644 $(PAGES)/completions/sniffer.fish $(ROOT)/share/fish/vendor_completions.d/sniffer.fish
	for file in $(DOCUMENTS); do \
	  install -d "$(ROOT)/share/doc/sniffer/$$(dirname $$file)" && \
	  install -m 644 "$$file" "$(ROOT)/share/doc/sniffer/$$file" || exit 1; done
	for unit in $(UNITS); do \
	  sed 's|/usr/local|$(PREFIX)|g' "$$unit" > "$(PAGES)/$${unit##*/}" && \
	  install -m 644 "$(PAGES)/$${unit##*/}" "$(ROOT)/lib/systemd/system/" || exit 1; done

uninstall: ## Remove what install put under PREFIX.
	rm -f $(ROOT)/bin/sniffer $(ROOT)/libexec/sniffer-keep \
	  $(foreach page,sniffer sniffer-analyze sniffer-live sniffer-top sniffer-merge sniffer-verify sniffer-models sniffer-diff sniffer-budget sniffer-guide sniffer-interfaces sniffer-keys,$(ROOT)/share/man/man1/$(page).1) \
	  $(ROOT)/share/bash-completion/completions/sniffer $(ROOT)/share/zsh/site-functions/_sniffer \
	  $(ROOT)/share/fish/vendor_completions.d/sniffer.fish \
	  $(foreach file,$(DOCUMENTS),$(ROOT)/share/doc/sniffer/$(file)) \
	  $(foreach unit,sniffer@.service sniffer-keep@.service sniffer-keep@.timer,$(ROOT)/lib/systemd/system/$(unit))

package: $(if $(PROGRAM),,build) ## Make packages in PACKAGES (out/packages): tar.gz, .deb, source; with REPOSITORY=owner/name a Homebrew formula.
	$(if $(PROGRAM),,scripts/install-dependencies --packages)
	packaging/package $(PACKAGES) $(INSTALLED) $(KINDS)

package-check: package ## Check these packages, and install the .deb in a clean Debian root (needs root, debootstrap, lintian).
	packaging/check $(PACKAGES) $(INSTALLED)

images: build ## Draw the pictures of the README from the demo capture (needs Chromium).
	docs/images/draw $(BUILT)

docs: dependencies ## Make the libraries' documentation (DocC) in out/docs; broken links are errors.
	SWIFT=$(SWIFT) scripts/build-docs out/docs

format: ## Format all Swift files.
	$(SWIFT) format -i -r Sources Tests Fuzz Package.swift

lint: ## Check the format, strictly.
	$(SWIFT) format lint --strict -r Sources Tests Fuzz Package.swift

# Each has a folder of its own, because everything is compiled anew for it. The programs that the tests run are built with the
# sanitizer, too. What a sanitizer finds ends that program with a status that no test expects. Left out is what counts
# instructions: valgrind runs no program that has a sanitizer.
sanitize: ## Run all tests with the address sanitizer, and again with the thread sanitizer.
	scripts/install-dependencies --tests
	ASAN_OPTIONS=detect_leaks=0:exitcode=86 $(MAKE) sanitize-with SANITIZER=address
	TSAN_OPTIONS=halt_on_error=1:exitcode=86 $(MAKE) sanitize-with SANITIZER=thread

sanitize-with:
	$(SWIFT) build --build-tests --sanitize=$(SANITIZER) --scratch-path .build-$(SANITIZER)
	$(SWIFT) test --skip-build --sanitize=$(SANITIZER) --scratch-path .build-$(SANITIZER) --skip EndToEndTests
	$(SWIFT) test --skip-build --sanitize=$(SANITIZER) --scratch-path .build-$(SANITIZER) --filter EndToEndTests --skip WorkTests

benchmark: $(if $(PROGRAM),,build) ## Time sniffer, as installed, beside other tools on captures made in BENCHMARKS (needs root, 4.5 GB). See docs/speed.md.
	scripts/install-dependencies --benchmarks
	mkdir -p $(BENCHMARKS)
	install -m 755 $(INSTALLED) $(BENCHMARKS)/sniffer
	Benchmarks/make-captures $(BENCHMARKS)
	Benchmarks/run $(BENCHMARKS)/sniffer $(BENCHMARKS)
	Benchmarks/growth $(BENCHMARKS)/sniffer $(BENCHMARKS)/api.pcap

loss: build ## Measure what reports still know of captures that lack packets (needs root). See docs/loss.md.
	captures/record/loss/measure $(BUILT) --markdown

meters: build ## Compare verify's answers with the truth, for logs of other programs and of invented meters. See docs/verify.md.
	captures/record/check-verify $(BUILT) captures/verify
	captures/record/check-meters $(BUILT)

record: ## Record the captures anew (needs root and the servers; see captures/README.md).
	captures/record/record-all

fuzz: ## Fuzz each target, or TARGETS, for SECONDS (60); with ADDRESS=1, with the address sanitizer. See docs/fuzzing.md.
	Fuzz/run $(if $(ADDRESS),-address) -seconds $(SECONDS) $(TARGETS)

smoke: ## The same for RUNS executions (20000) of each.
	Fuzz/run $(if $(ADDRESS),-address) -runs $(RUNS) $(TARGETS)

mutants: ## Change captures in COUNT ways (20000), and check what comes out.
	SNIFFER_FUZZ=1 $(SWIFT) build -c release --build-path .build-fuzz-tools --product fuzz-mutants
	.build-fuzz-tools/release/fuzz-mutants $(COUNT) \
	  $$(find captures $(wildcard $(CORPUS)) -type f \( -name '*.pcap*' -o -name '*.cap*' \) ! -name '*.csv' | sort)

attacks: build ## Make every attack of captures/attacks, and then several at once by SEED for MINUTES (10); check outcome, time, memory.
	captures/attacks/check $(BUILT)
	captures/attacks/mix $(BUILT) --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

clean: ## Remove what was built and written.
	rm -rf .build .build-address .build-thread .build-fuzz .build-fuzz-address .build-fuzz-tools out
