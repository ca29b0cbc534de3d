import ContractEvidence

extension JournalPair {
  /// Every pair: each change on each implementation, on one platform and on two.
  static let all: [JournalPair] = [["linux"], ["linux", "macos"]].flatMap { platforms in
    Changes(platforms: platforms).pairs
  }

  /// The pairs whose sound journal has some platforms. A change concerns Linux unless its name says otherwise.
  private struct Changes {
    var platforms: [String]
    var sound: PairedRuns { PairedRuns(on: platforms) }
    /// What follows the name of a case.
    var suffix: String { platforms.count > 1 ? " (linux)" : "" }

    var pairs: [JournalPair] {
      let all =
        harmless + failing + lost + inapplicable + members + parts + clauses + declarations
        + strength + deviations + problems + contradictions + damage
      return all.map { pair in
        var pair = pair
        pair.read()
        pair.testDescription += ", on \(platforms.joined(separator: " and "))"
        return pair
      }
    }

    func name(_ clause: String, _ implementation: String) -> String {
      "things/\(clause)@\(implementation)\(suffix)"
    }

    /// A pair whose later journal differs.
    func pair(
      _ name: String, from base: PairedRuns? = nil, _ change: (inout PairedRuns) -> Void,
      expecting expect: (inout JournalPair) -> Void = { _ in }
    ) -> JournalPair {
      var head = base ?? sound
      change(&head)
      var pair = JournalPair(name, base ?? sound, head)
      expect(&pair)
      return pair
    }

    /// Each implementation with a name for it.
    func each(_ body: (String) -> [JournalPair]) -> [JournalPair] {
      PairedRuns.implementations.flatMap(body)
    }

    /// The clauses that no live implementation shows any longer if `real` does not, out of some.
    func unproven(without name: String, of clauses: [String] = PairedRuns.clauses) -> [String] {
      name == "real" && clauses.contains("third") ? ["things/third"] : []
    }

    // MARK: - Results

    var harmless: [JournalPair] {
      [
        pair("nothing changes") { _ in },
        pair("the runs are merged twice") { $0.runs += $0.runs },
        pair("the runs come in another order") { $0.runs.reverse() },
        pair("a later run passes again") { runs in
          var again = runs.runs[0]
          again.id += "-again"
          runs.runs.append(again)
        },
        pair("an intermittent deviation deviates") { runs in
          runs.change("other") { $0.results["first"] = [.deviates(reason: "known")] }
        },
        pair("a case held twice in one run") { runs in
          runs.change("real") { run in
            run.others = [.caseStarted(run.id("first")), run.end("first", .passed)]
          }
        },
      ]
    }

    /// The ways to fail, and what the tools call them.
    var failures: [Outcome] {
      [
        .failed, .crashed(signal: 11), .timedOut(seconds: 2),
        .flaky(reason: "failed in 1 of 2 tries"),
      ]
    }

    var failing: [JournalPair] {
      each { name in
        let failed = failures.map { outcome in
          pair("\(name): second is \(outcome.name)") { runs in
            runs.change(name, on: "linux") { $0.results["second"] = [outcome] }
          } expecting: {
            $0.expectFailure(self.name("second", name), "things/second@\(name)")
          }
        }
        let ends = [
          pair("\(name): the process ends during the last case") { runs in
            runs.change(name, on: "linux") { run in
              run.unfinished = ["fourth"]
              run.isEnded = false
            }
          } expecting: {
            $0.expectFailure(self.name("fourth", name), "things/fourth@\(name)")
          },
          pair("\(name): a signal ends the process during the last case") { runs in
            runs.change(name, on: "linux") { run in
              run.unfinished = ["fourth"]
              run.isEnded = false
              run.others = [.processCrashed(run.id("fourth"), signal: 11)]
            }
          } expecting: {
            $0.expectFailure(self.name("fourth", name), "things/fourth@\(name)")
          },
          pair("\(name): second failed once and passed once") { runs in
            runs.change(name, on: "linux") { run in
              run.others = [.caseStarted(run.id("second")), run.end("second", .failed)]
            }
          } expecting: {
            $0.expectFailure(self.name("second", name), "things/second@\(name)")
          },
        ]
        var better = failed[0]
        swap(&better.base, &better.head)
        better.testDescription = "\(name): second passes again"
        better.changes = ["newly passing": [self.name("second", name)]]
        (better.gate, better.history) = ([], [])
        return failed + ends + [better]
      }
    }

