import ContractExploration
public import Foundation

// MARK: - Ready values

extension Domain where Value == String {
  /// Relative paths over three names, so that one is often inside another: plain, nested, with `.` and
  /// `..`, with superfluous slashes, and the empty path.
  ///
  /// If an operation creates a link at one of them, others have the link in the middle.
  public static var paths: Self {
    of(
      PlainPaths.all + ["", ".", "..", "a/..", "a/../b", "a/.", "./a", "a/", "a//b", "../a"],
      families: PlainPaths.families, named: "paths")
  }

  /// Plain relative paths over three names, for ports that accept no others.
  public static var plainPaths: Self {
    of(PlainPaths.all, families: PlainPaths.families, named: "plain paths")
  }

  /// A few keys, of which some differ only by case or a separator.
  public static var keys: Self {
    of(["a", "b", "c", "d", "A", "a:b", "a b", "a/b", ""], named: "keys")
  }

  /// Short texts with what storage and comparison get wrong: nothing, white space, case, composed and
  /// decomposed letters, emoji of several scalars, control characters, quotes and percent signs.
  public static var texts: Self {
    of(
      [
        "a", "b", "", "A", "ab", " a", "a ", " ", "\u{E9}", "e\u{301}", "\u{DF}", "SS", "\u{130}",
        "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F1E9}\u{1F1EA}", "\n", "\r\n", "\t",
        "\0", "a\0b", "\u{FEFF}a", "\u{202E}a", "\"", "'", "\\", "%", "%20", "0", "-1", "1e3",
        "null", "true", String(repeating: "a", count: 256),
      ], named: "texts")
  }
}

/// Paths over three names, up to three levels deep.
private enum PlainPaths {
  private static let names = ["a", "b", "c"]

  static let all =
    names + names.flatMap { name in names.map { "\(name)/\($0)" } }
    + ["a/b/c", "b/a/c", "c/a/b", "a/b/a"]

  /// Two folders and what is in them, by the same names or by two: trees that can be moved, copied and linked.
  static let families: [[Int]] = names.flatMap { one in
    names.filter { $0 != one }.flatMap { other in
      names.flatMap { inner in
        [
          [one, other, "\(one)/\(inner)", "\(other)/\(inner)"],
          [one, other, inner, "\(one)/\(inner)", "\(one)/\(other)", "\(other)/\(other)"],
        ]
      }
    }
  }.map { family in family.compactMap { all.firstIndex(of: $0) } }
}

extension Domain where Value == [UInt8] {
  /// Short byte strings, with zero bytes, all bits set, invalid UTF-8, and one of 5,000 bytes.
  public static var bytes: Self { of(sampleBytes, named: "bytes") }
}

extension Domain where Value == Data {
  /// Short byte strings, with zero bytes, all bits set, invalid UTF-8, and one of 5,000 bytes.
  public static var bytes: Self { of(sampleBytes.map { Data($0) }, named: "bytes") }
}

private let sampleBytes: [[UInt8]] = [
  [1], [2], [], [1, 2, 3], [0], [0xff], [0xc3, 0x28], [0x0d, 0x0a],
  Array(repeating: 7, count: 5_000),
]

extension Domain where Value == Bool {
  /// `false` and `true`.
  public static var booleans: Self { of([false, true], named: "booleans") }
}

extension Domain where Value: FixedWidthInteger {
  /// Integers of a range, the nearest to zero first. Bounds, powers of two, and integers of the source code
  /// are drawn more often.
  public static func integers(_ range: ClosedRange<Value>) -> Self {
    let meaning = "integers \(range)"
    return Self(meanings: [meaning]) { choices, context in
      .value(choices.integer(in: range, domain: context.domain(meaning)))
    }
  }

