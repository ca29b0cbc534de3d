extension Scheduler {
  /// What the search and the printed trace know of one decision and the jobs it let run.
  struct Step {
    var job: Int32
    var task: Int32
    var actor: Int32
    /// The step that made the job ready, or -1.
    var creator: Int32
    /// The job became ready only when these first steps were over and nothing else was ready.
    var barrier: Int32
    /// What was touched, in numbers of this run.
    var footprint: Footprint
    /// What was touched, in terms that can be compared with another run of the same prefix.
    var sharedFootprint: Footprint
    /// The decision's number, or -1 when only one job was ready.
    var decision: Int32
    var choice: Int32
    var isDeviation: Bool
    var isPreemption: Bool
    /// The address of the function that the job went on with, or 0.
    var resumption: UInt
  }

  /// A digest of the order of the first steps; never 0.
  static func digest(_ steps: ArraySlice<Step>) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    func mix(_ value: Int32) { hash = (hash ^ UInt32(bitPattern: value)) &* 16_777_619 }
    for step in steps {
      mix(step.task)
      mix(step.actor)
      mix(step.decision < 0 ? -1 : step.choice)
    }
    return max(1, hash)
  }
}
