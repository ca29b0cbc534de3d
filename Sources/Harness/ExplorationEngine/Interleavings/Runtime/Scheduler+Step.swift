extension Scheduler {
  /// One decision and the jobs that it ran, as the search and the printed trace use it.
  struct Step {
    var job: Int32
    var task: Int32
    var actor: Int32
    /// The step that made the job ready, or -1.
    var creator: Int32
    /// The number of earlier steps that had to end, with nothing else ready, before the job became
    /// ready.
    var barrier: Int32
    /// The objects accessed, by their numbers in this run.
    var footprint: Footprint
    /// The objects accessed, in a form that another run of the same prefix can be compared with.
    var sharedFootprint: Footprint
    /// The decision's number, or -1 if only one job was ready.
    var decision: Int32
    var choice: Int32
    var isDeviation: Bool
    var isPreemption: Bool
    /// The address of the function that the job resumed, or 0.
    var resumption: UInt
  }

  /// A 32-bit FNV-1a hash of the steps' order; never 0, which a schedule uses for 'unknown'.
  ///
  /// Its width is part of the text form of ``Schedule``.
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
