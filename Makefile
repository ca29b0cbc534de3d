.DEFAULT_GOAL := help
.PHONY: help setup contracts test lint format

SOURCES := Package.swift Sources ContractSuites Tests

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs the system packages that are missing.
	@Scripts/install-packages

contracts: setup ## Runs every contract on every implementation and prints the matrix.
	@swift test --filter Contract

test: setup ## Runs every test.
	@swift test

lint: ## Checks the format of the sources.
	@swift format lint --strict --recursive --parallel $(SOURCES)

format: ## Formats the sources.
	@swift format --in-place --recursive --parallel $(SOURCES)
