.DEFAULT_GOAL := help
.PHONY: help setup contracts test example threads matrix bench fuzz soak libcurl-versions on-debian-13 \
  api-breakage docs lint format

SOURCES := Package.swift Sources ContractSuites Tests Examples/Storefront/Package.swift \
  Examples/Storefront/Sources Examples/Storefront/Tests \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs the system packages that are missing.
	@Scripts/install-packages

contracts: setup ## Runs every contract on every implementation and prints the matrix.
	@swift test --filter Contract

# Explorers and transports watch clocks, threads and sockets, so they run when nothing else does.
EXPLORERS := ExplorationTests|ExploreTests
TRANSPORTS := Transport[A-Za-z]*AdapterTests|ScriptedOriginTests|TransportContractTests

test: setup ## Runs every test.
	@swift test --skip '$(EXPLORERS)|$(TRANSPORTS)'
	@swift test --skip-build --filter '$(EXPLORERS)'
	@swift test --skip-build --filter '$(TRANSPORTS)'

example: setup ## Tests the downstream package.
	@swift test --package-path Examples/Storefront

# In a folder of its own, for the sanitizer takes other build products; in parts, for it makes them many
# times slower, and the harness ends what seems to hang. Explorers are left out: they watch clocks.
THREADED := 'PortTests|SystemLocksTests|ManualClocksTests|VendorSDKTests|VendorAdaptersTests|CookiePublicSuffix' \
  'Cookie(SQLite|Foundation)AdapterTests' 'HarnessTests|EvidenceTests' \
  'Feedback|Analytics|Checkout|Preferences|Cookie.*ContractTests' \
  'TransportCurlAdapterTests|ScriptedOriginTests'
threads: setup ## Runs the tests under the Thread Sanitizer.
	@swift build --build-tests --sanitize=thread --scratch-path .build/threads
	@for tests in $(THREADED); do \
	  swift test --sanitize=thread --scratch-path .build/threads --skip-build --filter "$$tests" \
	    || exit 1; \
	done

# The fake side, the live side and the saboteurs in processes of their own, merged and gated.
SHARDS := 1
JOURNALS := .build/contracts/matrix
matrix: setup ## Runs fakes and live implementations apart, merges, reports and gates (SHARDS=4).
	@swift build --build-tests --quiet && swift build --product contracts --quiet
	@rm -rf $(JOURNALS) && mkdir -p $(JOURNALS)
	@for shard in $$(seq $(SHARDS)); do \
	  for side in CONTRACT_KIND=fake CONTRACT_KIND=live CONTRACT=@saboteur.*; do \
	    name=$$(echo "$$side" | grep -o '[a-z]*' | head -n 1)-$$shard; \
	    echo "$$side, share $$shard of $(SHARDS)"; \
	    env "$$side" CONTRACT_SHARD=$$shard/$(SHARDS) CONTRACT_JOURNAL=$(JOURNALS)/$$name.jsonl \
	      swift test --skip-build --filter Contract > $(JOURNALS)/$$name.log 2>&1 \
	      || echo "  failed: see $(JOURNALS)/$$name.log"; \
	  done; \
	done
	@.build/debug/contracts report $(JOURNALS)/*.jsonl
	@Scripts/gate $(JOURNALS)/*.jsonl

bench: setup ## Prints figures beside peers' of the same run.
	@Benchmarks/run

fuzz: setup ## Fuzzes the cookie parsers (RUNS=10000000).
	@Fuzzing/run $(RUNS)

soak: setup ## Runs the long forms of the campaigns that tests run in short.
	@Scripts/soak

libcurl-versions: setup ## Compiles the curl adapter with the libcurl of five Debian and Ubuntu releases.
	@Scripts/check-libcurl-versions

RUN := make contracts && make test
on-debian-13: ## Runs make contracts and make test in a Debian 13 chroot; needs root (RUN='swift test').
	@Scripts/on-debian-13 sh -c '$(RUN)'

BASE := main
api-breakage: setup ## Shows what changes break in the public interface since BASE (a tag or a branch).
	@swift package diagnose-api-breaking-changes $(BASE)

docs: ## Builds the documentation into docs/.
	@Scripts/build-docs

lint: ## Checks the format of the sources.
	@swift format lint --strict --recursive --parallel $(SOURCES)

format: ## Formats the sources.
	@swift format --in-place --recursive --parallel $(SOURCES)