    /// Results that are gone while the implementation is still there.
    var lost: [JournalPair] {
      let outcomes: [Outcome?] = [.unavailable(reason: "down"), .notRun(reason: "spent"), nil]
      let single = each { name in
        outcomes.map { outcome in
          pair("\(name): second is \(outcome?.name ?? "missing")") { runs in
            runs.change(name, on: "linux") { $0.results["second"] = outcome.map { [$0] } }
          } expecting: {
            $0.changes = ["results lost": [self.name("second", name)]]
            if outcome?.name != "unavailable" { $0.gate = ["things/second@\(name)"] }
          }
        }
      }
      return single + [
        pair("no live implementation holds second") { runs in
          for name in ["real", "other"] {
            runs.change(name) { $0.results["second"] = [.unavailable(reason: "down")] }
          }
        } expecting: {
          $0.changes = ["newly unproven": ["things/second"]]
          $0.gate = ["things/second is unproven"]
        },
        pair("only real showed third") { runs in
          runs.change("real") { $0.results["third"] = [.unavailable(reason: "down")] }
        } expecting: {
          $0.changes = ["newly unproven": ["things/third"]]
          $0.gate = ["things/third is unproven"]
        },
        pair("real touches nothing") { runs in
          runs.change("real") { $0.isTouched = false }
        } expecting: {
          $0.changes = [
            "results lost": ["first", "second", "fourth"].map { "things/\($0)@real" },
            "newly unproven": ["things/third"],
          ]
          $0.gate = ["real is unproven"]
        },
      ]
    }

    var inapplicable: [JournalPair] {
      each { name in
        [
          pair("\(name): second does not apply any more") { runs in
            runs.change(name, on: "linux") { run in
              run.implementation?.lacks = ["x": "it is small"]
              run.results["second"] = [.notApplicable(capability: "x", reason: "lacks x")]
            }
          } expecting: {
            $0.changes = ["no longer applicable": [self.name("second", name)]]
            $0.gateForbidding = ["things/second@\(name)"]
          },
          pair("\(name): second does not apply, for no declared reason") { runs in
            runs.change(name, on: "linux") { run in
              run.results["second"] = [.notApplicable(capability: "x", reason: "lacks x")]
            }
          } expecting: {
            $0.expectProblem("things/second@\(name) does not apply", gate: "lacks nothing")
            $0.changes["no longer applicable"] = [self.name("second", name)]
          },
          pair("\(name): second passed without what it requires") { runs in
            runs.changeAll { $0.clauses[1].requires = ["x"] }
            runs.change(name, on: "linux") { $0.implementation?.lacks = ["x": "it is small"] }
          } expecting: {
            $0.expectProblem("things/second@\(name) passed", gate: "lacks what the clause requires")
            $0.changes["changed clauses"] = ["things/second the required capabilities were"]
          },
          pair("\(name): second passed without an expectation") { runs in
            runs.change(name, on: "linux") { run in
              run.edit = { lines in
                let end = "\"event\":\"case-finished\""
                lines = lines.map { line in
                  line.contains("things/second@")
                    ? line.replacing(end, with: end + ",\"expectations\":0") : line
                }
              }
            }
          } expecting: {
            $0.expectProblem("things/second@\(name) passed", gate: "evaluated no expectation")
          },
        ]
      }
    }

    // MARK: - Implementations, platforms, runs

