import Foundation

/// The results of mutation, as text for people.
package struct MutationReport {
  private let journal: MutationJournal
  private let files: SourceFiles
  private let root: String

  /// Creates a report.
  ///
  /// - Parameter root: The package's folder, whose sources are shown.
  package init(of journal: MutationJournal, root: String) {
    self.journal = journal
    self.root = root
    files = SourceFiles(root: root)
  }

  /// The results, in the order of the sources.
  var results: [MutationJournal.Result] {
    journal.results.values.sorted {
      ($0.mutant.file, $0.mutant.start.line, $0.mutant.start.column, $0.mutant.id)
        < ($1.mutant.file, $1.mutant.start.line, $1.mutant.start.column, $1.mutant.id)
    }
  }

  /// The score and the numbers behind it, in one or two lines.
  package var summary: String {
    let score = MutationScore(results.map(\.verdict))
    let pending = max(0, (journal.run?.mutants ?? 0) - results.count)
    guard let value = score.value else {
      return "no mutant was judged" + (pending > 0 ? "; \(pending) are not judged yet" : "")
    }
    return
      "mutation score \(Self.percent(value)): \(score.detected) of \(score.total) mutants noticed"
      + (score.ofReached.map { ", \(Self.percent($0)) of those that cases reach" } ?? "")
      + "\nsurvived \(score.survived), unreached \(score.unreached); not counted: \(score.unviable)"
      + " that do not compile, \(journal.run?.excluded.count ?? 0) places that are excluded"
      + (pending > 0 ? "; not judged yet: \(pending)" : "")
  }

  /// The whole report.
  package var text: String {
    var parts = [summary, impostors.joined(separator: "\n")]
    parts.append(table(of: fileRows, title: "file"))
    parts.append(table(of: caseRows, title: "case"))
    parts.append(survivors.joined(separator: "\n"))
    parts.append(unreached)
    parts.append(excluded)
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  static func percent(_ value: Double) -> String {
    // Rounded down: 99.96 % must not read as 100 %.
    let tenths = Int((value * 1_000).rounded(.down))
    return "\(tenths / 10).\(tenths % 10) %"
  }

  // MARK: - Tables

  private struct Row {
    var name: String
    var cells: [String]
  }

  private var fileRows: [Row] {
    let groups = Dictionary(grouping: results, by: \.mutant.file)
    let header = Row(name: "", cells: ["noticed", "survived", "unreached", "score"])
    guard !groups.isEmpty else { return [] }
    return [header]
      + groups.sorted { $0.key < $1.key }.map { file, results in
        let score = MutationScore(results.map(\.verdict))
        return Row(
          name: file,
          cells: [
            "\(score.detected)", "\(score.survived)", "\(score.unreached)",
            score.value.map(Self.percent) ?? "–",
          ])
      }
  }

  /// The largest number of cases listed, and of the characters of their names.
  private static let listedCases = (count: 20, length: 72)

  /// How many mutants each case was the first to notice, of those that were. The others may notice some that
  /// another one noticed before.
  private var caseRows: [Row] {
    var counts: [String: Int] = [:]
    for result in results {
      if let killer = result.verdict.killer { counts[killer, default: 0] += 1 }
    }
    guard let run = journal.run, !(counts.isEmpty && run.cases.isEmpty) else { return [] }
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var rows = [Row(name: "", cells: ["first to notice"])]
    for (name, count) in sorted.prefix(Self.listedCases.count) {
      let isLong = name.count > Self.listedCases.length
      rows.append(
        Row(
          name: isLong ? name.prefix(Self.listedCases.length - 1) + "…" : name, cells: ["\(count)"])
      )
    }
    let rest = sorted.dropFirst(Self.listedCases.count)
    if !rest.isEmpty {
      rows.append(
        Row(name: "\(rest.count) others, together", cells: ["\(rest.reduce(0) { $0 + $1.value })"]))
    }
    let never = run.cases.count { counts[$0] == nil }
    if never > 0 { rows.append(Row(name: "\(never) others, each", cells: ["0"])) }
    return rows
  }

  private func table(of rows: [Row], title: String) -> String {
    guard let header = rows.first else { return "" }
    let width = rows.map(\.name.count).max() ?? 0
    func pad(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    return rows.enumerated().map { index, row in
      let cells = zip(row.cells, header.cells).map { cell, title in
        String(repeating: " ", count: max(0, title.count - cell.count)) + cell
      }
      return pad(index == 0 ? title : row.name, max(width, title.count)) + "  "
        + cells.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  // MARK: - Lists

  private var survivors: [String] {
    results.filter { $0.verdict.status == .survived }.flatMap { result -> [String] in
      ["survived \(Self.place(result.mutant)): \(result.mutant.operator.rawValue)"]
        + diff(of: result.mutant) + ["  reached by \(reachingCases(of: result))"]
        + ["  \(command(for: result.mutant))", ""]
    }
  }

  /// A mutant as a diff of whole lines, or only of the text that changes if the file has changed.
  private func diff(of mutant: Mutant) -> [String] {
    files.source(mutant.file).flatMap { MutationExcerpt(of: mutant, in: $0)?.lines }
      ?? ["- \(mutant.original)", "+ \(mutant.replacement)"]
  }

  /// Some of the cases that reach a mutant, and how many others do.
  private func reachingCases(of result: MutationJournal.Result) -> String {
    let cases = result.verdict.reachedBy
    return cases.prefix(3).joined(separator: ", ")
      + (cases.count > 3 ? " and \(cases.count - 3) others" : "")
  }

  /// The command that judges a mutant alone.
  private func command(for mutant: Mutant) -> String {
    let targets = journal.run?.targets.joined(separator: ",") ?? "TARGET"
    return "contracts mutate --target \(targets) --mutant \(mutant.id)"
  }

  /// The live implementations that reach nothing of a target that no fake reaches, as sentences.
  package var impostors: [String] { (journal.run?.columns ?? []).impostors }

  private static func place(_ mutant: Mutant) -> String {
    "\(mutant.file):\(mutant.start.line)"
      + (mutant.declaration.isEmpty ? "" : " in \(mutant.declaration)")
  }

  private var unreached: String {
    let groups = Dictionary(
      grouping: results.filter { $0.verdict.status == .unreached },
      by: { "\($0.mutant.file) \($0.mutant.declaration)" })
    return groups.sorted { $0.key < $1.key }.map { name, results in
      let lines = Set(results.map(\.mutant.start.line)).sorted().map(String.init)
      return "unreached \(name): \(results.count) in line\(lines.count == 1 ? "" : "s") "
        + lines.joined(separator: ", ")
    }.joined(separator: "\n")
  }

  private var excluded: String {
    (journal.run?.excluded ?? []).filter(\.isComment)
      .map { "excluded \($0.file):\($0.line): \($0.reason)" }.joined(separator: "\n")
  }
}
