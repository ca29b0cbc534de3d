import ExplorationEngine

extension Scheduler {
  /// A task's name: the given one, or the parent's name and the child's number in creation order.
  ///
  /// Names contain no addresses, so that they are the same in every run.
  func name(ofTask task: Int32) -> String {
    guard 0..<tasks.count ~= Int(task) else { return "?" }
    let record = tasks[task]
    if record.origin == .root {
      return rootNames.indices.contains(Int(record.ordinal))
        ? rootNames[Int(record.ordinal)] : "task \(record.ordinal + 1)"
    }
    guard record.parent >= 0 else { return "task \(task + 1)" }
    return "\(name(ofTask: record.parent)).\(record.ordinal)"
  }

  /// An actor's type. Where the run has several actors of that type, its number follows, in the
  /// order in which they were first used: `AsyncLock#1`.
  private func name(ofActor actor: Int32) -> String? {
    guard let type = actorNames[actor] else { return nil }
    let equals = actorNames.keys.filter { actorNames[$0] == type }.sorted()
    guard equals.count > 1, let index = equals.firstIndex(of: actor) else { return type }
    return "\(type)#\(index + 1)"
  }

  /// The function that a step ran, and its actor: `Account.withdraw`, `AsyncLock#1.lock`.
  func place(of step: Step, _ places: CodePlaces) -> String {
    let function = places.function(at: step.resumption)
    guard let type = actorNames[step.actor], let actor = name(ofActor: step.actor) else {
      return function ?? (step.actor < 0 ? "runs" : "runs on an actor")
    }
    guard let function else { return "runs on \(actor)" }
    if actor == type { return function }
    guard let range = function.firstRange(of: type + ".") else { return "\(function) on \(actor)" }
    return "\(function[..<range.lowerBound])\(actor).\(function[range.upperBound...])"
  }

  /// Adds a line to the trace at the running step.
  func note(_ text: String) {
    guard isTracing, ownsThread else { return }
    notes.append((runningStep, runningTask, text))
  }

  /// A message that names the tasks that wait in a deadlock.
  ///
  /// The runtime does not tell whether a child task without a job waits or has ended, so such tasks
  /// are listed as either.
  var deadlockDescription: String {
    let records = tasks.elements
    var lines: [String] = []
    for index in records.indices where isOpenRoot(records[index]) {
      if blocked.contains(where: { $0.job.task == index }) { continue }
      let name = name(ofTask: Int32(index))
      let lastStep = records[index].lastStep
      if lastStep < 0 {
        lines.append("\(name) has not started")
      } else {
        let function = FunctionName.of(steps[Int(lastStep)].resumption)
        let location = function.map { " in or after \($0)" } ?? ""
        lines.append("\(name) waits since step \(lastStep + 1)\(location)")
      }
    }
    for job in blocked {
      let holder = heldLocks.elements.first { $0.object == job.lock }
      let place = FunctionName.of(job.job.resumption).map { " in or after \($0)" } ?? ""
      let step = job.job.task >= 0 ? tasks[job.job.task].lastStep + 1 : 0
      lines.append(
        "\(name(ofTask: job.job.task)) waits since step \(step) for a lock"
          + (holder.map { " that \(name(ofTask: $0.task)) holds" } ?? "") + place)
    }
    let children = records.indices.filter { index in
      records[index].origin != .root && !records[index].isQueued
    }
    if !children.isEmpty {
      let names = children.prefix(10).map { index in
        "\(name(ofTask: Int32(index))) since step \(records[index].lastStep + 1)"
      }
      let more = children.count > 10 ? ", and \(children.count - 10) more" : ""
      lines.append("waiting or ended: " + names.joined(separator: ", ") + more)
    }
    return "Deadlock: " + lines.joined(separator: "; ")
      + ". No job is ready, no timer is pending, and no other thread has resumed a task."
      + (Self.coversSleep
        ? "" : " Task.sleep takes real time here; inject a VirtualClock instead.")
  }

  /// Whether a task is one of those under exploration and has not ended.
  private func isOpenRoot(_ record: TaskTable.Record) -> Bool {
    record.origin == .root && 0..<finishedRoots.count ~= Int(record.ordinal)
      && !finishedRoots[Int(record.ordinal)]
  }
}