    var members: [JournalPair] {
      let implementations = each { name in
        let removed = pair("\(name) is gone") { runs in
          runs.runs.removeAll { $0.implementation?.id == name }
        } expecting: {
          $0.changes = ["dropped": ["things@\(name)"]]
          $0.expectUnproven(self.unproven(without: name), gate: name != "fake")
          $0.gateWithBase = ["things@\(name)"]
        }
        var added = removed.swapped("\(name) is new")
        added.changes = ["added": ["things@\(name)"]]
        if name == "other" {
          added.changes["new deviations"] = ["things/first@other", "things/third@other"]
          added.gateForbidding = ["things/third@other"]
        }
        let kind = pair("\(name) is of another kind") { runs in
          runs.change(name) { $0.implementation?.kind = name == "fake" ? .live : .fake }
        } expecting: {
          $0.changes = ["changed kinds": ["things@\(name)"]]
          $0.expectUnproven(self.unproven(without: name), gate: true)
          $0.gateWithBase = ["things@\(name)"]
        }
        return [removed, added, kind]
      }
      return implementations + (platforms.count > 1 ? platformPairs : [])
    }

    var platformPairs: [JournalPair] {
      let whole = pair("the journals of macOS are missing") { runs in
        runs.runs.removeAll { $0.platform == "macos" }
      } expecting: {
        $0.changes = ["dropped": PairedRuns.implementations.map { "things@\($0) (macos)" }]
        $0.gateWithBase = ["things@real (macos)", "things@fake (macos)"]
      }
      var added = whole.swapped("macOS is new, with the known deviations")
      added.changes = ["added": PairedRuns.implementations.map { "things@\($0) (macos)" }]
      var deviating = added
      deviating.testDescription = "macOS is new, with an unknown deviation"
      deviating.head.change("real", on: "macos") { run in
        run.implementation?.deviations.append(PairedRuns.deviation("second"))
        run.results["second"] = [.deviates(reason: "known")]
      }
      deviating.changes["new deviations"] = ["things/second@real (macos)"]
      deviating.gateForbidding = ["things/second@real (macos)"]
      var broken = added
      broken.testDescription = "macOS is new, and the fake fails there"
      broken.head.change("fake", on: "macos") { $0.results["second"] = [.failed] }
      broken.expectFailure("things/second@fake (macos)", "things/second@fake", on: "macos")
      let one = each { name in
        let gone = pair("the journal of \(name) on macOS is missing") { runs in
          runs.runs.removeAll { $0.platform == "macos" && $0.implementation?.id == name }
        } expecting: {
          $0.changes = ["dropped": ["things@\(name) (macos)"]]
          $0.gateWithBase = ["things@\(name) (macos)"]
        }
        var new = gone.swapped("the journal of \(name) on macOS is new")
        new.changes = ["added": ["things@\(name) (macos)"]]
        return [gone, new]
      }
      return [whole, added, deviating, broken] + one + [
        pair("real touches nothing on Linux") { runs in
          runs.change("real", on: "linux") { $0.isTouched = false }
        } expecting: {
          $0.changes = ["results lost": PairedRuns.clauses.map { "things/\($0)@real (linux)" }]
          $0.gate = ["real (linux) is unproven"]
        },
        pair("the runs of real have one id") { runs in
          runs.change("real", on: "macos") { $0.id = "real-linux" }
        } expecting: {
          $0.expectProblem("run real-linux is of linux and macos", gate: "CONTRACT_RUN")
          $0.mayAlsoList = ["dropped", "results lost"]
          $0.gateWithBase = []
        },
      ]
    }

