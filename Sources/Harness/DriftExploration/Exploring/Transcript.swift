import Foundation

/// The answers of both sides to a sequence of calls, sent as the description of an error.
struct Transcript: Error, Codable, CustomStringConvertible {
  var steps: [TranscriptStep]

  init(steps: [TranscriptStep]) { self.steps = steps }

  init?(_ text: String) {
    guard let transcript = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
      return nil
    }
    self = transcript
  }

  var description: String {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// The answers to one call, or to one read of an observation.
struct TranscriptStep: Codable {
  /// The number of the call; an observation has that of the call before it.
  var call = 0
  /// The number of the observation.
  var observation: Int?
  /// Whether the call was not made, because a result that it needs was not there.
  var isSkipped = false
  var differs = false
  var live = AnswerText()
  var fake = AnswerText()
}

/// The answer of one side, for reports and clauses.
struct AnswerText: Codable, Equatable {
  var isThrown = false
  /// The answer as a text.
  var text = ""
  /// What is compared of the returned value, or the error, as a Swift expression; `nil` if there is none.
  var expression: String?
  /// The error's type.
  var errorType: String?
  /// The description of an error that can't be compared.
  var errorText: String?
  /// The code of an error of Foundation, which is compared without what it says of its cause.
  var errorCode: Int?
  /// The path from the value to what differs, where the values are compared by their structure.
  var path: String?

  init() {}

  init<Value>(
    _ answer: SideAnswer<Value>, _ comparison: AnswerComparison<Value>,
    against other: SideAnswer<Value>, apartFrom correspondences: Correspondences
  ) {
    switch answer {
    case .notCalled: text = "was not called"
    case .threw(let error):
      isThrown = true
      errorType = ValueSource.typeName(of: error)
      if let error = error as? any CustomNSError, let errorType {
        errorCode = error.errorCode
        text = "threw \(errorType), code \(error.errorCode)"
        return
      }
      let source = ValueSource.expression(of: error)
      if (error as Any) is any Equatable {
        expression = source
      } else if source != nil {
        // Without a source, the description may have an address.
        errorText = "\(error)"
      }
      text = "threw \(source ?? Self.shortened(error))"
    case .returned(let value):
      guard Value.self != Void.self else {
        text = "returned"
        return
      }
      guard let part = comparison.part(value) else {
        text = "returned"
        return
      }
      let source = ValueSource.expression(of: part)
      text = "returned \(source ?? Self.shortened(part))"
      if part is any Equatable {
        expression = source
        // The value of an existential type can't be compared with `==`.
        if comparison.place == nil, !(Value.self is any Equatable.Type),
          let type = ValueSource.typeName(of: part)
        {
          path = " as? \(type)"
        }
      } else if case .returned(let other) = other, let theirs = comparison.part(other),
        let difference = StructuralComparison.difference(part, theirs, apartFrom: correspondences),
        difference.left is any Equatable
      {
        path = difference.path
        expression = ValueSource.expression(of: difference.left)
        text += ", in which \(path ?? "it") is \(expression ?? Self.shortened(difference.left))"
      }
    }
  }

  private static func shortened(_ value: Any) -> String {
    let text = "\(value)"
    return text.count > 300 ? text.prefix(300) + "…" : text
  }
}
