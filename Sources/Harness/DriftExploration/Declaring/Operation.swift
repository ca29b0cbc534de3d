import SwiftSource

/// A named call of a port, with the values to call it with.
///
///     Operation("move", .paths, .paths) { files, from, to in try await files.move(from, to: to) }
///
/// Whatever the closure returns or throws is the call's *answer*. ``exploreDrift(of:from:observing:settings:filePath:sourceLocation:operations:)``
/// makes the same calls on two implementations, and compares the answers:
///
/// - Values that are `Equatable` are compared with `==`. Others are compared by their structure: stored
///   properties, cases and elements, sets and dictionaries without an order, and class instances by what
///   they hold. Two NaNs are alike.
/// - Errors are alike if they have the same type and case, and associated values that are alike. Texts that
///   contain a space, and those labelled `message`, `reason`, `description` or `detail`, are not compared,
///   because they are messages for people. Foundation's errors are compared by domain and code.
///
/// The modifiers change what is compared, and declare differences that are known.
public struct Operation<Subject, Answer, each Argument: Sendable>: Sendable {
  /// The name, for messages and the ids of clauses.
  public let name: String

  let domains: (repeat Domain<each Argument>)
  let call: @Sendable (Subject, repeat each Argument) async throws -> Answer
  let place: SourcePlace
  var comparison: AnswerComparison<Answer> = .whole
  var errorComparison: ErrorComparison?
  var known: [KnownDifference<repeat each Argument>] = []

  /// Declares a call.
  ///
  /// - Parameters:
  ///   - name: The name; other operations refer to the results by it.
  ///   - domains: The values of each argument of the closure, after the subject.
  ///   - filePath: The path of the calling file. The closure's text is read from it, so that reports show
  ///     the calls as the test writes them.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - call: Makes the call on a subject.
  public init(
    _ name: String, _ domains: repeat Domain<each Argument>, filePath: String = #filePath,
    line: Int = #line, column: Int = #column,
    call: @escaping @Sendable (Subject, repeat each Argument) async throws -> Answer
  ) {
    self.name = name
    self.domains = (repeat each domains)
    self.call = call
    place = SourcePlace(file: filePath, line: line, column: column, name: name)
  }

  /// Compares a part of what the call returns, instead of all of it.
  ///
  /// Use it for what may differ: an id, a time, or an order.
  ///
  ///     Operation("list", .paths) { files, path in try await files.list(path) }
  ///       .comparing { names in names.sorted() }
  ///
  /// - Parameters:
  ///   - filePath: The path of the calling file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - part: Derives what is compared.
  public func comparing<Part>(
    filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ part: @escaping @Sendable (Answer) -> Part
  ) -> Self {
    var copy = self
    copy.comparison = .part(
      of: part, at: SourcePlace(file: filePath, line: line, column: column))
    return copy
  }

  /// Compares only whether the call returns or throws, and not what it returns.
  ///
  /// Use it for an id that each side chooses. Where the ids that both sides returned are found in the same place of
  /// two later answers or errors, those are alike. Numbers below 1,000 are ids only in errors and under a label that
  /// ends in `id`.
  public func ignoringAnswer() -> Self {
    var copy = self
    copy.comparison = .nothing
    return copy
  }

  /// Compares errors by a value that is derived from each.
  ///
  ///     .comparingErrors { error in (error as? CocoaError)?.code }
  ///
  /// - Parameter part: Derives what is compared. Return a constant to ignore which error is thrown.
  public func comparingErrors<Part: Equatable & SendableMetatype>(
    _ part: @escaping @Sendable (any Error) -> Part
  ) -> Self {
    var copy = self
    copy.errorComparison = ErrorComparison { part($0) == part($1) }
    return copy
  }

  /// Declares that a fake is known to answer this call otherwise than the live implementation.
  ///
  /// The exploration goes on after such a difference, which may also be that the fake ends the process or does
  /// not return. The declaration is strict: if the exploration no
  /// longer finds the difference, it fails until the declaration is removed.
  ///
  /// - Parameters:
  ///   - reason: Why the difference is accepted.
  ///   - fake: The id of the fake that differs; `nil` for every fake of the exploration.
  public func differing(because reason: String, by fake: String? = nil) -> Self {
    var copy = self
    copy.known.append(KnownDifference(reason: reason, fake: fake, condition: nil))
    return copy
  }

