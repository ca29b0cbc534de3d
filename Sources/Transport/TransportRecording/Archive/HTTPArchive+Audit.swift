extension HTTPArchive {
  /// Searches a file for secrets that a recording would not write.
  ///
  /// It applies the rules of ``Redaction`` to every exchange, and to what other programs write beside
  /// them, such as lists of cookies, comments and messages of web sockets. The names that the archive
  /// was recorded with count too.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - redaction: Further names, and what is not secret.
  ///   - limits: Limits on what is read.
  /// - Returns: The secrets and what is suspected, with their places and rules but not their values.
  /// - Throws: ``HTTPArchiveError``.
  public static func audit(
    contentsOf path: String, redacting redaction: Redaction = Redaction(), limits: Limits = Limits()
  ) throws(HTTPArchiveError) -> [SecretFinding] {
    let bytes = try contents(of: path, limit: limits.bytes)
    let archive = try HTTPArchive(bytes, limits: limits)
    var redactor = Redactor(archive.redaction.union(redaction), suspicion: .isReported)
    redactor.contentIsDecoded = !archive.isRecording
    for (number, entry) in archive.entries.enumerated() {
      do throws(RecordingError) { _ = try redactor.redact(entry, number: number) } catch {
        redactor.place = []
        redactor.giveUp(
          "content that cannot be searched: \(error.reason)", at: "log.entries[\(number)]")
      }
    }
    redactor.auditRest(of: bytes)
    return redactor.findings
  }
}

extension Redaction {
  fileprivate func union(_ other: Redaction) -> Redaction {
    Redaction(
      names: names.union(other.names), jsonPaths: jsonPaths.union(other.jsonPaths),
      paths: paths.union(other.paths), texts: texts.union(other.texts),
      allowedNames: allowedNames.union(other.allowedNames),
      allowedValues: allowedValues.union(other.allowedValues),
      allowedEncodings: allowedEncodings.union(other.allowedEncodings))
  }
}

extension RecordingError {
  fileprivate var reason: String {
    if case .contentNotReadable(_, _, let reason) = self { reason } else { description }
  }
}