    /// A part of a journal.
    var parts: [JournalPair] {
      each { name in
        [
          pair("the last line of the run of \(name) is missing") { runs in
            runs.change(name, on: "linux") { $0.isEnded = false }
          } expecting: {
            $0.expectProblem("run \(name)-linux", gate: "run \(name)-linux")
          },
          pair("the first line of the run of \(name) is missing") { runs in
            runs.change(name, on: "linux") { $0.edit = { $0.removeFirst() } }
          } expecting: {
            $0.expectProblem("run \(name)-linux", gate: "run \(name)-linux")
            // Its platform is not known.
            $0.mayAlsoList = ["dropped", "added", "results lost", "newly unproven"]
            $0.gateWithBase = []
          },
          pair("the run of \(name) has a newer format") { runs in
            runs.change(name) { run in
              run.edit = { lines in
                for index in lines.indices {
                  lines[index] = lines[index].replacing("\"version\":2,", with: "\"version\":9,")
                }
              }
            }
          } expecting: {
            $0.expectProblem("journal:", gate: "format 9")
            $0.mayAlsoList = ["dropped", "newly unproven", "results lost"]
          },
        ]
      } + [
        pair("the later journal is empty") {
          $0.runs = []
        } expecting: {
          $0.changes = ["dropped": PairedRuns.clauses.map { "things/\($0)" }]
          $0.gate = ["there is no evidence"]
        },
        pair("the earlier journal is empty") { _ in
        } expecting: {
          $0.base.runs = []
          $0.changes = ["problems of the base": ["it contains no result"]]
          $0.gateWithBase = ["it contains no result"]
        },
      ]
    }

    // MARK: - Declarations

    var clauses: [JournalPair] {
      let removed = pair("the contract loses fourth") { runs in
        runs.changeAll { run in
          run.clauses.removeLast()
          run.caught["fourth"] = nil
          run.results["fourth"] = nil
        }
      } expecting: {
        $0.changes = ["dropped": ["things/fourth"]]
        $0.gateWithBase = ["things/fourth"]
      }
      var added = removed.swapped("the contract gets fourth")
      added.changes = ["added": ["things/fourth"]]
      let texts: [(String, String, @Sendable (inout PairedRuns.Run) -> Void)] = [
        ("sentence", "things/second the sentence was", { $0.clauses[1].sentence = "it holds" }),
        ("source", "things/second the source was", { $0.clauses[1].source = "RFC 10" }),
        (
          "requirements", "things/second the required capabilities were",
          { $0.clauses[1].requires = ["x"] }
        ),
        ("revision", "things the revision was 1", { $0.revision = 2 }),
        ("order", "things the digest was", { $0.clauses.swapAt(0, 1) }),
      ]
      return [
        removed, added,
        pair("the contract lists second twice") { runs in
          runs.changeAll { $0.clauses.insert($0.clauses[1], at: 1) }
        } expecting: {
          $0.expectProblem("things lists the clause second", gate: "more than once")
          $0.changes["changed clauses"] = ["things the digest was"]
        },
        pair("the contract is of another package") {
          $0.changeAll { $0.isOwn = false }
        } expecting: {
          $0.changes = ["changed kinds": ["things was of this package"]]
          $0.gateWithBase = ["things: the kind changed"]
        },
        pair("the adopter leaves fourth out") { runs in
          runs.changeAll { run in
            run.dropped["fourth"] = "slow"
            run.caught["fourth"] = nil
          }
        } expecting: {
          $0.changes = ["dropped": ["things/fourth"]]
          $0.gate = ["things/fourth was not run"]
        },
        pair("only real ran before a sentence changed") { runs in
          let isReal = { (run: PairedRuns.Run) in run.implementation?.id == "real" }
          runs.runs = runs.runs.filter(isReal) + runs.runs.filter { !isReal($0) }
          runs.changeAll { run in
            if run.implementation?.id != "real" { run.clauses[1].sentence = "it holds" }
          }
        } expecting: {
          $0.changes = [
            "changed clauses": ["things/second the sentence was"],
            "results lost": ["first", "second", "fourth"].map { "things/\($0)@real" },
            "newly unproven": ["things/third"],
          ]
          $0.gate = ["things/third holds on a live implementation only for another revision"]
        },
        pair("a clause changes and the digest stays") { runs in
          let digest = ContractSummary(
            id: "things", title: "", revision: 1, clauses: PairedRuns.clauses.map(PairedRuns.clause)
          ).digest
          runs.changeAll { run in
            run.digest = digest
            run.clauses[1].sentence = "it holds"
          }
        } expecting: {
          $0.expectProblem("the digest of things", gate: "the digest of things")
          $0.changes["changed clauses"] = ["things/second the sentence was"]
        },
        pair("the digest changes and no clause") { runs in
          runs.changeAll { $0.digest = "0123456789abcdef" }
        } expecting: {
          $0.expectProblem("the digest of things", gate: "the digest of things")
        },
      ]
        + texts.map { what, text, change in
          pair("another \(what)") {
            $0.changeAll(change)
          } expecting: {
            $0.changes = ["changed clauses": [text]]
          }
        }
    }

