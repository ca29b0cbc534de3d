import TransportPort

/// Replaces secrets, and what only looks like one, in texts that are printed.
struct SecretMask {
  private var redactor: Redactor

  init(_ redaction: Redaction) {
    redactor = Redactor(redaction, collects: false, suspicion: .isReplaced)
  }

  mutating func text(_ text: String, named name: String = "") -> String {
    redactor.budget = 1 << 24
    let redacted = redactor.value(Array(text.utf8), named: name, Redactor.Context(isRequest: true))
    return String(decoding: redacted, as: UTF8.self)
  }

  mutating func url(_ text: String) -> String {
    redactor.redactURL(text)
  }

  /// The value of a field.
  mutating func field(_ name: HTTPField.Name, _ value: String?) -> String? {
    value.map { redactor.redact(HTTPField(name: name, value: $0)).value }
  }

  mutating func content(_ bytes: [UInt8]) -> [UInt8] {
    redactor.budget = 1 << 20 + 64 * bytes.count
    return redactor.text(bytes, named: "", Redactor.Context(isRequest: true))
  }
}

extension SecretMask {
  mutating func mismatch(_ mismatch: ReplayMismatch) -> ReplayMismatch {
    var masked = mismatch
    masked.url = url(mismatch.url)
    for index in masked.candidates.indices {
      masked.candidates[index].url = url(masked.candidates[index].url)
      masked.candidates[index].differences = masked.candidates[index].differences.map {
        difference($0)
      }
    }
    return masked
  }

  private mutating func difference(
    _ difference: ReplayMismatch.Difference
  ) -> ReplayMismatch.Difference {
    switch difference {
    case .path(let recorded, let requested):
      .path(recorded: url(recorded), requested: url(requested))
    case .queryItem(let name, let recorded, let requested):
      .queryItem(
        name, recorded: recorded.map { text($0, named: name) },
        requested: requested.map { text($0, named: name) })
    case .query(let recorded, let requested):
      .query(
        recorded: String(url("?" + recorded).dropFirst()),
        requested: String(url("?" + requested).dropFirst()))
    case .field(let name, let recorded, let requested):
      Redactor.field(name.rawName) == nil
        ? Self.field(name, field(name, recorded), field(name, requested))
        : .field(name, recorded: nil, requested: nil)
    case .method, .origin, .content: difference
    }
  }

  /// Two values that are equal once they are masked say nothing.
  private static func field(
    _ name: HTTPField.Name, _ recorded: String?, _ requested: String?
  ) -> ReplayMismatch.Difference {
    recorded == requested
      ? .field(name, recorded: nil, requested: nil)
      : .field(name, recorded: recorded, requested: requested)
  }

  mutating func change(_ change: ArchiveVerification.Change) -> ArchiveVerification.Change {
    switch change {
    case .field(let name, let recorded, let live, let rule):
      .field(name, recorded: field(name, recorded), live: field(name, live), rule: rule)
    case .trailer(let name, let recorded, let live, let rule):
      .trailer(name, recorded: field(name, recorded), live: field(name, live), rule: rule)
    case .missing(let path, let recorded): .missing(path: path, recorded: value(recorded, at: path))
    case .new(let path, let live): .new(path: path, live: value(live, at: path))
    case .type(let path, let recorded, let live):
      .type(path: path, recorded: value(recorded, at: path), live: value(live, at: path))
    case .value(let path, let recorded, let live, let rule):
      .value(
        path: path, recorded: value(recorded, at: path), live: value(live, at: path), rule: rule)
    case .content(let difference): .content(text(difference))
    case .status, .count, .failure, .omitted: change
    }
  }

  /// The summary of a JSON value, whose name is the end of its path.
  private mutating func value(_ summary: String, at path: String) -> String {
    let name = path.split { $0 == "." || $0 == "[" || $0 == "]" || $0 == "'" }
      .last { !$0.allSatisfy(\.isNumber) }
    // The name alone would hide what is not secret, such as the type.
    return SecretName(String(name ?? "")).isHarmless ? summary : text(summary)
  }
}

extension SecretName {
  fileprivate var isHarmless: Bool { if case .harmless = self { true } else { false } }
}
