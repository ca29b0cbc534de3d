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
  ],
  targets: [
    // The harness.
    .target(name: "ContractEvidence"),
    .target(name: "ContractExploration"),
    .target(name: "ContractTesting", dependencies: ["ContractEvidence", "ContractExploration"]),

    // Cookies.
    .target(name: "CookiePort"),

    // Exploration.
    .testTarget(name: "ContractExplorationTests", dependencies: ["ContractExploration"]),
  ],
  swiftLanguageModes: [.v6]
)