    var declarations: [JournalPair] {
      ["real", "other"].flatMap { name in
        ["2.0", nil].map { version in
          pair("\(name) has the version \(version ?? "of nobody")") { runs in
            runs.change(name) { $0.implementation?.version = version }
          } expecting: {
            $0.changes = ["changed versions": ["things@\(name) was \(name) 1.0"]]
          }
        }
          + [
            pair("\(name) has another version on Linux") { runs in
              runs.change(name, on: "linux") { $0.implementation?.version = "2.0" }
            } expecting: {
              $0.changes = ["changed versions": ["things@\(name)\(self.suffix) was \(name) 1.0"]]
            }
          ]
      }
    }

    // MARK: - Strength

    var strength: [JournalPair] {
      let missing = pair("no saboteur ran for second") { runs in
        runs.change("saboteurs") { $0.caught["second"] = nil }
      } expecting: {
        $0.changes = ["strength lost": ["things/second"]]
        $0.gate = ["no saboteur ran for second"]
      }
      var foreign = missing
      foreign.testDescription = "no saboteur ran for second of another package's contract"
      for path in [\JournalPair.base, \.head] {
        foreign[keyPath: path].changeAll { $0.isOwn = false }
      }
      foreign.gate = []
      return [
        missing, foreign,
        pair("no saboteur ran") {
          $0.runs.removeLast()
        } expecting: {
          $0.changes = ["strength lost": PairedRuns.clauses.map { "things/\($0)" }]
          $0.gate = ["no saboteur ran"]
        },
        pair("the saboteur of second escapes") { runs in
          runs.change("saboteurs") { $0.caught["second"] = false }
        } expecting: {
          $0.changes = ["newly failing": ["things/second@saboteur.twister"]]
          $0.gate = ["twister of things escaped"]
        },
        pair("second is left to mutants") { runs in
          runs.change("saboteurs") { $0.caught["second"] = nil }
          runs.changeAll { $0.leftToMutants = ["second"] }
        } expecting: {
          $0.changes = ["strength lost": ["things/second"]]
        },
        pair("no saboteur names second") { runs in
          runs.change("saboteurs") { $0.caught["second"] = nil }
          runs.changeAll { $0.withoutSaboteur = ["second"] }
        } expecting: {
          $0.changes = ["strength lost": ["things/second"]]
          $0.gate = ["things/second has no saboteur"]
        },
        missing.swapped("a saboteur ran for second") {
          $0.changes = ["strength gained": ["things/second"]]
        },
      ]
    }

    // MARK: - Deviations

