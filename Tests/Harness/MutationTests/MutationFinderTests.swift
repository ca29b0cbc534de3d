import SwiftSource
import Testing

@testable import ContractMutation

@Suite struct MutationFinderTests {
  @Test func `comparisons move their border and are negated`() throws {
    let changes = try TypedSource.changes(of: "func f(a: Int, b: Int) { if a < b || a == b {} }")
    #expect(changes.contains("comparison: a < b → a <= b"))
    #expect(changes.contains("comparison: a < b → a >= b"))
    #expect(changes.contains("comparison: a == b → a != b"))
    #expect(changes.contains("logical: a < b || a == b → a < b && a == b"))
    #expect(!changes.contains { $0.hasPrefix("negation") })
  }

  @Test func `a comparison with the current instant has no border`() throws {
    let changes = try TypedSource.changes(
      of: """
        func f(a: ContinuousClock.Instant, b: ContinuousClock.Instant, c: SuspendingClock) {
          if ContinuousClock.now < a || a > .now || c.now <= c.now || a < b {}
        }
        """)
    let comparisons = changes.filter { $0.hasPrefix("comparison: ") }.sorted()
    #expect(
      comparisons == [
        "comparison: ContinuousClock.now < a → ContinuousClock.now >= a",
        "comparison: a < b → a <= b", "comparison: a < b → a >= b",
        "comparison: a > .now → a <= .now", "comparison: c.now <= c.now → c.now > c.now",
      ])
  }

  @Test func `conditions of if, guard, while, repeat, for and ternaries are negated`() throws {
    let changes = try TypedSource.changes(
      of: """
        func f(a: Bool, b: Bool, c: Bool, d: Bool, e: Bool, g: Bool, h: Bool) -> Int {
          if a {}
          guard b else { return 1 }
          while c {}
          repeat {} while d
          for _ in [1] where e {}
          if !g {}
          switch 1 { case 1 where h: break; default: break }
          return a && b ? 1 : 2
        }
        """)
    for name in ["a", "b", "c", "d", "e", "h"] {
      #expect(changes.contains("negation: \(name) → !(\(name))"))
    }
    #expect(changes.contains("negation: !g → g"))
  }

  @Test func `arithmetic changes by its type`() throws {
    let changes = try TypedSource.changes(
      of: """
        func f(a: Int, b: UInt8, s: String, x: [Int]) -> Int {
          var t = a * 2 + a
          t += 1
          _ = b & 3
          _ = s + "x"
          _ = x + [1]
          return t % a
        }
        """)
    #expect(changes.contains("arithmetic: a * 2 + a → a * 2 - a"))
    #expect(changes.contains("arithmetic: a * 2 → a / 2"))
    #expect(changes.contains("arithmetic: t += 1 → t -= 1"))
    #expect(changes.contains("arithmetic: b & 3 → b | 3"))
    #expect(changes.contains(#"arithmetic: s + "x" → s"#))
    #expect(changes.contains("arithmetic: x + [1] → x"))
    #expect(changes.contains("arithmetic: t % a → t * a"))
    let durations = try TypedSource.changes(
      of: """
        func f(d: Duration, n: Int) -> Double {
          _ = d / n + d * n
          return d / .seconds(1)
        }
        """)
    #expect(durations.contains("arithmetic: d / n → d * n"))
    #expect(durations.contains("arithmetic: d * n → d / n"))
    #expect(!durations.contains { $0.hasPrefix("arithmetic: d / .seconds") })
  }

  @Test func `numbers and bounds move by 1, within their type`() throws {
    let changes = try TypedSource.changes(
      of: """
        func f(n: Int, m: Int) {
          _ = UInt8(n) == 255
          _ = UInt8(n) == 0
          for _ in 0..<n {}
          for _ in 1...m {}
          _ = 1.5 as Double
          _ = -1 as Int32
        }
        """)
    #expect(changes.contains("number: 255 → 254"))
    #expect(!changes.contains("number: 255 → 256"))
    #expect(changes.contains("number: n → (n) + 1"))
    #expect(changes.contains("number: m → (m) - 1"))
    #expect(changes.contains("number: 1.5 → (1.5 + 1)"))
    // One of the zeros is a UInt8, which has no -1; the other is an Int.
    #expect(changes.filter { $0 == "number: 0 → -1" }.count == 1)
    #expect(changes.filter { $0 == "number: 0 → 1" }.count == 2)
  }

  @Test func `functions, Booleans, literals and optionals are exchanged`() throws {
    let changes = try TypedSource.changes(
      of: """
        func f(s: String, o: Int?, p: [String]) -> [Int] {
          _ = min(s.count, 3)
          _ = Swift.max(s.count, 4)
          _ = s.hasPrefix("a") == true
          _ = o ?? 7
          _ = p.first?.count
          if let q = o, let r = p.first { _ = (q, r) }
          _ = ["a": 1]
          _ = ""
          return [1]
        }
        """)
    #expect(changes.contains("function: min(s.count, 3) → max(s.count, 3)"))
    #expect(!changes.contains { $0.hasPrefix("arguments: min(") })
    #expect(changes.contains("function: Swift.max(s.count, 4) → Swift.min(s.count, 4)"))
    #expect(!changes.contains { $0.hasPrefix("arguments: Swift.max(") })
    #expect(changes.contains(#"function: s.hasPrefix("a") → s.hasSuffix("a")"#))
    #expect(changes.contains("boolean: true → false"))
    #expect(changes.contains("optional: o ?? 7 → 7"))
    #expect(changes.contains("optional: p.first?.count → (false ? p.first?.count : nil)"))
    #expect(changes.contains("optional: o → (false ? o : nil)"))
    #expect(changes.contains("function: p.first → p.last"))
    #expect(changes.contains(#"literal: ["a": 1] → (false ? ["a": 1] : [:])"#))
    #expect(changes.contains(#"literal: "" → "mutant""#))
    #expect(changes.contains("literal: [1] → (false ? [1] : [])"))
  }

  @Test func `conditions, calls, keys and replacements are left out`() throws {
    let changes = try TypedSource.changes(
      of: """
        struct Job { var due: Int; var name: String; var retries: Int }
        struct Queue {
          var jobs: [String: Job] = [:]
          mutating func put(_ job: Job, holding token: Int, of owner: Int?) -> Bool {
            guard token > 0, let owner, owner == token || job.retries < 3 else { return false }
            if job.name.isEmpty { return false }
            jobs[job.name] = job
            jobs["last"] = nil
            while token < 0 {}
            return token > 1 && owner > 2
          }
          func sorted() -> [Job] { jobs.values.sorted { ($0.due, $0.name) < ($1.due, $1.name) } }
          func until(_ a: Int, _ b: Int) -> Int { max(a, b) - min(a, b) }
          func move(_ from: String, by step: Int, _ to: String, near: String) {}
          func text(_ a: String) -> String {
            move(a, by: 1, "x", near: "y")
            return a.lowercased()
          }
        }
        """)
    let dropped = changes.filter { $0.hasPrefix("dropped-condition: ") }.sorted()
    #expect(
      dropped == [
        "dropped-condition: job.name.isEmpty → true", "dropped-condition: job.retries < 3 → false",
        "dropped-condition: owner == token → false", "dropped-condition: owner > 2 → true",
        "dropped-condition: token > 0 → true", "dropped-condition: token > 1 → true",
      ])
    #expect(
      changes.contains(
        "kept-entry: jobs[job.name] = job → if jobs[job.name] == nil { jobs[job.name] = job }"))
    #expect(changes.filter { $0.hasPrefix("kept-entry") }.count == 1)
    let comparison = "($0.due, $0.name) < ($1.due, $1.name)"
    #expect(changes.contains("dropped-key: \(comparison) → ($0.name) < ($1.name)"))
    #expect(changes.contains("dropped-key: \(comparison) → ($0.due) < ($1.due)"))
    let sorted = changes.filter { $0.hasPrefix("dropped-call: jobs.values.sorted") }
    #expect(sorted.count == 1 && sorted[0].hasSuffix(": Array(jobs.values))"))
    #expect(changes.contains("dropped-call: a.lowercased() → a"))
    #expect(
      changes.contains("function: max(a, b) → a") && changes.contains("function: max(a, b) → b"))
    #expect(changes.contains("arithmetic: max(a, b) - min(a, b) → min(a, b)"))
    #expect(
      changes.contains(
        #"arguments: move(a, by: 1, "x", near: "y") → move("y", by: 1, "x", near: a)"#))
  }

  @Test func `a change compiles if a person makes it`() throws {
    let text = """
      func f(a: Int, s: String, o: Int?, p: [String]) -> Int? {
        guard let q = o, a < 3 || a == 5 else { return nil }
        let n = p.first?.count
        var t = min(a, q) + (n ?? 7)
        t += ["x", "y"].count
        let days = ["a", "b"]
        t += days.count
        for (index, days) in [24, 16].enumerated() { t += index + days }
        t += ["x": 1].values.count
        let u = p.last.map { [$0: "x"] }
        p.forEach { print($0) }
        switch a {
        case 1: t += 1
        default: print(a)
        }
        if s.hasPrefix("a"), u?.isEmpty == true { return t }
        return p.isEmpty ? q : p.last?.count
      }
      """
    let source = try TypedSource(text)
    defer { source.remove() }
    // Each change in a type of its own, so that the compiler reads all at once.
    let changed = try source.module.mutants.map { mutant in
      let place = SourceText(text)
      let start = try #require(place.offset(line: mutant.start.line, column: mutant.start.column))
      let end = try #require(place.offset(line: mutant.end.line, column: mutant.end.column))
      return "enum M\(mutant.id) {\n"
        + place[0..<start] + mutant.replacement + place[end..<text.utf8.count] + "\n}\n"
    }
    #expect(changed.count > 20)
    let copy = try TypedSource(changed.joined())
    copy.remove()
  }

  @Test func `statements are removed, except those that a value or a scope depends on`() throws {
    let changes = try TypedSource.changes(
      of: """
        struct S {
          var n: Int
          var m: Int
          init() { n = 1; m = 1; g() }
          init(n: Int) { (self.n, m) = (n, n) }
          func g() {}
          mutating func f(a: [Int]) {
            let x: Int
            if a.isEmpty { x = 1 } else { x = 2 }
            n = x
            for i in a {
              guard i > 0 else { continue }
              if i == 2 { break }
              g()
            }
            defer { n += 1 }
            if n == 3 { return }
          }
          mutating func k() {
            do { try h() } catch { g(); n = 0 }
          }
          func h() throws {}
          mutating func loop() -> Int {
            while true {
              (n, m) = (m, n)
              if n == 4 { return n }
            }
          }
          mutating func wait() { while true { if n == 5 { break } } }
        }
        """)
    let removed = changes.filter { $0.hasPrefix("removal") }.map {
      $0.dropFirst("removal: ".count).prefix { $0 != "→" }.trimmingCharacters(in: .whitespaces)
    }
    #expect(
      removed.sorted()
        == [
          "(n, m) = (m, n)", "break", "break", "g()", "g()", "g()", "n += 1", "n = 0",
          "n = x", "return", "try h()",
        ])
    #expect(changes.contains("swallowed-error: g(); n = 0 → "))
    // The end of an endless loop would need a result.
    #expect(changes.filter { $0 == "boolean: true → false" }.count == 1)
  }

  @Test func `plain values are returned, arguments swapped, and cases sent to their neighbour`()
    throws
  {
    let changes = try TypedSource.changes(
      of: """
        enum K { case a, b, c(Int) }
        func swap(_ x: Int, _ y: Int, flag: Bool) -> Int { x }
        func f(k: K, p: Int, q: Int) -> Bool {
          switch k {
          case .a: _ = swap(p, q, flag: true)
          case .b: return swap(p, p, flag: false) > 0
          case .c(let n): return n > 1
          }
          return p > q
        }
        var o: String? { "x" }
        """)
    #expect(changes.contains("return-value: p > q → true"))
    #expect(changes.contains("return-value: p > q → false"))
    #expect(changes.contains("return-value: x → 0"))
    #expect(changes.contains(#"return-value: "x" → nil"#))
    #expect(changes.contains("arguments: swap(p, q, flag: true) → swap(q, p, flag: true)"))
    #expect(!changes.contains { $0.hasPrefix("arguments: swap(p, p") })
    #expect(
      changes.contains(
        "neighbour-case: _ = swap(p, q, flag: true) → return swap(p, p, flag: false) > 0"))
    #expect(changes.filter { $0.hasPrefix("neighbour-case") }.count == 1)
  }

  @Test func `interpolations, patterns, result builders and inactive code are left alone`() throws {
    let changes = try TypedSource.changes(
      of: #"""
        @resultBuilder enum B {
          static func buildBlock(_ p: Int...) -> Int { p.count }
        }
        func build(@B _ f: () -> Int) -> Int { f() }
        func f(n: Int) {
          _ = "a \(n + 41) b"
          switch n { case 42: break; case 43...44: break; default: break }
          _ = build { 45; n + 46 }
          #if INACTIVE
            _ = n + 47
          #endif
        }
        enum Raw: Int { case one = 48 }
        """#)
    for number in 41...48 {
      let others = changes.filter { !$0.hasPrefix("removal") }
      #expect(!others.contains { $0.contains("\(number)") }, "\(number)")
    }
  }

  @Test func `values that differ are not compared for equality, and a swap has no order`() throws {
    let source = try TypedSource(
      """
      struct Pair {
        var one: Int
        var two: Int
        func precedes(_ other: Pair) -> Bool {
          if one != other.one { return one < other.one }
          if two != other.one { return two > other.two }
          return two < other.two
        }
      }
      func draws(_ next: () -> Int) -> Bool {
        if next() != next() { return next() < next() }
        return false
      }
      func exchange(_ a: inout [Int], _ i: Int, _ j: Int) { a.swapAt(i, j) }
      """)
    defer { source.remove() }
    #expect(!source.changes.contains { $0.contains("one <= other.one") })
    #expect(source.changes.contains { $0.contains("one >= other.one") })
    #expect(source.changes.contains { $0.contains("two >= other.two") })
    #expect(source.changes.contains { $0.contains("two <= other.two") })
    #expect(source.changes.contains { $0.contains("next() <= next()") })
    #expect(!source.changes.contains { $0.hasPrefix("arguments") })
  }

  @Test func `what nobody can see is left out, with the reason`() throws {
    let source = try TypedSource(
      """
      struct S: CustomStringConvertible {
        var description: String { "a" + "b" }
        func f(n: Int) {
          var a: [Int] = []
          a.reserveCapacity(n + 11)
          assert(n > 12)
          print(n + 13)
          precondition(n > 14, "x")
        }
      }
      """)
    defer { source.remove() }
    for number in 11...14 { #expect(!source.changes.contains { $0.contains("\(number)") }) }
    #expect(!source.changes.contains { $0.contains("\"a\"") })
    let reasons = source.module.files.values.flatMap(\.excluded).map(\.reason)
    #expect(reasons.contains("a capacity"))
    #expect(reasons.contains("an assertion"))
    #expect(reasons.contains("output for people"))
    #expect(reasons.contains("'description' is for people or for hash tables"))
  }

  @Test func `a comment excludes a line or what is below it, and needs a reason`() throws {
    let source = try TypedSource(
      """
      func f(n: Int) -> Int {
        let a = n + 21  // not mutated: the sum is only a hint
        // not mutated: a faster way to the same result
        if n > 22 {
          return n + 23
        }
        return a + 40
      }
      """)
    defer { source.remove() }
    for number in 21...23 { #expect(!source.changes.contains { $0.contains("\(number)") }) }
    #expect(source.changes.contains { $0.contains("40") })
    let excluded = source.module.files.values.flatMap(\.excluded).filter(\.isComment)
    #expect(Set(excluded.map(\.line)) == [2, 4])
    let error = #expect(throws: MutationError.self) {
      try TypedSource.changes(of: "func f() -> Int { 1 }  // not mutated:")
    }
    #expect(error?.description.contains("Sample.swift:1") == true)
  }

  @Test func `a comment that names a mutant excludes nothing else, and must find it`() throws {
    let changes = try TypedSource.changes(
      of: """
        func f(n: Int) -> Int {
          // not mutated (comparison): both give the same result
          if n < 51 { return 0 }
          return max(n, 52)  // not mutated (min(n, 52)): never at the limit
        }
        """)
    #expect(!changes.contains { $0.hasPrefix("comparison") || $0.hasSuffix("min(n, 52)") })
    #expect(changes.contains("number: 51 → 52") && changes.contains("function: max(n, 52) → n"))
    let error = #expect(throws: MutationError.self) {
      try TypedSource.changes(of: "func f() -> Int { 1 }  // not mutated (removal): none")
    }
    #expect(
      error?.description.contains("Sample.swift:1: '// not mutated (removal)' names no") == true)
  }

  @Test func `ids are stable when other lines change, and unique`() throws {
    let first = try TypedSource("func f(n: Int) -> Int { n + 1 + 1 }")
    defer { first.remove() }
    let second = try TypedSource("// A line more.\n\nfunc f(n: Int) -> Int { n + 1 + 1 }")
    defer { second.remove() }
    #expect(first.module.mutants.map(\.id) == second.module.mutants.map(\.id))
    #expect(Set(first.module.mutants.map(\.id)).count == first.module.mutants.count)
  }
}
