import Foundation
import Testing

extension Implementation {
  /// The mistakes in what the implementation declares about its live calls.
  func liveCallProblems(of contract: String) -> [DeclarationProblem] {
    var problems: [String] = []
    func add(_ isWrong: Bool, _ call: String, _ message: String) {
      if isWrong { problems.append("\(contract): '\(id)' has .\(call), \(message)") }
    }
    if kind != .live {
      let message = "which only a live implementation can have; remove it"
      add(terms.cost != nil, "costs(…)", message)
      add(terms.rateLimit != nil, "limited(to:per:)", message)
      add(
        terms.reasonForRetries != nil, "retrying(…)",
        "and is no live implementation: what fails sometimes in memory is wrong; remove it")
      return problems.map { DeclarationProblem(message: $0, sourceLocation: sourceLocation) }
    }
    if let cost = terms.cost {
      add(cost < 1, "costs(\(cost))", "and a case makes at least 1 call; correct it")
    }
    if let limit = terms.rateLimit {
      let isWrong = limit.count < 1 || limit.period <= .zero
      let call = "limited(to: \(limit.count), per: \(limit.period))"
      add(isWrong, call, "so no case could ever start; give at least 1 call and a span above zero")
      if !isWrong, let cost = terms.cost {
        add(cost > limit.count, call, "and a case costs \(cost); raise the limit")
      }
    }
    if let reason = terms.reasonForRetries {
      let call = "retrying(\(terms.retries), because: \"\(reason)\")"
      add(!(1...10).contains(terms.retries), call, "and can try 1 to 10 times more; correct it")
      add(isPlaceholder(reason), call, "which is no reason; write it")
    }
    problems += missingSources.map {
      "\(contract): '\(id)' is built from '\($0)', where nothing is; give a path relative to the "
        + "folder of Package.swift"
    }
    return problems.map { DeclarationProblem(message: $0, sourceLocation: sourceLocation) }
  }

  /// The paths of sources that don't exist, on a machine that has the package.
  private var missingSources: [String] {
    guard let sources = terms.sources,
      let package = SourceFolders.package(of: sourceLocation.filePath)
    else { return [] }
    return sources.filter { !FileManager.default.fileExists(atPath: "\(package)/\($0)") }
  }
}
