import CheckoutContract
import CheckoutPort
import ContractTesting
import DriftExploration
import Foundation
import SystemLocks
import Testing

@Suite struct CheckoutContractTests {
  @Test(
    arguments: Contract.checkout.cases(
      for: .globalEnumOverFakes, .injectedStructOverFakes, .moduleOverFakes,
      .globalEnum, .injectedStruct, .module)
      + Contract.checkout.saboteurCases)
  func holds(_ contractCase: ContractCase<CheckoutFixture>) async throws {
    try await contractCase.verify()
  }
}

@Suite struct CheckoutExplorationTests {
  @Test func `the checkout over fakes answers as over real ports`() async throws {
    let entries = Domain<CheckoutEntryPoint>.of(.cart, .product(id: "7"))
    try await exploreDrift(
      of: .injectedStructOverFakes, .moduleOverFakes, from: .injectedStruct,
      settings: .drift(time: .seconds(1))
    ) {
      Operation("isEnabled", entries) { fixture, entry in fixture.isEnabled(entry) }
      Operation("present", entries) { fixture, entry in fixture.present(entry) }
      Operation("set", .allCases, .booleans) { fixture, toggle, isOn in
        try fixture.set(toggle, isOn)
      }
      Operation("shown") { fixture in fixture.shown() }
      Operation("disconnect") { fixture in fixture.disconnect() }
    }
  }
}

@Suite struct FeatureTogglesContractTests {
  @Test(
    arguments: Contract.featureToggles.cases(for: .inMemory, .json, .plist, .environment)
      + Contract.featureToggles.saboteurCases)
  func holds(_ contractCase: ContractCase<FeatureTogglesFixture>) async throws {
    try await contractCase.verify()
  }
}

@Suite struct FeatureTogglesExplorationTests {
  @Test(arguments: [Implementation<FeatureTogglesFixture>.json, .plist])
  func `the fake answers as the file does`(
    _ file: Implementation<FeatureTogglesFixture>
  ) async throws {
    let settings = Domain<[FeatureToggle: Bool]>.of(
      [:], [.oneTapCheckoutInCart: true], [.oneTapCheckoutOnProduct: true],
      [.oneTapCheckoutInCart: true, .oneTapCheckoutOnProduct: false])
    try await exploreDrift(of: .inMemory, from: file, settings: .drift(time: .seconds(1))) {
      Operation("read", settings, .allCases) { fixture, settings, toggle in
        try await fixture.read(settings).isEnabled(toggle)
      }
      Operation("change", settings, .allCases, .booleans) { fixture, settings, toggle, isEnabled in
        let toggles = try await fixture.read(settings)
        try await fixture.change(toggle, isEnabled)
        return FeatureToggle.allCases.filter { toggles.isEnabled($0) }
      }
    }
  }
}

