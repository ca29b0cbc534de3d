// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "..")],
  targets: [
    // Cookies in SQLite, beside plain C and Foundation.
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
