.DEFAULT_GOAL := help
.PHONY: help setup servers build contracts test explorers others crashes transports example threads matrix bench fuzz soak mutation \
  libcurl-versions on-debian systems filesystems portable portable-system adopters workflows api-breakage docs scaffold \
  lint format

SOURCES := Package.swift Sources ContractSuites Tests Examples/Storefront/Package.swift \
  Examples/Storefront/Sources Examples/Storefront/Tests \
  Examples/JobQueue/Package.swift Examples/JobQueue/Sources Examples/JobQueue/Tests \
  Examples/KeyValue/Package.swift Examples/KeyValue/Sources Examples/KeyValue/Tests \
  Examples/ExpiringStore/Package.swift Examples/ExpiringStore/Sources Examples/ExpiringStore/Tests \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests Benchmarks/Adoption Benchmarks/Drift/Tests Fuzzing

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install missing C libraries
	@Scripts/install-packages

servers: ## Install the servers and stores that only tests use; without one, its cases are unavailable
	@Scripts/install-packages testing

# The matrix is the only test target here, and the tool runs the built tests: SwiftPM would build everything.
contracts: export CONTRACT_TESTS = ContractTests
contracts: setup ## Run every contract on every implementation and print the matrix
	@echo "builds the contracts and runs them on every implementation: about 3 minutes on 2 processors"
	@Scripts/build-product $(TESTS)
	@Scripts/build-product contracts
	@.build/debug/contracts run --test-program .build/debug/$(TESTS).xctest

# Tests that compute all the time, that need every core, that wait for processes, and that observe threads and sockets.
# Each group has a process of its own, because in one process those that compute would take the threads of the others,
# and what they allocate would count for explorations with a limit of memory.
EXPLORERS := ExplorationTests|DriftExplorationTests|ForeignPortsTests|ExploreTests|ExploredCrashTests|WritingSpecificationsExample|FeedbackExplorationTests
CONTACTS := ContactTests
CRASHES := ExploredCrashTests|EndlessProgramTests
TRANSPORTS := Transport\w*AdapterTests|TransportPagesTests|ScriptedOriginTests|ForeignArchiveTests|HTTPRecordingsToolTests
# The matrix: every suite of Tests/Contracts that runs a contract.
MATRIX := ^ContractTests\.\w*ContractTests/

# Products of another configuration go to another folder.
SCRATCH := .build
# Without a limit, Swift Testing starts every test at once, and tests that compute keep the others from their deadlines.
# WIDTH is how many run at once. 'swift test' would plan the build first, for 3 seconds each time.
WIDTH = 64
RUN_TESTS = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(WIDTH) Scripts/in-temporary-folder \
  $(SCRATCH)/debug/$(TESTS).xctest --testing-library swift-testing

TESTS := swift-contract-testingPackageTests
BUILD_TESTS = Scripts/build-product $(TESTS) --scratch-path $(SCRATCH)

# The servers are installed while the tests, which need none to compile, are built. All processes are one run.
test: export CONTRACT_RUN := $(shell date -u +%Y%m%dT%H%M%SZ)-test-$(shell echo $$$$)
test: setup ## Run all tests
	@$(MAKE) --no-print-directory -j 2 servers build
	@echo "runs the tests and the explorations side by side, and prints each when it has ended: about 5 minutes"
	@$(MAKE) --no-print-directory -j 2 --output-sync=target others explorers
	@$(RUN_TESTS) --filter '$(CONTACTS)'
	@$(MAKE) --no-print-directory -j 2 --output-sync=target crashes transports
	@$(MAKE) --no-print-directory matrix BUILD_TESTS=true

build: setup
	@$(BUILD_TESTS)

explorers: WIDTH = 4
explorers:
	@$(RUN_TESTS) --filter '$(EXPLORERS)' --skip '$(CONTACTS)|$(CRASHES)'

others:
	@$(RUN_TESTS) --skip '$(EXPLORERS)|$(TRANSPORTS)|$(MATRIX)'

crashes: WIDTH = 4
crashes:
	@$(RUN_TESTS) --filter '$(CRASHES)'

transports: WIDTH = 32
transports:
	@$(RUN_TESTS) --filter '$(TRANSPORTS)'

# The examples share the scratch folder, so that the modules of this package are built once.
EXAMPLES := Storefront JobQueue KeyValue ExpiringStore
example: setup servers ## Run the tests of the packages in Examples
	@for example in $(EXAMPLES); do Scripts/test-example $$example $(SCRATCH) || exit 1; done

# The sanitizer needs separate build products. Tests run several times slower under it, so they run in
# groups: otherwise the load makes cases time out. Explorers are excluded because they measure time.
THREADED := 'PortTests|TransportDecodingTests|SystemLocksTests|ManualClocksTests|VendorSDKTests|VendorAdaptersTests|CookiePublicSuffix' \
  'CookieSQLiteAdapterTests' 'HarnessTests|EvidenceTests' \
  'Feedback|Analytics|Checkout|Preferences|Cookie.*ContractTests' \
  'TransportCurlAdapterTests|ScriptedOriginTests'
