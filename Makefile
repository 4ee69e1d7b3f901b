# The commands of the project. `make help` lists them.

SWIFT ?= swift
DEMO ?= captures/demo.pcapng.gz
OUT ?= out/demo
BUILD := $(SWIFT) build -c release

.PHONY: help run test build dependencies format lint record clean

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

format: ## Format all Swift files.
	$(SWIFT) format -i -r Sources Tests Package.swift

lint: ## Check the format, strictly.
	$(SWIFT) format lint --strict -r Sources Tests Package.swift

record: ## Record the captures anew (needs root and the servers; see captures/README.md).
	captures/record/record-all

clean: ## Remove what was built and written.
	rm -rf .build out
