// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "..")],
  targets: [
    // The harness, compared with plain parameterised tests.
    .testTarget(
      name: "HarnessBenchmark",
      dependencies: [.product(name: "ContractTesting", package: "swift-contract-testing")]),

    // Lock-step exploration, compared with Hypothesis.
    .executableTarget(
      name: "ExplorationBenchmark",
      dependencies: [
        .product(name: "ExplorationEngine", package: "swift-contract-testing"),
        .product(name: "LockStepExploration", package: "swift-contract-testing"),
      ],
      exclude: ["Peers"]),

    // Exploration of interleavings.
    .executableTarget(
      name: "InterleavingBenchmark",
      dependencies: [
        .product(name: "ExploredSynchronization", package: "swift-contract-testing"),
        .product(name: "InterleavingExploration", package: "swift-contract-testing"),
      ]),

    // The libcurl transport, compared with C on libcurl, URLSession, pycurl and aiohttp.
    .target(name: "TransportBaseline", linkerSettings: [.linkedLibrary("curl")]),
    .executableTarget(
      name: "TransportBenchmark",
      dependencies: [
        "TransportBaseline",
        .product(name: "TransportPort", package: "swift-contract-testing"),
        .product(name: "TransportCurlAdapter", package: "swift-contract-testing"),
        .product(name: "TransportURLSessionAdapter", package: "swift-contract-testing"),
      ], exclude: ["Peers"]),

    // Cookies in SQLite, compared with C and Foundation.
    .target(name: "CookieBaseline", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "CookieBenchmark",
      dependencies: [
        "CookieBaseline",
        .product(name: "CookiePort", package: "swift-contract-testing"),
        .product(name: "CookieSQLiteAdapter", package: "swift-contract-testing"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
