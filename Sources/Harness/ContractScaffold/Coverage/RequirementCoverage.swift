import Foundation

/// Which requirements of a protocol a test run executed, and which of their errors and `nil` results.
///
/// A claim rests on statements of the package's sources that were executed: the body of a function that
/// implements the requirement, a `throw` of a case of the error's type, and a `return nil` in a function
/// with the requirement's signature, in a file that implements it. What such statements can't show is
/// reported as unknown.
package struct RequirementCoverage: Sendable {
  /// What is known about one requirement, error or result.
  package enum Finding: Hashable, Sendable {
    /// It was executed.
    case seen
    /// Statements for it exist, and none was executed.
    case missed
    /// No statement shows it; the reason, as the rest of a sentence.
    case unknown(String)
  }

  /// A line of the report.
  package struct Item: Hashable, Sendable {
    /// What it is about: `take()`, `take() returns nil` or `throws JobQueueError.full`.
    package var subject: String
    package var finding: Finding
  }

  /// The protocol.
  package let name: String
  /// The requirements with their results, and then the errors.
  package let items: [Item]
  /// The types that implement the protocol.
  package let implementations: [String]

  /// Compares a protocol with the counts of a run.
  ///
  /// - Parameters:
  ///   - name: The protocol.
  ///   - package: The package's folder.
  ///   - profile: The file of the counts.
  /// - Throws: ``ScaffoldError`` if there is no such protocol or the file can't be read.
  package init(of name: String, package: String, profile: String) throws(ScaffoldError) {
    let sources = try PackageSources(in: package)
    guard let port = sources.port(name) else {
      throw ScaffoldError(.source, "no Swift file of the package declares the protocol '\(name)'")
    }
    let counts = try ExecutionCounts(contentsOf: profile)
    try Self.checkDates(of: sources.files.map(\.path).filter(counts.knows), profile: profile)
    let forwarder = PortNames(name).flawed
    let implementations = sources.conformers(to: name).filter { $0 != forwarder }
    let reader = CoverageReader(
      port: port, sources: sources, counts: counts, implementations: Set(implementations + [name]))
    self.name = name
    self.implementations = implementations
    items = port.requirements.flatMap(reader.items) + reader.errors
  }

  /// Counts of another version of a file would be looked up at the wrong places.
  private static func checkDates(of files: [String], profile: String) throws(ScaffoldError) {
    func date(_ path: String) -> Date? {
      (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
    guard let end = date(profile) else { return }
    for file in files where date(file).map({ $0 > end }) ?? false {
      throw ScaffoldError(
        .source,
        "\(file) has changed since \(profile) was written; run 'swift test --enable-code-coverage' again"
      )
    }
  }

  /// What was not executed.
  package var missed: [Item] { items.filter { $0.finding == .missed } }

  /// The report: a summary and the items that were not seen.
  package var text: String {
    let seen = items.count { $0.finding == .seen }
    let list = implementations.isEmpty ? "no type" : implementations.joined(separator: ", ")
    var text = "\(name): \(seen) of \(items.count) seen, on \(list)\n"
    for item in items {
      switch item.finding {
      case .seen: text += "  ✓ \(item.subject)\n"
      case .missed: text += "  ✗ \(item.subject): never executed\n"
      case .unknown(let reason): text += "  ? \(item.subject): \(reason)\n"
      }
    }
    return text
  }
}

/// Looks up what was executed.
private struct CoverageReader {
  let port: PackageSources.Port
  let sources: PackageSources
  let counts: ExecutionCounts
  /// The types whose members implement the protocol, and the protocol for its extensions.
  let implementations: Set<String>

  func items(_ requirement: Requirement) -> [RequirementCoverage.Item] {
    let bodies = bodies { $0.signature == requirement.signature }
    let own = bodies.filter { implementations.contains($0.member.type) }
    let subject =
      requirement.owner == port.declaration.name
      ? requirement.signature : "\(requirement.owner).\(requirement.signature)"
    // A stored property has no body that could be counted.
    let finding: RequirementCoverage.Finding =
      own.isEmpty && requirement.kind != .property
      ? .missed
      : finding(
        own.compactMap { count(of: Self.beginning(of: $0.member), in: $0.file) },
        otherwise: "no file of the run has a body for it; it may be a stored property")
    var items = [RequirementCoverage.Item(subject: subject, finding: finding)]
    guard requirement.kind != .initializer, let result = requirement.result,
      TypeText(result).wrapped != nil
    else { return items }
    // A fake's model is in the fake's file. The same function of an unrelated type shows nothing.
    let places = Set(own.map(\.file.path))
    let returns = bodies.filter { places.contains($0.file.path) }.flatMap { body in
      Self.positions(of: ["return", "nil"], in: body.member.body).compactMap {
        count(of: $0, in: body.file)
      }
    }
    items.append(
      .init(
        subject: "\(subject) returns nil",
        finding: self.finding(returns, otherwise: "no 'return nil' in its sources shows it")))
    return items
  }

  /// The cases of the errors that the protocol names.
  var errors: [RequirementCoverage.Item] {
    var types: [String] = []
    var items: [RequirementCoverage.Item] = []
    for requirement in port.requirements {
      switch requirement.throwing {
      case .typed(let type) where !types.contains(type): types.append(type)
      case .anyError:
        items.append(
          .init(
            subject: "\(requirement.signature) throws",
            finding: .unknown("its declaration does not name the errors")))
      default: break
      }
    }
    return types.flatMap { type in
      let cases = sources.cases(of: type)
      guard !cases.isEmpty else {
        return [
          RequirementCoverage.Item(
            subject: "throws \(type)",
            finding: .unknown("no file of the package declares its cases"))
        ]
      }
      return cases.map { name in
        .init(
          subject: "throws \(type).\(name)",
          finding: finding(
            throwCounts(of: name, type), otherwise: "no 'throw' in the sources shows it"))
      }
    } + items
  }

  /// The counts of `throw E.name`, and of `throw .name` in functions that throw `E`.
  private func throwCounts(of name: String, _ type: String) -> [Int] {
    bodies { _ in true }.flatMap { body in
      let long = Self.positions(of: ["throw", type, ".", name], in: body.member.body)
      let short =
        body.member.declaration.throwing == .typed(type)
        ? Self.positions(of: ["throw", ".", name], in: body.member.body) : []
      return (long + short).compactMap { count(of: $0, in: body.file) }
    }
  }

  private struct Body {
    var member: MemberDeclaration
    var file: PackageSources.SourceFile
  }

  /// The bodies in files that the run compiled, without those of tests.
  private func bodies(where isWanted: (Requirement) -> Bool) -> [Body] {
    sources.files.filter { counts.knows($0.path) && !$0.isTest }.flatMap { file in
      file.members.filter { isWanted($0.declaration) }.map { Body(member: $0, file: file) }
    }
  }

  private func finding(_ counts: [Int], otherwise reason: String) -> RequirementCoverage.Finding {
    counts.contains { $0 > 0 } ? .seen : counts.isEmpty ? .unknown(reason) : .missed
  }

  /// The first token that is executed when the member is used. A getter may have braces of its own.
  private static func beginning(of member: MemberDeclaration) -> SourceToken? {
    let body = member.body.dropFirst()
    let kind = member.declaration.kind
    guard kind == .property || kind == .subscripting,
      let first = body.first, ["get", "set", "nonmutating", "mutating"].contains(first.text),
      let getter = body.firstIndex(where: { $0.text == "get" }),
      let brace = body[getter...].firstIndex(where: { $0.text == "{" })
    else { return body.first }
    return body[(brace + 1)...].first
  }

  /// The first token of each place where these tokens follow one another.
  private static func positions(of words: [String], in body: [SourceToken]) -> [SourceToken] {
    guard body.count >= words.count else { return [] }
    return (0...(body.count - words.count)).filter { start in
      words.indices.allSatisfy { body[start + $0].text == words[$0] }
    }.map { body[$0] }
  }

  private func count(of token: SourceToken?, in file: PackageSources.SourceFile) -> Int? {
    guard let token else { return nil }
    let before = file.text.utf8.prefix(token.range.lowerBound)
    let line = before.count { $0 == 10 } + 1
    let column =
      token.range.lowerBound
      - (before.lastIndex(of: 10).map {
        before.distance(from: before.startIndex, to: $0) + 1
      } ?? 0) + 1
    return counts.count(in: file.path, line: line, column: column)
  }
}

extension RequirementCoverage {
  /// The file that the last `swift test --enable-code-coverage` left in a package's build folder.
  ///
  /// - Throws: ``ScaffoldError`` if there is none, or if several packages left one.
  package static func profile(inPackage package: String) throws(ScaffoldError) -> String {
    let folder = "\(package)/.build/debug/codecov"
    let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasSuffix(".json") }.sorted()
    guard let file = files.first else {
      throw ScaffoldError(
        .source,
        "\(folder) has no coverage; run 'swift test --enable-code-coverage' first, or give --profile"
      )
    }
    guard files.count == 1 else {
      throw ScaffoldError(
        .source,
        "\(folder) has several files; name one of \(files.joined(separator: ", ")) with --profile")
    }
    return "\(folder)/\(file)"
  }
}
