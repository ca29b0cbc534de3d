import Foundation
internal import HarnessSupport
import SystemLocks

/// What judges need to know, once the mutants are built.
struct Judging {
  /// The number of each mutant by its id.
  var numbers: [String: Int]
  /// The mutants that do not compile, by id, with the compiler's messages.
  var unviable: [String: String]
  var unmutated: UnmutatedRun
  var program: CaseServerProcess.Program
  var writer: ResultWriter

  /// A mutant with the cases that judge it, or `nil` if no case reaches it.
  func item(_ mutant: Mutant) -> JudgingQueue.Item? {
    let number = numbers[mutant.id] ?? 0
    let cases = unmutated.reach[number] ?? []
    guard !cases.isEmpty || unmutated.reachedOnce.contains(number) else { return nil }
    return JudgingQueue.Item(number: number, mutant: mutant, cases: cases)
  }
}

extension MutationRun {
  /// How many processes judge: more than there are processors, because some cases wait, most of all
  /// those that notice that something does not happen, and those that hang.
  private static let workers = 8 * ProcessInfo.processInfo.activeProcessorCount

  /// The most address space of a process, in bytes: from 4 to 8 GiB, and within that, together no
  /// more than the machine has.
  ///
  /// Most address space is no memory: each thread reserves 8 MiB for its stack, and the allocator
  /// 64 MiB for each of its arenas. With 2 GiB, a case with fifty servers finds no room for a thread.
  static let memoryLimit = min(
    8 << 30, max(4 << 30, ProcessInfo.processInfo.physicalMemory / UInt64(workers)))

  /// The mutants that the options select.
  func choose(
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
      let order = chosen.map { (Keys.fingerprint("\(options.seed) \($0.id)"), $0.id) }
      let ids = Set(order.sorted { $0.0 < $1.0 }.prefix(maximum).map(\.1))
      chosen = chosen.filter { ids.contains($0.id) }
    }
    return chosen
  }

  /// Judges the mutants that no earlier run has judged.
  func judge(_ chosen: [Mutant], _ judging: Judging) throws(MutationError) {
    let writer = judging.writer
    var items: [JudgingQueue.Item] = []
    let rest = options.mutant == nil ? chosen.filter { !writer.has($0) } : chosen
    for mutant in rest {
      if let message = judging.unviable[mutant.id] {
        writer.write(mutant, MutantVerdict(.unviable, message: message))
      } else if let item = judging.item(mutant) {
        items.append(item)
      } else {
        writer.write(mutant, MutantVerdict(.unreached))
      }
    }
    guard !items.isEmpty else { return }
    let start = ContinuousClock.now
    let total = items.count
    let progress = progress
    let tally = Mutex((done: 0, survived: 0))
    let queue = JudgingQueue(items, judging.unmutated) { mutant, verdict in
      writer.write(mutant, verdict)
      let (done, survived) = tally.withLock { tally in
        tally.done += 1
        if verdict.status == .survived { tally.survived += 1 }
        return tally
      }
      let seconds = start.duration(to: .now) / .seconds(1)
      progress(.judged(done, of: total, survived: survived, seconds: seconds))
    }
    let judges = try self.judges(judging)
    try queue.run(judges: judges)
    if let error = writer.error { throw error }
    for judge in judges { judge.restart() }
    let seconds = start.duration(to: .now) / .seconds(1)
    let tenths = Int((10 * seconds).rounded())
    let judged = tally.withLock(\.done)
    progress(
      .step(
        "judged \(judged) mutants in \(tenths / 10).\(tenths % 10) s, "
          + "\(Int(60 * Double(judged) / max(seconds, 0.001))) a minute"))
  }

  private func judges(_ judging: Judging) throws(MutationError) -> [MutantJudge] {
    let workers = judging.unmutated.isExclusive ? 1 : Self.workers
    var judges: [MutantJudge] = []
    for worker in 0..<workers {
      judges.append(
        try MutantJudge(
          judging.program, judging.unmutated, count: judging.numbers.count, folder: folder,
          name: "worker-\(worker)"))
    }
    return judges
  }

  /// What the journal says about the run.
  func run(
    of modules: [MutatedModule], _ unmutated: UnmutatedRun, _ numbers: [String: Int]
  ) -> MutationJournal.Run {
    var targets: [Int: String] = [:]
    for (target, module) in zip(options.targets, modules) {
      for mutant in module.mutants { targets[numbers[mutant.id] ?? 0] = target }
    }
    return MutationJournal.Run(
      targets: options.targets, mutants: modules.reduce(0) { $0 + $1.mutants.count },
      cases: unmutated.cases.keys.sorted(), leftOut: unmutated.leftOut,
      excluded: modules.flatMap { $0.files.values.flatMap(\.excluded) }
        .sorted { ($0.file, $0.line) < ($1.file, $1.line) },
      columns: unmutated.columns(targets))
  }
}
