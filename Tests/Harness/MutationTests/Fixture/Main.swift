import Foundation

/// Speaks the protocol of `CaseServer` without a test library, so that it is built in seconds.
@main
enum Main {
  static var cases: [(id: String, body: () -> String?)] {
    [
      (
        "sample/entry@fake",
        { Sample.entry(1) == 20 ? nil : "the second entry is \(Sample.entry(1))" }
      ),
      (
        "sample/last@fake",
        { Sample.entry(2) == 30 ? nil : "the last entry is \(Sample.entry(2))" }
      ),
      ("sample/sum@fake", { Sample.sum(to: 4) == 6 ? nil : "the sum is wrong" }),
      ("sample/sums@fake", { Sample.sum(to: 3) == 3 ? nil : "the sum is wrong" }),
      ("sample/depth@fake", { Sample.depth(3) == 3 ? nil : "the depth is wrong" }),
      (
        "sample/grow@fake",
        { Sample.grow(to: 1_000_000, atMost: 1 << 40) > 0 ? nil : "not grown" }
      ),
      ("sample/receive@fake", { Sample.receive() ? nil : "not received" }),
      ("sample/arrives@fake", { Sample.arrives() ? nil : "nothing arrives" }),
      ("sample/name@fake", { Sample.isName() ? nil : "another name" }),
      ("sample/visit@fake", { Sample.visit() ? nil : "not visited" }),
      (
        "sample/light@fake",
        {
          Sample.light()
          return nil
        }
      ),
      (
        "sample/twice@fake",
        {
          if Sample.isOpen { return "something was left open" }
          _ = Sample.firstKey
          if flaw == "flaky" { Sample.isOpen = true }
          if flaw == "unmapped", isJudged { _exit(88) }
          return Sample.twice(2) == (flaw == "fails" ? 5 : 4) ? nil : "not twice"
        }
      ),
      ("sample/key@fake", { Sample.key(1) == Sample.firstKey ? nil : "another key" }),
    ]
  }

  /// What is wrong with a case, if anything.
  static let flaw = getenv("SAMPLE_FLAW").map { String(cString: $0) }

  /// Whether this process judges mutants, after the run without any.
  static var isJudged: Bool {
    getenv("CONTRACT_MUTATION_STATE").map { String(cString: $0).hasSuffix("judge.state") } ?? false
  }

  static func say(_ line: String) {
    let text = line + "\n"
    _ = text.withCString { write(0, $0, strlen($0)) }
  }

  /// Whether something that an earlier case left fails this one.
  static func burns() -> Bool {
    guard Sample.fuse > 0 else { return false }
    Sample.fuse -= 1
    return Sample.fuse == 0
  }

  static func main() {
    if let text = getenv("CONTRACT_CASE_SERVER"), let bytes = UInt(String(cString: text)), bytes > 0
    {
      var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
    for one in cases { say("case \(one.id) fake 0 Sample") }
    say("ready")
    while let line = readLine() {
      for id in line.split(separator: " ") {
        guard let one = cases.first(where: { $0.id == id }) else { continue }
        say("start \(id)")
        if let message = burns() ? "a fuse burned down" : one.body() {
          say("fail \(id) \(message)")
          break
        }
        say("pass \(id)")
      }
      say("done")
    }
  }
}
