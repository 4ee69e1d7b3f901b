# The commands of the project. `make help` lists them.

SWIFT ?= swift
DEMO ?= captures/demo.pcapng.gz
OUT ?= out/demo
BUILD := $(SWIFT) build -c release
PREFIX ?= /usr/local
ROOT = $(DESTDIR)$(PREFIX)

.PHONY: help run test build dependencies install uninstall format lint record clean

help: ## List the commands.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Install what is missing, build, and analyze the demo capture into out/demo.
	.build/release/sniffer $(DEMO) --template -o $(OUT)

test: ## Install what is missing, build, and run all tests.
	scripts/install-dependencies --tests
	$(BUILD) --product sniffer
	$(SWIFT) test

build: dependencies ## Build in release mode.
	$(BUILD) --product sniffer

dependencies: ## Install the system libraries that the build needs.
	scripts/install-dependencies

install: build ## Install program, man pages, completions and systemd unit under PREFIX (/usr/local).
	packaging/generate out/packaging
	install -d $(ROOT)/bin $(ROOT)/libexec $(ROOT)/share/man/man1 $(ROOT)/share/bash-completion/completions \
	  $(ROOT)/share/zsh/site-functions $(ROOT)/share/fish/vendor_completions.d $(ROOT)/lib/systemd/system
	install -m 755 .build/release/sniffer $(ROOT)/bin/sniffer
	install -m 755 packaging/sniffer-keep $(ROOT)/libexec/sniffer-keep
	install -m 644 out/packaging/man/*.1 $(ROOT)/share/man/man1/
	install -m 644 out/packaging/completions/sniffer.bash $(ROOT)/share/bash-completion/completions/sniffer
	install -m 644 out/packaging/completions/sniffer.zsh $(ROOT)/share/zsh/site-functions/_sniffer
	install -m 644 out/packaging/completions/sniffer.fish $(ROOT)/share/fish/vendor_completions.d/sniffer.fish
	for unit in packaging/*.service packaging/*.timer; do \
	  sed 's|/usr/local|$(PREFIX)|g' "$$unit" > "out/packaging/$${unit##*/}" && \
	  install -m 644 "out/packaging/$${unit##*/}" "$(ROOT)/lib/systemd/system/" || exit 1; done

uninstall: ## Remove what install put under PREFIX.
	rm -f $(ROOT)/bin/sniffer $(ROOT)/libexec/sniffer-keep \
	  $(foreach page,sniffer sniffer-analyze sniffer-live sniffer-interfaces,$(ROOT)/share/man/man1/$(page).1) \
	  $(ROOT)/share/bash-completion/completions/sniffer $(ROOT)/share/zsh/site-functions/_sniffer \
	  $(ROOT)/share/fish/vendor_completions.d/sniffer.fish \
	  $(foreach unit,sniffer@.service sniffer-keep@.service sniffer-keep@.timer,$(ROOT)/lib/systemd/system/$(unit))

format: ## Format all Swift files.
	$(SWIFT) format -i -r Sources Tests Package.swift

lint: ## Check the format, strictly.
	$(SWIFT) format lint --strict -r Sources Tests Package.swift

record: ## Record the captures anew (needs root and the servers; see captures/README.md).
	captures/record/record-all

clean: ## Remove what was built and written.
	rm -rf .build out