    var deviations: [JournalPair] {
      each { name in
        let new = pair("\(name): second deviates as declared") { runs in
          runs.change(name, on: "linux") { run in
            run.implementation?.deviations.append(PairedRuns.deviation("second"))
            run.results["second"] = [.deviates(reason: "known")]
          }
        } expecting: {
          $0.changes = ["new deviations": [self.name("second", name)]]
          $0.gateForbidding = ["things/second@\(name)"]
        }
        let changed = pair("\(name): the deviation has another reason", from: new.head) { runs in
          runs.change(name, on: "linux") { run in
            var deviation = PairedRuns.deviation("second")
            deviation.reason = "another"
            run.implementation?.deviations.removeLast()
            run.implementation?.deviations.append(deviation)
          }
        } expecting: {
          $0.changes = ["changed deviations": [self.name("second", name)]]
        }
        return [
          new, changed,
          new.swapped("\(name): second does not deviate any more") {
            $0.changes = ["deviations gone": [self.name("second", name)]]
          },
          pair("\(name): second deviates without a declaration") { runs in
            runs.change(name, on: "linux") { $0.results["second"] = [.deviates(reason: "known")] }
          } expecting: {
            $0.expectProblem("things/second@\(name)", gate: "things/second@\(name)")
            $0.mayAlsoList = ["results lost"]
          },
          pair("\(name): a declared deviation passed") { runs in
            runs.change(name, on: "linux") { run in
              run.implementation?.deviations.append(PairedRuns.deviation("second"))
            }
          } expecting: {
            $0.expectProblem("things/second@\(name)", gate: "things/second@\(name)")
            $0.changes["new deviations"] = [self.name("second", name)]
            $0.gateForbidding = ["things/second@\(name)"]
          },
        ]
      }
    }

    // MARK: - Problems, contradictions and damage

    var problems: [JournalPair] {
      let new = pair("a run has a problem") { runs in
        runs.change("fake", on: "linux") { $0.others = [.problem("no such clause")] }
      } expecting: {
        $0.expectProblem("no such clause", gate: "no such clause")
      }
      return [
        new,
        new.swapped("a problem is gone") {
          $0.changes = ["problems gone": ["no such clause"]]
          $0.history = ["1 with problems"]
        },
      ]
    }

    var contradictions: [JournalPair] {
      let unlisted = each { name in
        ([.failed, .passed] as [Outcome]).map { outcome in
          pair("\(name) \(outcome.name) a clause that the contract does not list") { runs in
            runs.change(name, on: "linux") { run in
              run.others = [.caseStarted(run.id("fifth")), run.end("fifth", outcome)]
            }
          } expecting: {
            $0.expectProblem("things/fifth@\(name)", gate: "things/fifth@\(name)")
          }
        }
      }
      let ends: [[Outcome]] = [
        [.passed, .failed], [.failed, .passed], [.passed, .crashed(signal: 5)],
        [.timedOut(seconds: 1), .passed],
      ]
      let contradictory = each { name in
        ends.flatMap { outcomes in
          [true, false].map { isSameTime in
            let order = outcomes.map(\.name).joined(separator: ", then ")
            return pair("\(name): second \(order)\(isSameTime ? " at one time" : "")") { runs in
              runs.change(name, on: "linux") { run in
                run.results["second"] = outcomes
                if isSameTime { run.edit = Self.giveEndsOneTime }
              }
            } expecting: {
              $0.expectFailure(self.name("second", name), "things/second@\(name)")
              $0.changes["new problems"] = ["things/second@\(name)"]
              $0.history.append("with problems")
            }
          }
        }
      }
      return unlisted + contradictory + [
        pair("an implementation that nothing declares") { runs in
          runs.change("real", on: "linux") { run in
            run.others = [
              run.end("first", .passed),
              .caseFinished(
                CaseResult(
                  id: CaseID(contract: "things", clause: "first", implementation: "ghost"),
                  outcome: .failed, seconds: 0)),
            ]
          }
        } expecting: {
          $0.expectProblem("the journals have results of things@ghost", gate: "ghost")
        },
        pair("a saboteur of a clause that the contract does not list") { runs in
          runs.change("saboteurs") { $0.caught["fifth"] = true }
        } expecting: {
          $0.expectProblem("things/fifth has the result of a saboteur", gate: "things/fifth")
        },
        pair("a saboteur of a contract that nothing declares") { runs in
          runs.change("saboteurs") { run in
            run.others = [
              .saboteur(
                SaboteurResult(
                  contract: "ghosts", saboteur: "twister", clause: "a", isCaught: false,
                  message: "escaped"))
            ]
          }
        } expecting: {
          $0.expectProblem("the journals have results of ghosts", gate: "ghosts")
        },
      ]
    }

