import CheckoutContract
import CheckoutPort
import ContractExploration
import ContractTesting
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

@Suite struct FeatureTogglesContractTests {
  @Test(
    arguments: Contract.featureToggles.cases(for: .inMemory, .json, .plist, .environment)
      + Contract.featureToggles.saboteurCases)
  func holds(_ contractCase: ContractCase<FeatureTogglesFixture>) async throws {
    try await contractCase.verify()
  }
}

@Suite struct FeatureTogglesExplorationTests {
  @Test(arguments: [Implementation<FeatureTogglesFixture>.inMemory, .json, .plist])
  func lockStep(_ implementation: Implementation<FeatureTogglesFixture>) async throws {
    try await explore(.featureToggles(), on: implementation.open(), settings: .init(runs: 20))
  }

  @Test(arguments: [Implementation<FeatureTogglesFixture>.inMemory, .json, .plist])
  func linearizable(_ implementation: Implementation<FeatureTogglesFixture>) async throws {
    try await exploreConcurrently(
      .featureToggles(), on: implementation.open(), settings: .init(runs: 20, steps: 24))
  }

  @Test func `what never flips stays as it was read`() async throws {
    let settings = [FeatureToggle.oneTapCheckoutOnProduct: true]
    try await explore(
      .featureToggles(settings, flips: false), on: Implementation.environment.open(settings))
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
  static let spy = fake("spy") {
    let spy = NavigatorSpy()
    return NavigatorFixture(navigator: spy) { spy.screens }
  }

  static let stack = live("stack") {
    let navigator = StackNavigator(root: .named("home"))
    return NavigatorFixture(navigator: navigator) { Array(navigator.screens.dropFirst()) }
  }
}

extension Implementation<FeatureTogglesFixture> {
  static let inMemory = fake("in-memory") {
    let toggles = FakeFeatureToggles()
    return FeatureTogglesFixture {
      for toggle in FeatureToggle.allCases { toggles.set(toggle, $0[toggle] ?? false) }
      return toggles
    } change: {
      toggles.set($0, $1)
    }
  }

  static let json = live("json") { scope in
    try FeatureTogglesFixture(SettingsFile(in: scope, named: "toggles.json"))
  }

  static let plist = live("plist") { scope in
    try FeatureTogglesFixture(SettingsFile(in: scope, named: "toggles.plist"))
  }

  static let environment = live("environment") {
    let variables = Mutex<[String: String]>([:])
    @Sendable func set(_ toggle: FeatureToggle, _ isEnabled: Bool) {
      let name = EnvironmentFeatureToggles.variable(for: toggle)
      variables.withLock { $0[name] = isEnabled ? "on" : "off" }
    }
    return FeatureTogglesFixture { settings in
      variables.withLock { $0 = [:] }
      for (toggle, isEnabled) in settings { set(toggle, isEnabled) }
      return try EnvironmentFeatureToggles(variables.withLock(\.self))
    } change: {
      set($0, $1)
    }
  }
  .lacking(.flipping, because: "the environment is read once, when the app starts")
}

extension FeatureTogglesFixture {
  fileprivate init(_ file: SettingsFile) {
    self.init {
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

  private func write(_ settings: [String: Bool]) throws {
    let data =
      file.pathExtension == "plist"
      ? try PropertyListEncoder().encode(settings) : try JSONEncoder().encode(settings)
    try data.write(to: file, options: .atomic)
  }
}

extension Implementation<CheckoutFixture> {
  static let globalEnumOverFakes = fake("global-enum-over-fakes") { scope in
    CheckoutPorts.fakes().fixtureOfGlobals(in: scope)
  }
  .exclusive("CheckoutGlobals")

  static let injectedStructOverFakes = fake("injected-struct-over-fakes") {
    CheckoutPorts.fakes().fixtureOfStruct
  }

  static let moduleOverFakes = fake("module-over-fakes") { CheckoutPorts.fakes().fixtureOfModule }

  static let globalEnum = live("global-enum") { scope in
    try CheckoutPorts.live(in: scope).fixtureOfGlobals(in: scope)
  }
  .exclusive("CheckoutGlobals")

  static let injectedStruct = live("injected-struct") {
    try CheckoutPorts.live(in: $0).fixtureOfStruct
  }

  static let module = live("module") { try CheckoutPorts.live(in: $0).fixtureOfModule }
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
      isEnabled: \.isOneTapEnabled, present: { $0.presentOneTap() }, set: set, shown: shown)
  }

  var fixtureOfStruct: CheckoutFixture {
    let checkout = OneTapCheckout(toggles: toggles, navigator: navigator)
    return CheckoutFixture(
      isEnabled: checkout.isEnabled, present: { checkout.present(from: $0) }, set: set,
      shown: shown)
  }

  var fixtureOfModule: CheckoutFixture {
    let app = App(toggles: toggles, navigator: navigator)
    let module = OneTapCheckoutModule(delegate: app)
    return CheckoutFixture(
      isEnabled: module.isEnabled,
      // The module holds its delegate weakly, so the fixture keeps the app alive.
      present: { entryPoint in withExtendedLifetime(app) { module.present(from: entryPoint) } },
      set: set, shown: shown)
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