@Suite struct NavigatorContractTests {
  @Test(
    arguments: Contract.navigator.cases(for: .spy, .stack)
      + Contract.navigator.saboteurCases)
  func holds(_ contractCase: ContractCase<NavigatorFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<NavigatorFixture> {
  static let spy: Self = fake("spy") {
    let spy = NavigatorSpy()
    return NavigatorFixture(navigator: spy) { spy.screens }
  }
  .lacking(.goingBack, because: "a spy only records what it is asked to show")

  /// A stack, seen by what it renders. ``CheckoutPorts`` sees it by its screens.
  static let stack: Self = live("stack") { _ in
    let rendered = Mutex([Screen.named("home")])
    let navigator = StackNavigator(root: .named("home")) { screens in
      rendered.withLock { $0 = screens }
    }
    return NavigatorFixture(
      navigator: navigator, goBack: { navigator.goBack() },
      shown: { Array(rendered.withLock(\.self).dropFirst()) })
  }
  .version { _ in AdaptedVersion.own("CheckoutPort") }
}

extension Implementation<FeatureTogglesFixture> {
  static let inMemory: Self = fake("in-memory") {
    let toggles = FakeFeatureToggles()
    return FeatureTogglesFixture {
      for toggle in FeatureToggle.allCases { toggles.set(toggle, $0[toggle] ?? false) }
      return toggles
    } change: {
      toggles.set($0, $1)
    }
  }
  .lacking(.unreadability, because: "toggles in memory have no source")

  static let json: Self = live("json") { scope in
    try FeatureTogglesFixture(SettingsFile(in: scope, named: "toggles.json"))
  }
  .version { _ in AdaptedVersion.foundation }

  static let plist: Self = live("plist") { scope in
    try FeatureTogglesFixture(SettingsFile(in: scope, named: "toggles.plist"))
  }
  .version { _ in AdaptedVersion.foundation }

  static let environment: Self = live("environment") { _ in
    let variables = Mutex<[String: String]>([:])
    @Sendable func set(_ toggle: FeatureToggle, _ isEnabled: Bool) {
      let name =
        switch toggle {
        case .oneTapCheckoutInCart: "TOGGLE_ONE_TAP_CHECKOUT_IN_CART"
        case .oneTapCheckoutOnProduct: "TOGGLE_ONE_TAP_CHECKOUT_ON_PRODUCT"
        }
      variables.withLock { $0[name] = isEnabled ? "on" : "off" }
    }
    let unreadable = UnreadableToggles(source: "TOGGLE_ONE_TAP_CHECKOUT_ON_PRODUCT") {
      variables.withLock { $0["TOGGLE_ONE_TAP_CHECKOUT_ON_PRODUCT"] = "perhaps" }
      _ = try EnvironmentFeatureToggles(variables.withLock(\.self))
    }
    return FeatureTogglesFixture(unreadable: [unreadable]) { settings in
      variables.withLock { $0 = [:] }
      for (toggle, isEnabled) in settings { set(toggle, isEnabled) }
      return try EnvironmentFeatureToggles(variables.withLock(\.self))
    } change: {
      set($0, $1)
    }
  }
  .version { _ in AdaptedVersion.own("CheckoutPort") }
  .lacking(.flipping, because: "the environment is read once, when the app starts")
}

extension FeatureTogglesFixture {
  fileprivate init(_ file: SettingsFile) {
    self.init(
      unreadable: [Data("[]".utf8), nil].map { content in
        UnreadableToggles(source: file.path) { try file.spoil(content) }
      }
    ) {
      try file.open($0)
    } change: {
      try file.change($0, $1)
    }
  }
}

/// Writes a file of toggles and reads it with `FileFeatureToggles`.
private final class SettingsFile: Sendable {
  private struct State {
    var settings: [String: Bool] = [:]
    var toggles: FileFeatureToggles?
  }

  private let file: URL
  private let state = Mutex(State())

  var path: String { file.path }

  init(in scope: FixtureScope, named name: String) throws {
    file = try scope.temporaryDirectory().appendingPathComponent(name)
  }

  func open(_ settings: [FeatureToggle: Bool]) throws -> FileFeatureToggles {
    try state.withLock { state in
      state.settings = Dictionary(uniqueKeysWithValues: settings.map { ($0.rawValue, $1) })
      try write(state.settings)
      let toggles = try FileFeatureToggles(file)
      state.toggles = toggles
      return toggles
    }
  }

  func change(_ toggle: FeatureToggle, _ isEnabled: Bool) throws {
    try state.withLock { state in
      state.settings[toggle.rawValue] = isEnabled
      try write(state.settings)
      try state.toggles?.reload()
    }
  }

  /// Replaces the file with one that has this content, or removes it, and reads it again.
  func spoil(_ content: Data?) throws {
    if let content {
      try content.write(to: file, options: .atomic)
    } else {
      try FileManager.default.removeItem(at: file)
    }
    try state.withLock(\.toggles)?.reload()
  }

  private func write(_ settings: [String: Bool]) throws {
    let data =
      file.pathExtension == "plist"
      ? try PropertyListEncoder().encode(settings) : try JSONEncoder().encode(settings)
    try data.write(to: file, options: .atomic)
  }
}

extension Implementation<CheckoutFixture> {
  static let globalEnumOverFakes: Self = fake("global-enum-over-fakes") { scope in
    CheckoutPorts.fakes().fixtureOfGlobals(in: scope)
  }
  .exclusive("CheckoutGlobals")

  static let injectedStructOverFakes: Self = fake("injected-struct-over-fakes") {
    CheckoutPorts.fakes().fixtureOfStruct
  }

  static let moduleOverFakes: Self = fake("module-over-fakes") {
    CheckoutPorts.fakes().fixtureOfModule
  }

  static let globalEnum: Self = live("global-enum") { scope in
    try CheckoutPorts.live(in: scope).fixtureOfGlobals(in: scope)
  }
  .version { _ in AdaptedVersion.own("CheckoutPort") }
  .exclusive("CheckoutGlobals")

  static let injectedStruct: Self = live("injected-struct") {
    try CheckoutPorts.live(in: $0).fixtureOfStruct
  }
  .version { _ in AdaptedVersion.own("CheckoutPort") }

  static let module: Self = live("module") { try CheckoutPorts.live(in: $0).fixtureOfModule }
    .version { _ in AdaptedVersion.own("CheckoutPort") }
}

/// The ports that a checkout uses, with control of the toggles and a view of the screens.
private struct CheckoutPorts: Sendable {
  var toggles: any FeatureToggles
  var navigator: any Navigator
  var set: @Sendable (FeatureToggle, Bool) throws -> Void
  var shown: @Sendable () -> [Screen]

  static func fakes() -> CheckoutPorts {
    let toggles = FakeFeatureToggles()
    let navigator = NavigatorSpy()
    return CheckoutPorts(
      toggles: toggles, navigator: navigator, set: { toggles.set($0, $1) },
      shown: { navigator.screens })
  }

  static func live(in scope: FixtureScope) throws -> CheckoutPorts {
    let file = try SettingsFile(in: scope, named: "toggles.json")
    let navigator = StackNavigator(root: .named("home"))
    return CheckoutPorts(
      toggles: try file.open([:]), navigator: navigator, set: { try file.change($0, $1) },
      shown: { Array(navigator.screens.dropFirst()) })
  }

  func fixtureOfGlobals(in scope: FixtureScope) -> CheckoutFixture {
    CheckoutGlobals.toggles = toggles
    CheckoutGlobals.navigator = navigator
    scope.onTearDown {
      CheckoutGlobals.toggles = nil
      CheckoutGlobals.navigator = nil
    }
    return CheckoutFixture(
      isEnabled: \.isOneTapEnabled, present: { $0.presentOneTap() }, set: set, shown: shown,
      disconnect: {
        CheckoutGlobals.toggles = nil
        CheckoutGlobals.navigator = nil
      })
  }

  var fixtureOfStruct: CheckoutFixture {
    let checkout = Mutex(OneTapCheckout(toggles: toggles, navigator: navigator))
    return CheckoutFixture(
      isEnabled: { checkout.withLock(\.self).isEnabled(at: $0) },
      present: { checkout.withLock(\.self).present(from: $0) }, set: set, shown: shown,
      disconnect: { checkout.withLock { $0 = OneTapCheckout(toggles: nil, navigator: nil) } })
  }

  var fixtureOfModule: CheckoutFixture {
    let delegate = App(toggles: toggles, navigator: navigator)
    let module = OneTapCheckoutModule(delegate: delegate)
    // The module holds its delegate weakly, so the fixture keeps the app alive.
    let app = Mutex<App?>(delegate)
    return CheckoutFixture(
      isEnabled: module.isEnabled, present: { module.present(from: $0) }, set: set, shown: shown,
      disconnect: { app.withLock { $0 = nil } })
  }
}

/// The app that contains a module.
private final class App: OneTapCheckoutDelegate {
  private let toggles: any FeatureToggles
  private let navigator: any Navigator

  init(toggles: any FeatureToggles, navigator: any Navigator) {
    self.toggles = toggles
    self.navigator = navigator
  }

  func isOneTapEnabled(at entryPoint: CheckoutEntryPoint) -> Bool {
    toggles.isEnabled(entryPoint.toggle)
  }

  func showOneTapCheckout(for entryPoint: CheckoutEntryPoint) {
    navigator.show(.oneTapCheckout(entryPoint))
  }
}
