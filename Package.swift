// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "swift-contract-testing",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ContractTesting", targets: ["ContractTesting"]),
    .library(name: "ContractEvidence", targets: ["ContractEvidence"]),
    .library(name: "ContractExploration", targets: ["ContractExploration"]),
    .executable(name: "contracts", targets: ["contracts"]),
    .library(name: "CookiePort", targets: ["CookiePort"]),
    .library(name: "CookiePublicSuffixAdapter", targets: ["CookiePublicSuffixAdapter"]),
    .library(name: "CookieSQLiteAdapter", targets: ["CookieSQLiteAdapter"]),
    // The cookie contract, and Foundation's store.
    .library(name: "CookieContract", targets: ["CookieContract"]),
    .library(name: "CookieHistories", targets: ["CookieHistories"]),
    .library(name: "CookieFoundationAdapter", targets: ["CookieFoundationAdapter"]),

    .library(name: "TransportPort", targets: ["TransportPort"]),

    // Transport over libcurl, and the origin that it is tested against.
    .library(name: "TransportCurlAdapter", targets: ["TransportCurlAdapter"]),
    .library(name: "ScriptedOrigin", targets: ["ScriptedOrigin"]),

    // An app around a vendor's SDK.
    .library(name: "VendorSDK", targets: ["VendorSDK"]),
    .library(name: "VendorAdapters", targets: ["VendorAdapters"]),
    .library(name: "FeedbackPort", targets: ["FeedbackPort"]),
    .library(name: "FeedbackContract", targets: ["FeedbackContract"]),
    .library(name: "AnalyticsPort", targets: ["AnalyticsPort"]),
    .library(name: "AnalyticsContract", targets: ["AnalyticsContract"]),
    .library(name: "CheckoutPort", targets: ["CheckoutPort"]),
    .library(name: "CheckoutContract", targets: ["CheckoutContract"]),
    .library(name: "PreferencesPort", targets: ["PreferencesPort"]),
    .library(name: "PreferencesContract", targets: ["PreferencesContract"]),

    // The transport contract.
    .library(name: "TransportContract", targets: ["TransportContract"]),

    // Transport over URLSession.
    .library(name: "TransportURLSessionAdapter", targets: ["TransportURLSessionAdapter"]),
  ],
  targets: [
    // The harness.
    .target(name: "ContractLocks"),
    .testTarget(name: "LocksTests", dependencies: ["ContractLocks"]),
    .target(name: "ContractEvidence", dependencies: ["ContractLocks"]),
    .target(name: "CDispatchWatch"),
    .target(name: "ContractExploration", dependencies: ["CDispatchWatch", "ContractLocks"]),
    .target(
      name: "ContractTesting",
      dependencies: ["ContractLocks", "ContractEvidence", "ContractExploration"]),
    .systemLibrary(name: "CGetopt"),
    .executableTarget(
      name: "contracts",
      dependencies: ["ContractEvidence", "ContractExploration", "CookieHistories", "CGetopt"]),
    .testTarget(
      name: "CommandLineTests", dependencies: ["contracts", "ContractEvidence"],
      exclude: ["Planted"]),
    .testTarget(name: "EvidenceTests", dependencies: ["ContractEvidence"]),
    .testTarget(
      name: "HarnessTests",
      dependencies: ["ContractLocks", "ContractTesting", "ContractEvidence", "ContractExploration"]),

    // Cookies.
    .target(name: "CookiePort", dependencies: ["ContractLocks"]),
    .testTarget(name: "CookiePortTests", dependencies: ["ContractLocks", "CookiePort"]),

    // Public suffixes, by libpsl.
    .systemLibrary(
      name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
    .target(name: "CookiePublicSuffixAdapter", dependencies: ["CPSL", "CookiePort"]),
    .testTarget(
      name: "CookiePublicSuffixAdapterTests",
      dependencies: ["CookiePort", "CookiePublicSuffixAdapter"]),

    // Exploration.
    .executableTarget(
      name: "example-writer", dependencies: ["ContractExploration"], path: "Tests/ExampleWriter"),
    .testTarget(
      name: "ExplorationTests",
      dependencies: ["ContractLocks", "ContractExploration", "example-writer"]),

    // Cookies in SQLite.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "CookieSQLiteAdapter", dependencies: ["ContractLocks", "CookiePort", "CSQLite"]),
    .executableTarget(
      name: "cookie-store-writer", dependencies: ["CookieSQLiteAdapter"],
      path: "Tests/CookieStoreWriter"),
    .testTarget(
      name: "CookieSQLiteAdapterTests",
      dependencies: ["ContractLocks", "CSQLite", "CookieSQLiteAdapter", "cookie-store-writer"]),

    // The cookie contract, and Foundation's store.
    .target(
      name: "CookieContract",
      dependencies: [
        "ContractLocks", "ContractExploration", "ContractTesting", "CookieHistories", "CookiePort",
      ],
      path: "ContractSuites/CookieContract"),
    .target(
      name: "CookieHistories", dependencies: ["ContractExploration", "CookiePort"],
      path: "ContractSuites/CookieHistories"),
    .testTarget(
      name: "CookieHistoriesTests",
      dependencies: ["ContractExploration", "CookieHistories", "CookiePort"]),
    .target(name: "CookieFoundationAdapter", dependencies: ["ContractLocks", "CookiePort"]),
    .executableTarget(
      name: "foundation-cookie-keeper", dependencies: ["CookieFoundationAdapter", "CookiePort"],
      path: "Tests/FoundationCookieKeeper"),
    .testTarget(
      name: "CookieFoundationAdapterTests",
      dependencies: ["CookiePort", "foundation-cookie-keeper"]),
    .testTarget(
      name: "ContractTests",
      dependencies: [
        "ContractLocks",
        "AnalyticsContract",
        "AnalyticsPort",
        "CheckoutContract",
        "CheckoutPort",
        "ContractExploration",
        "ContractTesting",
        "CookieContract",
        "CookieFoundationAdapter",
        "CookiePort",
        "CookiePublicSuffixAdapter",
        "CookieSQLiteAdapter",
        "FeedbackContract",
        "FeedbackPort",
        "PreferencesContract",
        "PreferencesPort",
        "TransportContract",
        "TransportCurlAdapter",
        "TransportPort",
        "TransportURLSessionAdapter",
        "VendorAdapters",
        "VendorSDK",
      ]),

    // Transport: the port, its policies and its fake.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CBrotli", pkgConfig: "libbrotlidec",
      providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
    .target(name: "TransportPort", dependencies: ["ContractLocks", "CZlib", "CBrotli"]),
    .testTarget(
      name: "TransportPortTests", dependencies: ["ContractLocks", "TransportPort", "CZlib"]),

    // Transport over libcurl, and the origin that it is tested against.
    .target(name: "Threads"),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .target(
      name: "TransportCurlAdapter",
      dependencies: ["ContractLocks", "CCurl", "Threads", "TransportPort"]),
    .testTarget(
      name: "TransportCurlAdapterTests",
      dependencies: ["ContractLocks", "ScriptedOrigin", "TransportCurlAdapter", "TransportPort"]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(name: "CSlowNames", path: "ContractSuites/CSlowNames"),
    .target(
      name: "ScriptedOrigin",
      dependencies: ["ContractLocks", "COpenSSL", "CSlowNames", "Threads", "TransportPort"],
      path: "ContractSuites/ScriptedOrigin"),
    .testTarget(
      name: "ScriptedOriginTests", dependencies: ["COpenSSL", "ScriptedOrigin", "TransportPort"]),

    // An app around a vendor's SDK.
    .target(name: "VendorSDK", dependencies: ["ContractLocks"]),
    .target(name: "FeedbackPort", dependencies: ["ContractLocks"]),
    .target(name: "AnalyticsPort", dependencies: ["ContractLocks"]),
    .target(
      name: "VendorAdapters",
      dependencies: ["ContractLocks", "VendorSDK", "FeedbackPort", "AnalyticsPort"]),
    .target(name: "PreferencesPort", dependencies: ["ContractLocks"]),
    .target(name: "CheckoutPort", dependencies: ["ContractLocks"]),
    .target(
      name: "FeedbackContract", dependencies: ["ContractLocks", "FeedbackPort", "ContractTesting"],
      path: "ContractSuites/FeedbackContract"),
    .target(
      name: "AnalyticsContract",
      dependencies: ["ContractLocks", "AnalyticsPort", "ContractExploration", "ContractTesting"],
      path: "ContractSuites/AnalyticsContract"),
    .target(
      name: "CheckoutContract",
      dependencies: ["ContractLocks", "CheckoutPort", "ContractExploration", "ContractTesting"],
      path: "ContractSuites/CheckoutContract"),
    .target(
      name: "PreferencesContract",
      dependencies: ["PreferencesPort", "ContractExploration", "ContractTesting"],
      path: "ContractSuites/PreferencesContract"),
    .testTarget(name: "VendorSDKTests", dependencies: ["ContractLocks", "VendorSDK"]),
    .testTarget(
      name: "VendorAdaptersTests", dependencies: ["ContractLocks", "VendorAdapters", "VendorSDK"]),
    .testTarget(name: "FeedbackPortTests", dependencies: ["FeedbackPort"]),
    .testTarget(name: "AnalyticsPortTests", dependencies: ["AnalyticsPort"]),
    .testTarget(name: "CheckoutPortTests", dependencies: ["ContractLocks", "CheckoutPort"]),
    .testTarget(name: "PreferencesPortTests", dependencies: ["PreferencesPort"]),
    .testTarget(name: "FeedbackContractTests", dependencies: ["FeedbackContract"]),

    // The transport contract.
    .target(
      name: "TransportContract",
      dependencies: ["ContractLocks", "ContractTesting", "ScriptedOrigin", "TransportPort"],
      path: "ContractSuites/TransportContract"),

    // Transport over URLSession.
    .target(
      name: "TransportURLSessionAdapter", dependencies: ["ContractLocks", "TransportPort"]),
    .testTarget(
      name: "TransportURLSessionAdapterTests",
      dependencies: ["ScriptedOrigin", "TransportPort", "TransportURLSessionAdapter"]),
  ],
  swiftLanguageModes: [.v6]
)