  /// Zero, one, some limits, and the integers next to each.
  ///
  /// - Parameter limits: The limits, such as the greatest count that the port accepts.
  public static func smallIntegers(around limits: Value...) -> Self {
    var values: [Value] = []
    for center in [0, 1, 2] + limits {
      for offset: Value in [0, 1] {
        let (above, overflows) = center.addingReportingOverflow(offset)
        if !overflows, !values.contains(above) { values.append(above) }
        let (below, underflows) = center.subtractingReportingOverflow(offset)
        if !underflows, !values.contains(below) { values.append(below) }
      }
    }
    return of(values, named: "small integers \(limits)")
  }
}

extension Domain where Value == Duration {
  /// Zero, one nanosecond, one millisecond, one second, some limits, each limit with a nanosecond, a
  /// millisecond and a second more and less, and a negative duration.
  ///
  /// - Parameter limits: The durations at which a port's behaviour changes, such as a time to live.
  public static func durations(around limits: Duration...) -> Self {
    var values: [Duration] = [
      .zero, .seconds(1), .milliseconds(1), .nanoseconds(1), .seconds(-1),
    ]
    for limit in limits {
      let steps: [Duration] = [.zero, .nanoseconds(1), .milliseconds(1), .seconds(1)]
      for step in steps {
        for value in [limit + step, limit - step] where !values.contains(value) {
          values.append(value)
        }
      }
    }
    return of(values, named: "durations \(limits)")
  }
}

extension Domain where Value == Double {
  /// Zero, one, and finite numbers that texts and smaller types get wrong: fractions without an exact binary form, and
  /// large, small and negative numbers.
  public static var doubles: Self {
    of([0, 1, -1, 0.5, 0.1, 0.1 + 0.2, 100, 1e-9, 16_777_217, 1e300], named: "doubles")
  }
}

extension Domain where Value == Date {
  /// The start of 1970, and dates that storage gets wrong: fractions of a second, before 1970, a leap day, after 2038, and
  /// the distant past and future.
  public static var dates: Self {
    let seconds = [0, 1, 1.5, 0.001, 86_400, -1, 951_782_400, 1_700_000_000.123_456, 4_294_967_296]
    return of(
      seconds.map { Date(timeIntervalSince1970: $0) } + [.distantPast, .distantFuture],
      named: "dates")
  }
}

extension Domain where Value == UUID {
  /// Four UUIDs: nothing but zeros, two that differ in the last bit, and one with letters in its text.
  public static var uuids: Self {
    let ends: [[UInt8]] = [[0, 0], [0, 1], [0x10, 0], [0xAB, 0xCD]]
    return of(
      ends.map {
        UUID(uuid: ($0[0], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0[1]))
      }, named: "uuids")
  }
}

extension Domain where Value == URL {
  /// A few URLs, with an empty and a percent-encoded path, upper case, a query and a fragment, and of a file.
  public static var urls: Self {
    of(
      [
        "https://a.example/b", "https://a.example", "https://a.example/", "https://A.example/b",
        "https://a.example/b%20c", "https://a.example/b?c=d&e", "https://a.example/b#c",
        "file:///a/b",
      ].compactMap { URL(string: $0) }, named: "urls")
  }
}

extension Domain where Value: CaseIterable {
  /// The cases of an enumeration, the first as the simplest.
  public static var allCases: Self { of(Array(Value.allCases), named: "\(Value.self)") }
}

// MARK: - Results of other calls

extension Domain {
  /// What an earlier call of an operation returned: an id that each side chooses by itself, for example.
  ///
  /// Each side gets what its own call returned. A result that is `nil`, of another type, or not there because
  /// the call threw, is not used: the operation is then not called. The answers of the operation that
  /// returns the ids are compared as well, so let it ignore them with ``Operation/ignoringAnswer()``.
  ///
  ///     Operation("enqueue", .texts) { queue, job in try await queue.enqueue(job) }.ignoringAnswer()
  ///     Operation("complete", .result(of: "enqueue")) { queue, id in try await queue.complete(id) }
  ///
  /// - Parameter operation: The name of the operation.
  public static func result(of operation: String) -> Self {
    results(of: operation, path: "") { $0 as? Value }
  }

