// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "JobQueue",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "../..")],
  targets: [
    .target(name: "JobQueue"),
    .systemLibrary(
      name: "CQueueSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "JobQueueSQLite", dependencies: ["CQueueSQLite", "JobQueue"]),
    .systemLibrary(
      name: "CHiredis",
      providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
    .target(name: "JobQueueRedis", dependencies: ["CHiredis", "JobQueue"]),
    .testTarget(
      name: "JobQueueTests",
      dependencies: [
        "JobQueue", "JobQueueRedis", "JobQueueSQLite",
        .product(name: "ContractExploration", package: "swift-contract-testing"),
        .product(name: "ContractTesting", package: "swift-contract-testing"),
        .product(name: "DriftExploration", package: "swift-contract-testing"),
        .product(name: "ServerFixtures", package: "swift-contract-testing"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