  /// Declares that a fake is known to answer this call otherwise for some arguments; see
  /// ``differing(because:by:)``.
  ///
  /// - Parameters:
  ///   - reason: Why the difference is accepted.
  ///   - fake: The id of the fake that differs; `nil` for every fake of the exploration.
  ///   - condition: Returns whether the calls differ with these arguments, which are the fake's.
  public func differing(
    because reason: String, by fake: String? = nil,
    when condition: @escaping @Sendable (repeat each Argument) -> Bool
  ) -> Self {
    var copy = self
    copy.known.append(KnownDifference(reason: reason, fake: fake, condition: condition))
    return copy
  }
}

/// A difference that an operation declares, with the condition under which it is expected.
struct KnownDifference<each Argument>: Sendable {
  var reason: String
  var fake: String?
  /// The arguments with which the calls differ; `nil` for all.
  var condition: (@Sendable (repeat each Argument) -> Bool)?

  func applies(to fake: String) -> Bool { self.fake == nil || self.fake == fake }
}

/// A read that is compared on both sides, in addition to the answers of the operations.
///
///     try await exploreDrift(
///       of: .inMemory, from: .disk,
///       observing: .afterEachCall("all files") { files in try await files.list().sorted() }
///     ) { … }
///
/// The read must not change what it reads.
public struct Observation<Subject>: Sendable {
  let name: String
  let isAfterEachCall: Bool
  let read: @Sendable (DriftPair<Subject>) async -> StepOutcome
  let place: SourcePlace

  /// A read after each call.
  ///
  /// - Parameters:
  ///   - name: The name, for messages.
  ///   - filePath: The path of the calling file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - read: Reads from a subject.
  public static func afterEachCall<Answer>(
    _ name: String, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ read: @escaping @Sendable (Subject) async throws -> Answer
  ) -> Self {
    Self(
      name: name, isAfterEachCall: true, read: Self.comparing(read),
      place: SourcePlace(file: filePath, line: line, column: column, name: name))
  }

  /// A read after the last call of each sequence. It suits reads that are slow.
  ///
  /// - Parameters:
  ///   - name: The name, for messages.
  ///   - filePath: The path of the calling file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  ///   - read: Reads from a subject.
  public static func atEnd<Answer>(
    _ name: String, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ read: @escaping @Sendable (Subject) async throws -> Answer
  ) -> Self {
    Self(
      name: name, isAfterEachCall: false, read: Self.comparing(read),
      place: SourcePlace(file: filePath, line: line, column: column, name: name))
  }

  private static func comparing<Answer>(
    _ read: @escaping @Sendable (Subject) async throws -> Answer
  ) -> @Sendable (DriftPair<Subject>) async -> StepOutcome {
    let comparison = AnswerComparison<Answer>.whole
    return { pair in
      let live = await pair.answer(of: .live) { try await read(pair.live.fixture) }
      let fake = await pair.answer(of: .fake) { try await read(pair.fake.fixture) }
      return pair.compare(live, fake, comparison, nil)
    }
  }
}

/// Collects the operations of an exploration.
///
/// Explorations that share operations return a list of them:
///
///     @OperationBuilder<any Files> var operations: [AnyOperation<any Files>] { Operation("read", .paths) { … } }
///
///     try await exploreDrift(of: .inMemory, from: .disk) { return operations }
@resultBuilder
public enum OperationBuilder<Subject> {
  public static func buildExpression<Answer, each Argument: Sendable>(
    _ operation: Operation<Subject, Answer, repeat each Argument>
  ) -> [AnyOperation<Subject>] { [AnyOperation(operation)] }

  public static func buildBlock(_ parts: [AnyOperation<Subject>]...) -> [AnyOperation<Subject>] {
    parts.flatMap(\.self)
  }

  public static func buildOptional(_ part: [AnyOperation<Subject>]?) -> [AnyOperation<Subject>] {
    part ?? []
  }

  public static func buildEither(first part: [AnyOperation<Subject>]) -> [AnyOperation<Subject>] {
    part
  }

  public static func buildEither(second part: [AnyOperation<Subject>]) -> [AnyOperation<Subject>] {
    part
  }

  public static func buildArray(_ parts: [[AnyOperation<Subject>]]) -> [AnyOperation<Subject>] {
    parts.flatMap(\.self)
  }
}
