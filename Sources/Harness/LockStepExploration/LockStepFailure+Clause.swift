extension LockStepFailure {
  /// Whether the subject is the fixture of a contract.
  var isOfContract: Bool { source.arguments != nil }

  /// A clause that checks the failing command's response, to paste into the contract of the
  /// subject; `nil` if the setup or the teardown failed.
  ///
  /// Its id and its sentence are proposals: say there what the port promises.
  public var swiftClause: String? {
    guard kind.isOfCommand, let last = commands.last, let expected = expectedResponses.last else {
      return nil
    }
    let kinds = commands.map { command in
      specification.kind(of: command).lowercased().filter {
        $0.isASCII && ($0.isLetter || $0.isNumber)
      }
    }
    let id = commands.count > 6 ? "smallest-failure" : kinds.joined(separator: "-")
    let before = commands.dropLast()
    var sentence = "\(last) responds \(expected)"
    if !before.isEmpty {
      sentence +=
        before.count > 3
        ? " after \(before.count) commands"
        : " after " + before.map(\.description).joined(separator: ", ")
    }
    let origin = seed.map { "exploration, seed \($0)" } ?? "exploration"
    let call = { (command: Spec.Command) in
      "try await specification.perform(\(specification.source(ofCommand: command)), on: fixture)"
    }
    let calls = before.map { "  _ = " + call($0) } + ["  let response = " + call(last)]
    let response = specification.source(ofResponse: expected)
    let subject = "the response to \(last)"
    return """
      Clause(
        "\(id)", \(String(reflecting: sentence)),
        from: "\(origin)"
      ) { fixture in
        let specification = \(specification.source)
      \(calls.joined(separator: "\n"))
        checkEqual(response, \(response), \(String(reflecting: subject)))
      }
      """
  }
}
