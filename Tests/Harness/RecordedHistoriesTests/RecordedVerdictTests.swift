import Foundation
import Testing

@testable import RecordedHistories

/// What a person reads about a history that is not linearizable.
@Suite struct RecordedVerdictTests {
  /// The processor time of this thread, which other tests do not lengthen.
  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// A log of five clients that take a lock in turns while the others fail to, with one acquisition
  /// of a lock that is held.
  private func mutexLog(rounds: Int, wrongRound: Int) -> String {
    var lines: [String] = []
    var stamp = 0
    func add(_ client: Int, _ function: String, _ start: Int, _ end: Int, _ result: Bool) {
      lines.append(
        #"{"process":\#(client),"f":"\#(function)","call":\#(start),"return":\#(end),"#
          + #""result":\#(result)}"#)
    }
    for round in 0..<rounds {
      let owner = round % 5
      add(owner, "acquire", stamp + 1, stamp + 4, true)
      for other in 0..<5 where other != owner {
        let isWrong = round == wrongRound && other == (owner + 2) % 5
        add(other, "acquire", stamp + 5 + other, stamp + 12 + other, isWrong)
      }
      add(owner, "release", stamp + 20, stamp + 24, true)
      stamp += 30
    }
    return lines.joined(separator: "\n")
  }

  @Test func `a mutex log is explained in a few short lines`() throws {
    let start = processorTime()
    let verdict = try RecordedModelName.lock.judge(
      Data(mutexLog(rounds: 400, wrongRound: 300).utf8))
    #expect(processorTime() - start < .seconds(8))
    #expect(
      verdict.description.hasPrefix(
        """
        2400 operations, 0 pending, 0 failed: not linearizable
        Line 1803 cannot be explained: acquire(2) → true
          In its place, a correct subject returns false.
        It contradicts line
        """), "\(verdict)")
    #expect(verdict.description.contains(", 1801, 1802, "), "\(verdict)")
    #expect(verdict.description.contains("client 0: acquire(0) → true"), "\(verdict)")
    #expect(verdict.description.split(separator: "\n").count <= 20, "\(verdict)")
  }

  @Test func `operations that matter are drawn`() throws {
    let verdict = try RecordedModelName.register.judge(
      Data(
        """
        {"process":0,"f":"write","value":1,"call":1,"return":2}
        {"process":1,"f":"write","value":2,"call":3,"return":9}
        {"process":2,"f":"read","call":4,"return":5,"result":2}
        {"process":3,"f":"read","call":6,"return":7,"result":1}
        """.utf8))
    #expect(
      verdict.description == """
        4 operations, 0 pending, 0 failed: not linearizable
        Line 4 cannot be explained: read → 1
          In its place, a correct subject returns 2.
        It contradicts lines 1, 2, 3:
          client 0  [write(1) → done]
          client 1                    [write(2) ┄┄┄
          client 2                     [read → 2]
          client 3                                [read → 1]
        """, "\(verdict)")
  }

  @Test func `without time to reduce it, a history is explained by its last operations`() throws {
    let file = try LinearizabilityFile<LockModel>(
      Data(mutexLog(rounds: 10, wrongRound: 5).utf8))
    let checker = LinearizabilityChecker(PartlyStated(base: LockModel()))
    guard case .notLinearizable(let violation) = checker.check(file.history) else {
      Issue.record("the history is linearizable")
      return
    }
    let text = ViolationText(file, checker, violation, explainingWithin: .zero).text
    #expect(
      text.hasPrefix("Line 33 cannot be explained: acquire(2) → true\n"), "\(text)")
    for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    #expect(text.split(separator: "\n").count <= 20)
  }

  /// Many clients that overlap for long, so that the orders cannot all be followed.
  private var crowd: String {
    var lines: [String] = []
    for client in 0..<40 {
      lines.append(
        #"{"process":\#(client),"f":"enqueue","value":"\#(String(repeating: "v", count: 60))\#(client)","#
          + #""call":\#(client),"return":1000}"#)
    }
    lines.append(#"{"process":50,"f":"dequeue","call":1001,"return":1002,"result":"never"}"#)
    return lines.joined(separator: "\n")
  }

  @Test func `no line is wider than 100 columns, and no explanation takes long`() throws {
    let start = processorTime()
    let limits = LinearizabilityLimits(steps: 100_000)
    for text in [crowd, mutexLog(rounds: 60, wrongRound: 59)] {
      let model: RecordedModelName = text == crowd ? .queue : .lock
      let verdict = try model.judge(Data(text.utf8), limits: limits)
      for line in verdict.description.split(separator: "\n") {
        #expect(line.count <= 100, "\(line)")
      }
      #expect(verdict.description.split(separator: "\n").count <= 30)
    }
    #expect(processorTime() - start < .seconds(20))
  }
}
