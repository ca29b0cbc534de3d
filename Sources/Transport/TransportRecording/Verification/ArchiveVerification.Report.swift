public import TransportPort

extension ArchiveVerification {
  /// The result of a verification.
  public struct Report: Sendable, Hashable {
    /// Every exchange of the archive, in order.
    public var exchanges: [Exchange] = []

    /// The verdict over all exchanges.
    public var verdict: Verdict {
      if exchanges.contains(where: { $0.isStale }) { return .stale }
      return !exchanges.isEmpty && exchanges.allSatisfy { $0.outcome == .agrees }
        ? .agrees : .notVerified
    }
  }

  /// The verdict of a report.
  public enum Verdict: String, Sendable, Hashable {
    /// The server answers every exchange as recorded.
    case agrees
    /// The server answers at least one exchange differently.
    case stale = "recording stale"
    /// No change is known, but at least one exchange was not compared.
    case notVerified = "not verified"
  }

  /// One exchange of an archive.
  public struct Exchange: Sendable, Hashable {
    /// Its position, counted from 0.
    public var entry: Int
    /// The method of the request.
    public var method: String
    /// The recorded URL.
    public var url: String
    /// The result of the exchange.
    public var outcome: Outcome

    var isStale: Bool { if case .stale = outcome { true } else { false } }
  }

  /// How the server answered one exchange.
  public enum Outcome: Sendable, Hashable {
    /// As recorded, except for what may vary.
    case agrees
    /// Differently.
    case stale([Change])
    /// The request was not sent or not answered; the text says why.
    case notVerified(String)
  }

  /// One difference between a recorded answer and a live one.
  public enum Change: Sendable, Hashable {
    case status(recorded: Int, live: Int)
    /// A header field; `nil` if there is none. The rule is that of the matcher that it breaks.
    case field(HTTPField.Name, recorded: String?, live: String?, rule: Matcher.Rule? = nil)
    /// A trailer field; `nil` if there is none.
    case trailer(HTTPField.Name, recorded: String?, live: String?, rule: Matcher.Rule? = nil)
    /// A recorded member or element of JSON that no longer exists.
    case missing(path: String, recorded: String)
    /// A member or an element of JSON that was not recorded.
    case new(path: String, live: String)
    /// A JSON value of another type.
    case type(path: String, recorded: String, live: String)
    /// A JSON value. The rule is that of the matcher that it breaks.
    case value(path: String, recorded: String, live: String, rule: Matcher.Rule? = nil)
    /// The number of elements of a JSON array too long to be compared element by element.
    case count(path: String, recorded: Int, live: Int)
    /// Other content; the text says where it first differs.
    case content(String)
    /// An error, or none where there was one.
    case failure(recorded: String?, live: String?)
    /// The number of further differences, which are not listed.
    case omitted(Int)
  }
}

extension ArchiveVerification.Report: CustomStringConvertible {
  /// The exchanges that do not agree, their differences, and a summary.
  public var description: String {
    var lines: [String] = []
    for exchange in exchanges {
      let name = "entry \(exchange.entry), \(exchange.method) \(exchange.url)"
      switch exchange.outcome {
      case .agrees: break
      case .stale(let changes):
        lines.append("\(name): stale")
        lines += changes.map { "  \($0)" }
      case .notVerified(let reason): lines.append("\(name): not verified: \(reason)")
      }
    }
    return (lines + [summary]).joined(separator: "\n")
  }

  private var summary: String {
    let stale = exchanges.count { $0.isStale }
    let agreeing = exchanges.count { $0.outcome == .agrees }
    let others = exchanges.count - stale - agreeing
    return
      "\(verdict.rawValue): of \(exchanges.count) recorded exchanges \(agreeing) agree, \(stale)"
      + " changed, \(others) not verified"
  }
}

extension ArchiveVerification.Change: CustomStringConvertible {
  public var description: String {
    func text(_ value: String?) -> String {
      value.map { String($0.prefix(200)).debugDescription } ?? "none"
    }
    func reason(_ rule: ArchiveVerification.Matcher.Rule?) -> String {
      rule.map { ", not \($0.sentence)" } ?? ""
    }
    return switch self {
    case .status(let recorded, let live): "status: recorded \(recorded), live \(live)"
    case .field(let name, let recorded, let live, let rule):
      "field \(name): recorded \(text(recorded)), live \(text(live))\(reason(rule))"
    case .trailer(let name, let recorded, let live, let rule):
      "trailer \(name): recorded \(text(recorded)), live \(text(live))\(reason(rule))"
    case .missing(let path, let recorded): "\(path) is missing; recorded \(recorded)"
    case .new(let path, let live): "\(path) is new: \(live)"
    case .type(let path, let recorded, let live): "\(path): recorded \(recorded), live \(live)"
    case .value(let path, let recorded, let live, let rule):
      "\(path): recorded \(recorded), live \(live)\(reason(rule))"
    case .count(let path, let recorded, let live):
      "\(path): recorded \(recorded) elements, live \(live)"
    case .content(let difference): "content: \(difference)"
    case .failure(let recorded, let live):
      "recorded \(recorded ?? "a response"), live \(live ?? "a response")"
    case .omitted(let count): "and \(count) more"
    }
  }
}
