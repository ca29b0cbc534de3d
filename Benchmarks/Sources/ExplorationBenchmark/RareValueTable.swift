import ExplorationEngine

extension ExplorationBenchmark {
  /// Prints with how many seeds bugs at rare values are found.
  static func measureRareValues() async {
    let (seeds, runs) = (20, 200)
    title("seeds of \(seeds) that find a bug within \(runs) runs of 50 commands")
    let peer = Peer("hypothesis_rare_values.py", seeds, runs)
    for (bug, name) in [
      (RareValues.Bug.value, "one value of 3,600"), (.multiple, "multiples of 4,096"),
    ] {
      let found = await RareValues.found(bug, seeds: seeds, runs: runs)
      row(name, "\(found)" + (peer?.next().map { ", Hypothesis \($0[1])" } ?? ""))
    }
  }
}
