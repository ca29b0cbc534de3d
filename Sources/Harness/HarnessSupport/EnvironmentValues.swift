/// An error for an environment variable with an invalid value.
public struct EnvironmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The variable's name.
  public var variable: String

  /// The variable's value.
  public var value: String

  /// The valid values, as the rest of a sentence that begins with 'give'.
  public var expected: String

  /// Creates an error for a variable.
  package init(variable: String, value: String, expected: String) {
    self.variable = variable
    self.value = value
    self.expected = expected
  }

  /// A message that names the variable and its valid values.
  public var description: String { "\(variable)='\(value)' is not valid: give \(expected)" }
}

/// One of several processes that divide the work of a run. `2/4` is the second of four.
public struct Shard: Hashable, Sendable, CustomStringConvertible {
  /// The only process of a run.
  public static let whole = Shard(checked: 1, of: 1)

  /// The shard's number, from 1 to ``count``.
  public let number: Int

  /// The number of shards, at most 65,536.
  public let count: Int

  public var description: String { "\(number)/\(count)" }

  private init(checked number: Int, of count: Int) {
    self.number = number
    self.count = count
  }

  /// Creates the shard `number` of `count`.
  ///
  /// - Returns: `nil` unless 1 ≤ `number` ≤ `count` ≤ 65,536.
  public init?(_ number: Int, of count: Int) {
    guard count <= 65_536, number >= 1, number <= count else { return nil }
    self.init(checked: number, of: count)
  }

  /// Reads a shard from an environment variable, in the form `2/4`.
  ///
  /// - Parameters:
  ///   - text: The variable's value.
  ///   - variable: The variable's name, for the error.
  /// - Throws: ``EnvironmentError`` if the value has another form or names no shard.
  package init(_ text: String, from variable: String) throws(EnvironmentError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1],
      let shard = Shard(number, of: count)
    else {
      throw EnvironmentError(
        variable: variable, value: text,
        expected: "a shard's number and the number of shards, at most 65,536, such as 2/4")
    }
    self = shard
  }

  /// The shard's part of a list. Parts differ by at most one element in size.
  ///
  /// - Parameters:
  ///   - list: The whole list, in the same order in every process.
  ///   - name: The list's name, which determines the shard of the first element. Without it, the
  ///     first shard would get every list of one element.
  package func part<Element>(of list: [Element], named name: String) -> [Element] {
    let start = name.utf8.reduce(0) { ($0 &* 31 &+ UInt32($1)) }
    return list.enumerated()
      .filter { (Int(start) % count + $0.offset) % count == number - 1 }.map(\.element)
  }
}
