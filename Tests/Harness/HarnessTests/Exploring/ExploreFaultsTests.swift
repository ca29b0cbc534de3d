import ContractExploration
import ContractTesting
import Foundation
import Testing

@testable import harness_specimens

/// Explorations with faults, from a test.
@Suite struct ExploreFaultsTests {
  @Test func `a durable notebook passes with one client`() async throws {
    let report = try await explore(NotebookSpecification(), on: .durable, faults: [.powerCut])
    #expect(try #require(report).runs == 50)
  }

  @Test func `a forgetful notebook is found, shrunk and printed`() async throws {
    var report: FaultReport<NotebookSpecification>?
    try await withKnownIssue {
      report = try await explore(
        NotebookSpecification(), on: .forgetful, faults: [.powerCut],
        promising: .acknowledgedWritesSurvive, filePath: nil)
    } matching: {
      "\($0)".contains("on forgetful") && "\($0)".contains("acknowledged writes do not survive")
    }
    let failure = try #require(report?.failure)
    #expect(failure.callCount == 2)
    #expect(failure.faultCount == 1)
    try expectPasted(failure.swiftTest)
  }

  @Test func `concurrent clients find it too`() async throws {
    var report: FaultReport<NotebookSpecification>?
    await withKnownIssue {
      report = try await exploreConcurrently(
        NotebookSpecification(), on: .forgetful, faults: [.powerCut], tasks: 3, filePath: nil)
    }
    #expect(report?.failure != nil)
  }

  @Test func `what must be found is a known issue, and any other issue is none`() async throws {
    let finding = try await expectFinding {
      try await explore(
        NotebookSpecification(), on: .forgetful, faults: [.powerCut], filePath: nil)
    }
    #expect(finding?.callCount == 2)

    try await withKnownIssue {
      let none = try await expectFinding {
        try await explore(
          NotebookSpecification(), on: .durable, faults: [.powerCut], filePath: nil)
      }
      #expect(none?.steps.count == nil)
    } matching: {
      "\($0)".contains("no broken promise was found: 50 runs")
    }

    struct Broken: Error {}
    let broken = Fault<Notebook>("broken") { _ in throw Broken() }
    try await withKnownIssue {
      let problem = try await expectFinding {
        try await explore(NotebookSpecification(), on: .forgetful, faults: [broken], filePath: nil)
      }
      #expect(problem?.problem != nil)
    } matching: {
      "\($0)".contains("the fault 'broken' threw")
    }
  }

  @Test func `the printed test fails like the exploration`() async throws {
    try await withKnownIssue {
      try await faultBreaksPromise()
    } matching: {
      "\($0)".contains("acknowledged writes do not survive")
    }
  }

  /// What the exploration prints.
  func faultBreaksPromise() async throws {
    // client 0  [write(1) → 1]             [read → 0]
    // faults                   [power-cut]
    try await explore(
      NotebookSpecification(), on: .forgetful, promising: .acknowledgedWritesSurvive,
      steps: [
        .call(.write(1)),
        .fault(.powerCut),
        .call(.read),
      ])
  }

  /// Compares a printed test with this file, which compiles.
  private func expectPasted(_ text: String) throws {
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let file = Set(lines(try String(contentsOfFile: #filePath, encoding: .utf8)))
    #expect(lines(text).dropFirst().allSatisfy { file.contains($0) }, "\(text)")
  }

  @Test func `given concurrent steps run several times`() async throws {
    let report = try await exploreConcurrently(
      NotebookSpecification(), on: .durable, promising: .sequentiallyConsistent,
      steps: [.call(.write(1)), .fault(.powerCut), .call(.read, by: 1)], runs: 7)
    #expect(try #require(report).runs == 7)
  }

  @Test
  func `a finding is saved with its faults, replayed first, and attached with the log`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("faults-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let attachments = folder.appendingPathComponent("attachments", isDirectory: true)
    try FileManager.default.createDirectory(at: attachments, withIntermediateDirectories: true)
    let examples = folder.appendingPathComponent(
      ".examples/NotebookSpecification/logging/faults", isDirectory: true)

    let first = try await SpecimenRun(
      "exploringWithFaults", environment: ["CONTRACT_SPECIMEN": folder.path],
      arguments: ["--attachments-path", attachments.path])
    #expect(first.status == 1, "\(first.output)")
    let files = try FileManager.default.contentsOfDirectory(atPath: examples.path).sorted()
    #expect(files.count == 2, "one for each promise")
    let log = attachments.appendingPathComponent("notebook.log")
    #expect((try? String(contentsOf: log, encoding: .utf8)) == "the notebook was opened")
    for file in files {
      let text = try String(contentsOf: examples.appendingPathComponent(file), encoding: .utf8)
      #expect(text.contains("\"call\" : \"write(1)\""))
      #expect(text.contains("\"fault\" : \"power-cut\""))
      #expect(first.output.contains("saved as \(examples.appendingPathComponent(file).path)"))
    }

    // New runs would find it too, but no new run is made.
    let second = try await SpecimenRun(
      "exploringWithFaults", environment: ["CONTRACT_SPECIMEN": folder.path])
    #expect(second.output.contains("; 3 of 3 replays failed"), "\(second.output)")
    for file in files { #expect(second.output.contains("stored example \(file);")) }
    #expect(second.output.contains("with faults: 0 runs, "))
    #expect(second.output.contains("2 stored examples of other faults or promises not replayed"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: examples.path).count == 2)

    // A file that was edited in part.
    let file = examples.appendingPathComponent(files[0])
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacingOccurrences(of: "write(1)", with: "write(2)")
      .write(to: file, atomically: true, encoding: .utf8)
    let third = try await SpecimenRun(
      "exploringWithFaults", environment: ["CONTRACT_SPECIMEN": folder.path])
    #expect(third.output.contains("its commands do not match its digest"), "\(third.output)")
  }

  @Test func `an unavailable implementation is not explored`() async throws {
    struct NotInstalled: UnavailabilityError {
      var unavailabilityReason: String? { "install a notebook" }
    }
    let absent = Implementation<Notebook>.live("absent") { _ in Notebook(isDurable: true) }
      .available(when: "a notebook is there") { false }
    let missing = Implementation<Notebook>.live("missing") { _ in throw NotInstalled() }
    for implementation in [absent, missing] {
      let report = try await explore(
        NotebookSpecification(), on: implementation, faults: [.powerCut])
      #expect(report == nil)
    }
  }
}
