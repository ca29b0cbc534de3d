import Foundation
internal import HarnessSupport
import SystemLocks

/// Mutates targets of a package, and runs the package's contracts on each mutant.
package struct MutationRun {
  /// How far a run is.
  package enum Progress: Sendable {
    /// A step, such as a build.
    case step(String)
    /// Mutants that are judged, of how many, and seconds since the judging began.
    case judged(Int, of: Int, survived: Int, seconds: Double)
  }

  let options: MutationOptions
  let scratch: ScratchPackage
  let folder: String
  let progress: @Sendable (Progress) -> Void

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
    try judged().judging.writer.journal
  }

  /// Judges the mutants that the options choose.
  func judged() throws(MutationError) -> (judging: Judging, chosen: [Mutant]) {
    // The tool writes to processes that may have ended.
    signal(SIGPIPE, SIG_IGN)
    let lock = try FolderLock(folder)
    defer { withExtendedLifetime(lock) {} }
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
    let temporary = try TemporaryFolder(for: scratch.original)
    defer { temporary.remove() }
    var program = try program()
    program.temporaryFolder = temporary.path
    let unmutated = try runUnmutated(program, count: mutants.count)
    let keys = Keys(modules, program, scratch: scratch)
    let writer = try ResultWriter(
      path: journalPath, run: run(of: modules, unmutated, numbers), keys: keys,
      isFresh: options.isFresh, keeping: mutants)
    let judging = Judging(
      numbers: numbers, unviable: unviable, unmutated: unmutated, program: program, writer: writer)
    let chosen = try choose(from: mutants, places: chosenPlaces)
    try judge(chosen, judging)
    if let tests = options.tests { try judge(chosen, byTests: tests, judging) }
    return (judging, chosen)
  }

  /// Runs the cases without mutants, if there are any.
  private func runUnmutated(
    _ program: CaseServerProcess.Program, count: Int
  ) throws(MutationError) -> UnmutatedRun {
    guard program.servesCases else { return UnmutatedRun() }
    let state = try SwitchState(folder: folder, name: "unmutated", count: count)
    progress(.step("running the cases without mutants"))
    let start = ContinuousClock.now
    let unmutated = try UnmutatedRun(program, state: state, folder: folder)
    let tenths = Int((10 * (start.duration(to: .now) / .seconds(1))).rounded())
    progress(
      .step("ran \(unmutated.cases.count) cases twice in \(tenths / 10).\(tenths % 10) s; all pass")
    )
    return unmutated
  }

  // MARK: - Building

  private func prepare() throws(MutationError) -> [MutatedModule] {
    progress(.step("copying the package"))
    let manifest = try scratch.manifest(
      judging: options.targets, byTests: options.tests != nil)
    let files = woven(["Package.swift": manifest])
    try scratch.update(overriding: files)
    do throws(MutationError) {
      try buildTargets()
    } catch {
      // What an earlier run has woven may not fit what has changed since.
      guard files.count > 1 else { throw error }
      try scratch.update(overriding: ["Package.swift": manifest])
      try buildTargets()
    }
    progress(.step("reading the typed trees"))
    let description = try SwiftModuleBuild.description(ofPackage: scratch.path)
    var modules: [MutatedModule] = []
    for target in options.targets {
      guard let build = description.modules[Self.module(of: target)] else {
        let known = description.modules.keys.filter { !$0.hasSuffix("Tests") }.sorted()
        throw MutationError(
          "the target '\(target)' has no Swift code that can be mutated; targets with Swift code: "
            + known.joined(separator: ", "))
      }
      modules.append(try MutatedModule(build, of: scratch))
    }
    return modules
  }

  private func buildTargets() throws(MutationError) {
    for target in options.targets {
      progress(.step("building what \(target) needs"))
      try build(["--target", target])
    }
  }

  /// The files of the targets that an earlier run has woven, so that they are not built twice.
  private func woven(_ files: [String: String]) -> [String: String] {
    let record = WovenFiles(folder: folder)
    return files.merging(record.current(scratch, of: options.targets.map(Self.module))) { own, _ in
      own
    }
  }

  private static func module(of target: String) -> String { target.replacing("-", with: "_") }

  private func weave(
    _ modules: [MutatedModule], _ numbers: [String: Int]
  ) throws(MutationError) -> [String: String] {
    var unviable: [String: String] = [:]
    for module in modules {
      progress(.step("weaving \(module.mutants.count) mutants into \(module.build.name)"))
      let found = try ViableMutants(
        of: module, in: scratch, numbers: numbers, count: numbers.count
      ).findUnviable()
      unviable.merge(found) { first, _ in first }
    }
    WovenFiles(folder: folder).remember(modules, scratch)
    return unviable
  }

  /// Options that make the build and the cases faster, and change no result.
  private static let buildOptions =
    ["-debug-info-format", "none"]
    // Without optimization, the compiler copies each local value for the debugger, with a call of
    // memset(3) for each.
    + ["-suppress-warnings", "-Xfrontend", "-disable-debugger-shadow-copies"]
    .flatMap { ["-Xswiftc", $0] }

  private func build(_ arguments: [String]) throws(MutationError) {
    let command = ["swift", "build"] + Self.buildOptions + arguments
    let result = try ToolProcess.run(command, in: scratch.path)
    guard result.status == 0 else {
      if result.text.contains(/no target named|does not contain a buildable target/) {
        throw MutationError(
          "the package has no target '\(arguments.last ?? "")'; 'swift package describe' lists "
            + "the targets")
      }
      let lines = result.text.split(separator: "\n").filter { $0.contains("error:") }.prefix(10)
      throw MutationError(
        "the copy in \(scratch.path) does not build; does 'swift build "
          + "\(arguments.joined(separator: " "))' build the package?\n"
          + (lines.isEmpty ? result.text.suffix(2_000)[...] : lines.joined(separator: "\n")[...]))
    }
  }

  /// Finds the tests that have cases. Without any, other tests must judge.
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
    if filters.isEmpty {
      let problem = "no test matching '\(options.filter)' runs a contract's cases"
      guard let tests = options.tests else {
        throw MutationError(
          "\(problem); name tests with cases by --filter, or others by --tests\n\(server.output)")
      }
      progress(.step("\(problem), so only the tests that match '\(tests)' judge"))
      program.servesCases = false
    }
    program.filter = filters.sorted().joined(separator: "|")
    program.memoryLimit = Self.memoryLimit
    return program
  }
}
