import Testing

@testable import ContractScaffold

@Suite struct SourceReaderTests {
  private func port(_ source: String) throws -> ProtocolDeclaration {
    try #require(SourceReader(source).protocols.first)
  }

  @Test func `a function is read with labels, effects, generics and its documentation`() throws {
    let port = try port(
      """
      @MainActor public protocol P<A>: AnyObject, Q & Sendable where A: Hashable {
        associatedtype A: Sendable = Int
        /// Adds.
        /// - Throws: ``E``
        @discardableResult
        func add<T: Sequence>(
          _ a: A, /* why */ to b: inout [A: (Int, T?)], // not this
          each c: @escaping @Sendable (Int, _ x: String) async throws -> Void, rest: Int...
        ) async throws(E<A>) -> [A]? where T.Element == A
        func bare()
      }
      """)
    #expect(port.access == "public")
    #expect(port.isolation == "@MainActor")
    #expect(port.primaryTypes == ["A"])
    #expect(port.inherits == ["AnyObject", "Q", "Sendable"])
    #expect(port.associatedTypes.map(\.name) == ["A"])
    #expect(port.associatedTypes.first?.constraints.sorted() == ["Hashable", "Sendable"])
    let add = try #require(port.requirements.first)
    #expect(add.signature == "add(_:to:each:rest:)")
    #expect(add.generics == "<T: Sequence>")
    #expect(
      add.parameters.map(\.type) == [
        "A", "inout [A: (Int, T?)]",
        "@escaping @Sendable (Int, _ x: String) async throws -> Void", "Int...",
      ])
    #expect(add.isAsync)
    #expect(add.throwing == .typed("E<A>"))
    #expect(add.result == "[A]?")
    #expect(add.constraints == "T.Element == A")
    #expect(add.documentation == ["Adds.", "- Throws: ``E``"])
    #expect(port.requirements.map(\.signature) == ["add(_:to:each:rest:)", "bare()"])
  }

  @Test func `accessors have effects and say who changes`() throws {
    let port = try port(
      """
      protocol P {
        var a: Int { get }; var b: String? { get set }
        static var c: [Int] { get async throws(E) }
        var d: () -> Void { get nonmutating set }
        subscript(i: Int, of name: String) -> Int? { get set }
        init?(_ a: Int) throws
        mutating func change()
        static func == (a: Self, b: Self) -> Bool
      }
      """)
    let found = port.requirements
    #expect(found.map(\.name) == ["a", "b", "c", "d", "subscript", "init", "change", "=="])
    #expect(found.map(\.isSettable) == [false, true, false, true, true, false, false, false])
    #expect(found[1].isSetterMutating && !found[3].isSetterMutating)
    #expect(found[2].isAsync && found[2].throwing == .typed("E") && found[2].isStatic)
    #expect(found[3].result == "() -> Void")
    #expect(found[4].signature == "subscript(_:of:)")
    #expect(found[5].failure == "?" && found[5].throwing == .anyError)
    #expect(found[6].isMutating)
    #expect(found[7].kind == .operatorFunction)
  }

  @Test func `'throws(any Error)' is any error, and 'throws(Never)' is none`() throws {
    let found = try port(
      "protocol P { func a() throws(any Error); func b() throws(Never) -> Void; func c() rethrows }"
    ).requirements
    #expect(found.map(\.throwing) == [.anyError, .nothing, .rethrown])
    #expect(found[1].result == nil)
  }

  @Test func `the reader reports conditions and members that it can't parse`() throws {
    let port = try port(
      """
      protocol P {
        #if DEBUG
          func a()
        #endif
        strange thing here
        func b()
      }
      """)
    #expect(port.isConditional)
    #expect(port.unread == ["strange thing here"])
    #expect(port.requirements.map(\.name) == ["a", "b"])
  }

  @Test func `types are read with what they conform to`() {
    let reader = SourceReader(
      """
      public struct A: Hashable { struct Inner: Sendable {} ; enum Kind { case a, b } }
      enum B { case one(Int); case two }
      extension A.Inner: Codable {}
      func protocolLike() { let x = "protocol Fake { func a() }"; class L {} }
      let r = #"protocol "Raw" {"#
      @MainActor final class C<T>: Base<T>, @unchecked Sendable where T: Hashable { class func f() {} }
      """)
    let found = Dictionary(grouping: reader.types, by: \.name)
    #expect(found.keys.sorted() == ["A", "A.Inner", "A.Kind", "B", "C"])
    #expect(found["A"]?.first?.access == "public" && found["A.Inner"]?.first?.access == "internal")
    #expect(found["A.Inner"]?.flatMap(\.inherits) == ["Sendable", "Codable"])
    #expect(found["B"]?.first?.cases.map(\.values.count) == [1, 0])
    #expect(found["C"]?.first?.inherits == ["Base<T>", "Sendable"])
    #expect(found["C"]?.first?.isIsolated == true)
    #expect(reader.protocols.isEmpty)
  }

  @Test func `an enumeration has associated values only if a case has`() {
    let reader = SourceReader(
      """
      enum Plain {
        case a, `b`,
          c
        case d = 1
        private(set) static var count = (0)
        @available(*, deprecated) func f(_ e: Int) { switch self { case .a(let x): break } }
      }
      enum Full { indirect case e
        (Int), f; case g }
      """)
    #expect(
      reader.types.map { $0.cases.map(\.name) } == [["a", "`b`", "c", "d"], ["e", "f", "g"]])
    #expect(reader.types.map { $0.cases.map(\.values.count) } == [[0, 0, 0, 0], [1, 0, 0]])
  }

  /// Every prefix of a source, and the source with each byte replaced: nothing traps or hangs.
  @Test func `broken source is read without a trap`() {
    let source = """
      /** Doc */ @A(b) public protocol P<X>: Q where X: R { func a<T>(_ b: (T) -> [X?]) throws(E) -> Self
        var c: Int { get throws(E) } /* /* */ */ init!() subscript(_: Int) -> "s\\(1)" { get } #if x
        } struct S { let a = 1, b: Int; var c: [X: Y] = [:] { didSet {} }; init(d: (X) -> Y = { "}" }) {}
        enum E { case a(Int, [X: Y]), b = -1 } typealias A<T> = B?
      """
    let bytes = Array(source.utf8)
    for count in 0...bytes.count {
      _ = SourceReader(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
    for index in bytes.indices {
      for byte in "(){}<>[]\"`#@:,\n/*é".utf8 {
        var changed = bytes
        changed[index] = byte
        _ = SourceReader(String(decoding: changed, as: UTF8.self)).protocols.map {
          $0.requirements.map(\.question)
        }
      }
    }
  }
}