  /// A property of what an earlier call of an operation returned.
  ///
  ///     Operation("complete", .result(of: "take", \Assignment.ticket)) { … }
  ///
  /// - Parameters:
  ///   - operation: The name of the operation.
  ///   - path: The path from the result, unwrapped if it is an optional, to the argument.
  public static func result<Result>(
    of operation: String, _ path: KeyPath<Result, Value> & Sendable
  ) -> Self {
    // A key path's description is `\Assignment.ticket`.
    let name = "\(path)".drop { $0 != "." }
    return results(of: operation, path: String(name)) { ($0 as? Result)?[keyPath: path] }
  }

  private static func results(
    of operation: String, path: String, _ extract: @escaping @Sendable (Any) -> Value?
  ) -> Self {
    Self(references: [operation]) { choices, context in
      guard let number = context.recorded.firstIndex(of: operation), context.calls[number] > 0
      else {
        return nil
      }
      let call = choices.integer(in: 0...context.calls[number] - 1)
      return .result(
        ResultName(name: operation, operation: number, call: call, path: path), extract: extract)
    }
  }
}

// MARK: - Combined values

extension Domain {
  /// A value of one of several domains, such as a result of a call, or an id that nobody returned.
  public static func oneOf(_ domains: Domain...) -> Self {
    Self(
      references: domains.flatMap(\.references), meanings: domains.flatMap(\.meanings)
    ) { choices, context in
      guard !domains.isEmpty else { return nil }
      let first = choices.integer(in: 0...domains.count - 1)
      for offset in domains.indices {
        let domain = domains[(first + offset) % domains.count]
        if let value = domain.draw(&choices, context) { return value }
      }
      return nil
    }
  }

  /// `nil`, or a value of another domain.
  public static func optional<Wrapped>(_ domain: Domain<Wrapped>) -> Self where Value == Wrapped? {
    Self(references: domain.references, meanings: domain.meanings) { choices, context in
      choices.bool(probability: 0.75)
        ? domain.draw(&choices, context)?.map { .some($0) } : .value(nil)
    }
  }

  /// Arrays of values of another domain. Results of calls are not elements.
  ///
  /// - Parameters:
  ///   - domain: The elements.
  ///   - count: The greatest number of elements.
  public static func arrays<Element>(of domain: Domain<Element>, upTo count: Int = 3) -> Self
  where Value == [Element] {
    Self(meanings: domain.meanings) { choices, context in
      var elements: [Element] = []
      for _ in 0..<choices.integer(in: 0...max(count, 0)) {
        if case .value(let element) = domain.draw(&choices, context) { elements.append(element) }
      }
      return .value(elements)
    }
  }

  /// Values that are made of values of other domains. Results of calls are not used.
  ///
  ///     .combining(.texts, .integers(0...5)) { title, rating in Song(title: title, rating: rating) }
  public static func combining<each Part: Sendable>(
    _ domains: repeat Domain<each Part>,
    making make: @escaping @Sendable (repeat each Part) -> Value
  ) -> Self {
    var meanings: [String] = []
    for domain in repeat each domains { meanings += domain.meanings }
    let parts = (repeat each domains)
    return Self(meanings: meanings) { choices, context in
      func drawn<Drawable>(_ domain: Domain<Drawable>) -> Drawable? {
        if case .value(let value) = domain.draw(&choices, context) { value } else { nil }
      }
      let maybe = (repeat drawn(each parts))
      for part in repeat each maybe {
        guard part != nil else { return nil }
      }
      return .value(make(repeat (each maybe)!))
    }
  }

  /// Values that are derived from those of another domain.
  public func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> Domain<Other> {
    Domain<Other>(references: references, meanings: meanings) { [draw] choices, context in
      draw(&choices, context)?.map(transform)
    }
  }
}

extension Drawn {
  func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> Drawn<Other> {
    switch self {
    case .value(let value): .value(transform(value))
    case .result(let name, let extract): .result(name) { extract($0).map(transform) }
    }
  }
}