threads: setup ## Run the tests with the Thread Sanitizer
	@swift build --build-tests --sanitize=thread --scratch-path .build/threads
	@for tests in $(THREADED); do \
	  swift test --sanitize=thread --scratch-path .build/threads --skip-build --filter "$$tests" \
	    || exit 1; \
	done

# Fakes, live implementations and saboteurs run in separate processes at the same time, since most cases of the live
# ones wait. Their journals are merged.
SHARDS := 1
JOURNALS := .build/contracts/matrix
matrix: WIDTH = 32
matrix: setup servers ## Run the contracts in separate processes, merge their journals, check the gate (SHARDS=4)
	@$(BUILD_TESTS)
	@Scripts/build-product contracts --scratch-path $(SCRATCH)
	@rm -rf $(JOURNALS) && mkdir -p $(JOURNALS)
	@for shard in $$(seq $(SHARDS)); do \
	  for side in CONTRACT_KIND=fake,recorded CONTRACT_KIND=live CONTRACT=@saboteur.*; do \
	    name=$$(echo "$$side" | grep -o '[a-z]*' | head -n 1)-$$shard; \
	    echo "  $$side, shard $$shard of $(SHARDS)"; \
	    env "$$side" CONTRACT_SHARD=$$shard/$(SHARDS) CONTRACT_JOURNAL=$(JOURNALS)/$$name.jsonl \
	      $(RUN_TESTS) --filter '$(MATRIX)' > $(JOURNALS)/$$name.log 2>&1 \
	      || { touch $(JOURNALS)/failed; echo "  failed: $(JOURNALS)/$$name.log"; grep -a '^✘' $(JOURNALS)/$$name.log | head -n 40 || true; } & \
	  done; \
	  wait; \
	done; \
	$(SCRATCH)/debug/contracts report $(JOURNALS)/*.jsonl && \
	Scripts/gate $(SCRATCH) $(JOURNALS)/*.jsonl && [ ! -e $(JOURNALS)/failed ]

bench: setup ## Run the benchmarks and compare the figures with peers
	@Benchmarks/run

fuzz: setup ## Fuzz the cookie parsers (RUNS=10000000)
	@Fuzzing/run $(RUNS)

STEPS :=
soak: setup ## Run the long versions of the randomised and stress tests (STEPS='foreign server')
	@Scripts/soak '$(STEPS)'

SHORT :=
mutation: setup ## Run 'contracts mutate' and 'suggest' on a package with planted flaws, and 'mutate' on Storefront (SHORT=short: a part)
	@swift build --product contracts --quiet
	@Scripts/check-mutation $(SHORT)

libcurl-versions: setup ## Compile the curl adapter with the libcurl of five Debian and Ubuntu releases
	@Scripts/check-libcurl-versions

portable: setup ## Compile CPlatform with glibc and musl, and run the tests with the code of other systems
	@Scripts/check-platforms
	@CONTRACT_PORTABLE=1 $(MAKE) --no-print-directory test SCRATCH=.build/portable

portable-system: export CONTRACT_PORTABLE = 1
portable-system: export CONTRACT_TESTS = SystemLocksTests,SystemPlatformTests,SystemProcessesTests,SystemThreadsTests
portable-system: SCRATCH = .build/portable
portable-system: setup ## Do what 'make portable' does with the tests of Sources/System only
	@Scripts/check-platforms
	@$(BUILD_TESTS)
	@$(RUN_TESTS)

RELEASE := 13
RUN := make contracts && make test
on-debian: ## Run make contracts and make test in a chroot of a Debian release, as root (RELEASE=13 RUN='swift test')
	@Scripts/on-debian $(RELEASE) sh -c '$(RUN)'

filesystems: setup ## Compare crash exploration with shutdowns of ext4 and XFS; run what keeps files on XFS, btrfs and tmpfs, as root (SHORT=short: 400 shutdowns of ext4)
	@Scripts/check-filesystems $(SHORT)

systems: ## Build the products, test Storefront, the contracts and the curl adapter on Debian 12, 13 and sid (Swift 6.2), as root
	@Scripts/check-systems

# Packages that depend on this one share a scratch folder, so they wait for each other. CI does this beside the mutation.
adopters:
	@Scripts/check-readme
	@Scripts/check-diagnostics
	@$(MAKE) --no-print-directory example
	@Scripts/check-dishonest-adopters
	@$(MAKE) --no-print-directory filesystems SHORT=short

workflows:
	@Scripts/check-workflows

BASE := main
api-breakage: setup ## List breaking changes of the public API since BASE (BASE=main)
	@swift package diagnose-api-breaking-changes $(BASE)

docs: ## Build the documentation into docs/
	@Scripts/build-docs

scaffold: setup ## Run what 'contracts new' writes for eleven protocols, and finish one
	@swift build --product contracts --quiet
	@Scripts/check-scaffold

lint: ## Check the format, the imports and the documentation
	@swift format lint --strict --recursive --parallel $(SOURCES)
	@Scripts/check-imports
	@Scripts/check-documentation

format: ## Format the sources
	@swift format --in-place --recursive --parallel $(SOURCES)
