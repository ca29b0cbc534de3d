import ContractEvidence
import Foundation
import Testing

@Suite struct JournalPruningTests {
  /// 2026-11-22 08:00 UTC.
  private let now = Date(timeIntervalSince1970: 1_795_334_400)

  /// Prunes a folder of empty files; returns the files that stay and the sentence about the others.
  private func prune(_ files: [String]) throws -> (files: Set<String>, sentence: String?) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "journals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in files {
      #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(file)", contents: nil))
    }
    let sentence = JournalWriter.prune(folder.path, at: now)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (Set(left), sentence?.replacing(folder.path, with: "FOLDER"))
  }

  @Test func `journals and logs older than 30 days are removed, and said in one sentence`() throws {
    let (files, sentence) = try prune([
      "20261023T075959Z-a.jsonl", "20261023T075959Z-a.log", "20261023T080001Z-b.jsonl",
      "20261122T075959Z-c.jsonl",
    ])
    #expect(files == ["20261023T080001Z-b.jsonl", "20261122T075959Z-c.jsonl"])
    #expect(
      sentence
        == "removed the journals of 1 run from FOLDER: they are older than 30 days or not among "
        + "the latest 100")
  }

  @Test func `the latest 100 runs stay`() throws {
    let runs = (100..<204).map { "20261122T070\($0)Z-x.jsonl" }
    let (files, sentence) = try prune(runs)
    #expect(files == Set(runs.suffix(100)))
    #expect(sentence?.hasPrefix("removed the journals of 4 runs ") == true)
  }

  @Test func `files with other names stay`() throws {
    let others: Set = [
      "mine.jsonl", "20200101T000000Z-a.txt", "20200101T000000Z.jsonl", "2020.jsonl", ".jsonl",
      "20200101T000000Z-a.b.jsonl", "x20200101T000000Z-a.jsonl",
    ]
    let (files, sentence) = try prune(Array(others))
    #expect(files == others)
    #expect(sentence == nil)
  }

  @Test func `the id of a run names its time`() {
    #expect(JournalWriter.runID(at: now).hasPrefix("20261122T080000Z-"))
  }
}
