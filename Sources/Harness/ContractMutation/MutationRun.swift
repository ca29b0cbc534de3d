import Foundation
internal import HarnessSupport
import SystemLocks

/// Mutates targets of a package, and lets its contracts judge.
package struct MutationRun {
  /// How far a run is.
  package enum Progress: Sendable {
    /// A step, such as a build.
    case step(String)
    /// Mutants that are judged, of how many, and seconds since the judging began.
    case judged(Int, of: Int, survived: Int, seconds: Double)
  }

  private let options: MutationOptions
  private let scratch: ScratchPackage
  private let folder: String
  private let progress: @Sendable (Progress) -> Void

  /// The file of the results.
  package let journalPath: String

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - package: The package's folder.
  ///   - progress: Takes reports, on any thread.
  package init(
    _ options: MutationOptions, package: String, progress: @escaping @Sendable (Progress) -> Void
  ) {
    self.options = options
    self.progress = progress
    folder = "\(package)/.build/contracts/mutation"
    scratch = ScratchPackage(of: package, in: "\(folder)/copy")
    journalPath = Self.journalPath(of: options.targets, package: package)
  }

  /// The file of the results of some targets.
  package static func journalPath(of targets: [String], package: String) -> String {
    "\(package)/.build/contracts/mutation/\(targets.sorted().joined(separator: "+")).jsonl"
  }

  /// Runs, and returns all results, also those of earlier runs that still hold.
  ///
  /// - Throws: ``MutationError`` if something is in the way.
  package func run() throws(MutationError) -> MutationJournal {
    // The tool writes to processes that may have ended.
    signal(SIGPIPE, SIG_IGN)
    let chosenPlaces = try options.since.map { commit throws(MutationError) in
      try ChangedLines.since(commit, in: scratch.original)
    }
    let modules = try prepare()
    let mutants = modules.flatMap(\.mutants)
    guard !mutants.isEmpty else {
      throw MutationError("\(options.targets.joined(separator: ", ")) has nothing to mutate")
    }
    let numbers = Dictionary(
      uniqueKeysWithValues: mutants.enumerated().map { ($1.id, $0 + 1) })
    let unviable = try weave(modules, numbers)
    progress(.step("building \(mutants.count - unviable.count) mutants"))
    try build(["--build-tests"])
    let program = try program()
    let state = try SwitchState(folder: folder, name: "baseline", count: mutants.count)
    progress(.step("running the cases without mutants"))
    let baseline = try Baseline(program, state: state, folder: folder)
    let keys = Keys(modules, program, scratch: scratch)
    let writer = try ResultWriter(
      path: journalPath, run: run(of: modules, baseline), keys: keys, isFresh: options.isFresh,
      keeping: mutants)
    let chosen = try choose(from: mutants, places: chosenPlaces)
    try judge(chosen, writer, numbers, unviable, baseline, program, count: mutants.count)
    return writer.journal
  }

  // MARK: - Building

  private func prepare() throws(MutationError) -> [MutatedModule] {
    progress(.step("copying the package"))
    let manifest = try scratch.manifest(judging: options.targets)
    try scratch.update(overriding: woven(["Package.swift": manifest]))
    for target in options.targets {
      progress(.step("building what \(target) needs"))
      try build(["--target", target])
    }
    progress(.step("reading the typed trees"))
    let description = try SwiftModuleBuild.description(ofPackage: scratch.path)
    var modules: [MutatedModule] = []
    for target in options.targets {
      let name = target.replacing("-", with: "_")
      guard let build = description.modules[name] else {
        let known = description.modules.keys.filter { !$0.hasSuffix("Tests") }.sorted()
        throw MutationError(
          "the target '\(target)' has no Swift code that can be mutated; targets with Swift code: "
            + known.joined(separator: ", "))
      }
      modules.append(try MutatedModule(build, of: scratch))
    }
    return modules
  }

  /// The files of the copy that an earlier run has woven, so that they are not built twice.
  private func woven(_ files: [String: String]) -> [String: String] {
    let record = WovenFiles(folder: folder)
    return files.merging(record.current(scratch)) { own, _ in own }
  }

  private func weave(
    _ modules: [MutatedModule], _ numbers: [String: Int]
  ) throws(MutationError) -> [String: String] {
    var unviable: [String: String] = [:]
    for module in modules {
      progress(.step("weaving \(module.mutants.count) mutants into \(module.build.name)"))
      let found = try ViableMutants(of: module, in: scratch)
        .findUnviable(numbers: numbers, count: numbers.count)
      unviable.merge(found) { first, _ in first }
    }
    WovenFiles(folder: folder).remember(modules, scratch)
    return unviable
  }

  private func build(_ arguments: [String]) throws(MutationError) {
    let command = ["swift", "build", "-Xswiftc", "-suppress-warnings"] + arguments
    let result = try ToolProcess.run(command, in: scratch.path)
    guard result.status == 0 else {
      let lines = result.text.split(separator: "\n").filter { $0.contains("error:") }.prefix(10)
      throw MutationError(
        "the copy in \(scratch.path) does not build; does 'swift build \(arguments[0])' build the "
          + "package?\n"
          + (lines.isEmpty ? result.text.suffix(2_000)[...] : lines.joined(separator: "\n")[...]))
    }
  }

  /// Finds the tests that have cases.
  private func program() throws(MutationError) -> CaseServerProcess.Program {
    let description = try SwiftModuleBuild.description(ofPackage: scratch.path)
    guard let path = description.testProgram, FileManager.default.isExecutableFile(atPath: path)
    else {
      throw MutationError(
        "no test target reaches \(options.targets.joined(separator: ", ")) and a contract, or the "
          + "tests are not one program, as on macOS")
    }
    var program = CaseServerProcess.Program(
      path: path, folder: scratch.path, filter: options.filter, selection: options.selection,
      memoryLimit: 0)
    progress(.step("looking for cases"))
    let server = try CaseServerProcess(program, state: nil, folder: folder, name: "tests")
    var filters: Set<String> = []
    do throws(CaseServerProcess.Silence) {
      for case .test(let filter) in try server.allLines(within: 300) { filters.insert(filter) }
    } catch {
      throw MutationError("the tests do not end (\(error)):\n\(server.output)")
    }
    guard !filters.isEmpty else {
      throw MutationError(
        "no test matching '\(options.filter)' runs a contract's cases; name the tests with "
          + "--filter\n\(server.output)")
    }
    program.filter = filters.sorted().joined(separator: "|")
    program.memoryLimit = 8 << 30
    return program
  }

  // MARK: - Choosing and judging

  private func choose(
    from mutants: [Mutant], places changed: [MutationOptions.Place]?
  ) throws(MutationError) -> [Mutant] {
    var chosen = mutants
    if !options.places.isEmpty {
      for place in options.places where !mutants.contains(where: { place.contains($0) }) {
        throw MutationError("--only '\(place.file)' matches no mutant; give a file of the targets")
      }
      chosen = chosen.filter { one in options.places.contains { $0.contains(one) } }
    }
    if let changed { chosen = chosen.filter { one in changed.contains { $0.contains(one) } } }
    if let id = options.mutant {
      chosen = chosen.filter { $0.id == id }
      guard !chosen.isEmpty else {
        throw MutationError(
          "there is no mutant '\(id)'; its file may have changed since the report")
      }
    }
    chosen = options.shard.part(of: chosen, named: "mutants")
    if let maximum = options.maximum, chosen.count > maximum {
      let order = chosen.map { mutant -> (String, Mutant) in
        var fingerprint = Fingerprint()
        fingerprint.add(word: "\(options.seed)")
        fingerprint.add(word: mutant.id)
        return (fingerprint.hexadecimal, mutant)
      }
      let ids = Set(order.sorted { $0.0 < $1.0 }.prefix(maximum).map(\.1.id))
      chosen = chosen.filter { ids.contains($0.id) }
    }
    return chosen
  }

  private func judge(
    _ chosen: [Mutant], _ writer: ResultWriter, _ numbers: [String: Int],
    _ unviable: [String: String], _ baseline: Baseline, _ program: CaseServerProcess.Program,
    count: Int
  ) throws(MutationError) {
    var items: [JudgingQueue.Item] = []
    let rest = options.mutant == nil ? chosen.filter { !writer.has($0) } : chosen
    for mutant in rest {
      let number = numbers[mutant.id] ?? 0
      let cases = baseline.reach[number] ?? []
      if let message = unviable[mutant.id] {
        writer.write(mutant, MutantVerdict(.unviable, message: message))
      } else if cases.isEmpty, !baseline.reachedOnce.contains(number) {
        writer.write(mutant, MutantVerdict(.unreached))
      } else {
        items.append(.init(number: number, mutant: mutant, cases: cases))
      }
    }
    let start = ContinuousClock.now
    let total = items.count
    let progress = progress
    let tally = Mutex((done: 0, survived: 0))
    let queue = JudgingQueue(
      items, baseline, deadline: options.minutes.map { start + .seconds(60 * $0) }
    ) { mutant, verdict in
      writer.write(mutant, verdict)
      let (done, survived) = tally.withLock { tally in
        tally.done += 1
        if verdict.status == .survived { tally.survived += 1 }
        return tally
      }
      let seconds = start.duration(to: .now) / .seconds(1)
      progress(.judged(done, of: total, survived: survived, seconds: seconds))
    }
    let workers = baseline.isExclusive ? 1 : ProcessInfo.processInfo.activeProcessorCount
    var judges: [MutantJudge] = []
    for worker in 0..<max(1, min(workers, items.count)) {
      judges.append(
        try MutantJudge(program, baseline, count: count, folder: folder, name: "worker-\(worker)"))
    }
    queue.run(judges: judges)
    if let error = queue.error ?? writer.error { throw error }
  }

  private func run(of modules: [MutatedModule], _ baseline: Baseline) -> MutationJournal.Run {
    MutationJournal.Run(
      targets: options.targets, mutants: modules.reduce(0) { $0 + $1.mutants.count },
      cases: baseline.cases.keys.sorted(), leftOut: baseline.leftOut,
      excluded: modules.flatMap { $0.files.values.flatMap(\.excluded) }
        .sorted { ($0.file, $0.line) < ($1.file, $1.line) })
  }
}