    /// Makes the ends of `second` simultaneous.
    static let giveEndsOneTime: @Sendable (inout [String]) -> Void = { lines in
      let ends = lines.indices.filter {
        lines[$0].contains("case-finished") && lines[$0].contains("things/second@")
      }
      guard let first = ends.first, let start = lines[first].range(of: "\"time\":") else { return }
      for index in ends.dropFirst() {
        guard let other = lines[index].range(of: "\"time\":") else { continue }
        lines[index] = String(
          lines[index][..<other.lowerBound] + lines[first][start.lowerBound...])
      }
    }

    /// How a line is damaged.
    static let damages: [(String, @Sendable (String) -> String)] = [
      ("is cut", { String($0.prefix($0.count / 2)) }),
      ("is zeros", { String(repeating: "\u{0}", count: $0.count) }),
      ("lacks its beginning", { String($0.dropFirst(20)) }),
    ]

    var damage: [JournalPair] {
      let lines = [
        "run-started", "\"event\":\"contract\"", "\"event\":\"implementation\"", "case-started",
        "case-finished", "run-finished",
      ]
      return ["real", "other"].flatMap { name in
        lines.flatMap { line in
          Self.damages.flatMap { how, damage in
            damaged(line, of: name, how, damage)
          }
        }
      }
    }

    /// A damaged line in the later journal, and in the earlier one.
    func damaged(
      _ line: String, of name: String, _ how: String,
      _ damage: @escaping @Sendable (String) -> String
    ) -> [JournalPair] {
      let words = line.split(separator: "\"").last.map(String.init) ?? line
      let head = pair("a line '\(words)' of \(name) \(how)") { runs in
        runs.change(name, on: "linux") { run in
          run.edit = { lines in
            guard let index = lines.lastIndex(where: { $0.contains(line) }) else { return }
            lines[index] = damage(lines[index])
          }
        }
      } expecting: {
        $0.expectProblem("journal:", gate: "damaged")
        $0.history = ["1 with problems", "damaged"]
        $0.mayAlsoList = ["new problems", "results lost", "dropped", "newly unproven", "added"]
        $0.mustNotSay = ["crashed", "ended during the case"]
      }
      var base = head.swapped("a line '\(words)' of \(name) in the earlier journal \(how)")
      base.changes = ["problems of the base": ["journal:"]]
      base.mayAlsoList = ["problems of the base", "added"]
      (base.gate, base.gateWithBase) = ([], ["damaged"])
      base.history = ["1 with problems", "damaged"]
      return [head, base]
    }
  }
}

extension JournalPair {
  /// Expects one case that fails now.
  mutating func expectFailure(_ name: String, _ id: String, on platform: String = "linux") {
    changes["newly failing"] = [name]
    gate = [id]
    history = ["\(id) (\(platform))"]
  }

  /// Expects a problem of the journal.
  mutating func expectProblem(_ text: String, gate part: String) {
    changes["new problems"] = [text]
    gate = [part]
    history = ["1 with problems", text == "journal:" ? part : text]
  }

  mutating func expectUnproven(_ clauses: [String], gate isOfGate: Bool) {
    guard !clauses.isEmpty else { return }
    changes["newly unproven"] = clauses
    if isOfGate { gate += clauses.map { "\($0) is unproven" } }
  }

  /// The same journals the other way round, with nothing expected.
  func swapped(_ name: String, expecting expect: (inout JournalPair) -> Void = { _ in })
    -> JournalPair
  {
    var pair = JournalPair(name, head, base)
    expect(&pair)
    return pair
  }
}
