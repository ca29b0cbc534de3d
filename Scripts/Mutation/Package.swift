// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "App",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../swift-contract-testing")],
  targets: [
    .target(name: "CTally"),
    .plugin(name: "Limits", capability: .buildTool()),
    .target(name: "TallyPort", plugins: ["Limits"]),
    .target(
      name: "TallyFileAdapter", dependencies: ["CTally", "TallyPort"],
      resources: [.copy("Resources/Unit.txt")]),
    .testTarget(
      name: "TallyTests",
      dependencies: [
        "TallyFileAdapter", "TallyPort",
        .product(name: "ContractTesting", package: "swift-contract-testing"),
        .product(name: "DriftExploration", package: "swift-contract-testing"),
      ]),
    .testTarget(name: "DisplayTests", dependencies: ["TallyFileAdapter"]),
  ],
  swiftLanguageModes: [.v6]
)
