// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "swift-contract-testing",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ContractTesting", targets: ["ContractTesting"]),
    .library(name: "ContractEvidence", targets: ["ContractEvidence"]),
    .library(name: "ContractExploration", targets: ["ContractExploration"]),
    .library(name: "CookiePort", targets: ["CookiePort"]),
    .library(name: "CookieSQLiteAdapter", targets: ["CookieSQLiteAdapter"]),
    .library(name: "CookiePublicSuffixAdapter", targets: ["CookiePublicSuffixAdapter"]),
  ],
  targets: [
    // The harness.
    .target(name: "ContractEvidence"),
    .target(name: "ContractExploration"),
    .target(name: "ContractTesting", dependencies: ["ContractEvidence", "ContractExploration"]),

    // Cookies.
    .target(name: "CookiePort"),
    .testTarget(name: "CookiePortTests", dependencies: ["CookiePort"]),

    // Cookies in SQLite.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "CookieSQLiteAdapter", dependencies: ["CookiePort", "CSQLite"]),
    .executableTarget(
      name: "cookie-store-writer", dependencies: ["CookieSQLiteAdapter"],
      path: "Tests/CookieStoreWriter"),
    .testTarget(
      name: "CookieSQLiteAdapterTests",
      dependencies: ["CSQLite", "CookieSQLiteAdapter", "cookie-store-writer"]),

    // Public suffixes, by libpsl.
    .systemLibrary(
      name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
    .target(name: "CookiePublicSuffixAdapter", dependencies: ["CPSL", "CookiePort"]),
    .testTarget(
      name: "CookiePublicSuffixAdapterTests",
      dependencies: ["CookiePort", "CookiePublicSuffixAdapter"]),
  ],
  swiftLanguageModes: [.v6]
)
