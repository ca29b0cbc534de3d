import Foundation

/// A cart, with values of every form.
protocol Cart: AnyObject, Sendable {
  func add(_ item: Shop.Item, for user: UserID) async
  func find(_ id: Shop.Item.ID) async -> Shop.Item?
  func totals(_ amounts: Amounts) async -> Amounts
  func record(_ event: Shop.Event) async throws
  func set(_ value: JSON, in filter: Shop.Filter) async -> Result<Int, Failure>
  func insert(_ tree: Tree, under parent: Tree?) async -> Int
  func move(to point: (x: Int, y: Int), within range: Range<Double>, levels: ClosedRange<Level>) async
  func perform(_ operation: Operation, retries: UInt8?) async -> (attempts: Int, isDone: Bool)
  func load(_ keys: Set<String>, in groups: [[String]]) async
  func hide(_ hidden: Hidden, _ checked: Checked, _ event: Event) async
  func open(_ something: Case) async
}

struct Case: Equatable {
  var number: Int
}

typealias UserID = String
typealias Amounts = [Currency: Decimal]

struct Currency: RawRepresentable, Hashable, Codable {
  let rawValue: String
}

struct Money: Hashable {
  var amount: Decimal
  var currency: Currency = Currency(rawValue: "(EUR")
}

enum Shop {
  struct Item: Hashable, Identifiable {
    let id = UUID()
    var name, note: String, price: Money
    var count = 1
    var total: Decimal { price.amount * Decimal(count) }
    static let id = 0
    static let none = Item(name: "", note: "", price: Money(amount: 0))
  }

  enum Event: Equatable {
    case added(Item, at: Date), removed(itemID: UUID), cleared
    case note(_ text: String, [String: Int])
  }

  struct Filter: OptionSet {
    let rawValue: Int
  }
}

indirect enum JSON: Equatable {
  case null, number(Double), text(String)
  case array([JSON])
}

struct Tree: Equatable {
  var value: Int { didSet { children = [] } }
  var children: [Tree] = []
}

struct Hidden {
  private var secret: String
  var shown: Int
}

struct Checked: Hashable {
  let text: String
  init(checking text: String) throws { self.text = text }
  init?(_ text: String) { return nil }
}

extension Checked {
  init(number: Int, radix: Int = 10) { text = String(number, radix: radix) }
}

/// Apps name types as other modules do.
struct Operation: Equatable {
  var kind: Kind
  enum Kind: CaseIterable { case read, write }
}

enum Event: String { case start, stop }

struct Level: Comparable, Hashable {
  let value: Int
  static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

enum Failure: Error { case bad }

/// A real thing that is kept in a folder.
final class SQLiteCart: Cart {
  init(folder: URL) {}
  func add(_ item: Shop.Item, for user: UserID) async {}
  func find(_ id: Shop.Item.ID) async -> Shop.Item? { nil }
  func totals(_ amounts: Amounts) async -> Amounts { amounts }
  func record(_ event: Shop.Event) async throws {}
  func set(_ value: JSON, in filter: Shop.Filter) async -> Result<Int, Failure> { .success(0) }
  func insert(_ tree: Tree, under parent: Tree?) async -> Int { 0 }
  func move(to point: (x: Int, y: Int), within range: Range<Double>, levels: ClosedRange<Level>) async {}
  func perform(_ operation: Operation, retries: UInt8?) async -> (attempts: Int, isDone: Bool) { (0, true) }
  func load(_ keys: Set<String>, in groups: [[String]]) async {}
  func hide(_ hidden: Hidden, _ checked: Checked, _ event: Event) async {}
  func open(_ something: Case) async {}
}
