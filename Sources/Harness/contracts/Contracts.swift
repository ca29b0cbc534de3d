import CommandLineSupport
import ContractEvidence
import ContractReports
import Foundation

/// The command-line tool: new contracts, runs, reports, comparisons, the gate and recorded histories.
@main
struct Contracts {
  static let program: CommandLineProgram = .init(
    name: "contracts",
    version:
      "contracts \(packageVersion), journal format \(JournalRecord.formatVersion)",
    commands: [
      .init(
        """
        report [JOURNAL…] [--format terminal|markdown|html|github]
               [--output FILE] [--base BASE] [--all]
            Shows the matrix of one or several journals, merged, and the changes from the journal
            BASE. Exits with 0 even if cases fail. A terminal report of more than 50 lines is
            abridged unless --all is given; failures keep every detail.
        """
      ) { try ReportCommand($0).run() },
      .init(
        """
        diff BASE HEAD
            Shows the changes from one journal to another. Exits with the sum of 1 (newly failing), 2
            (evidence lost: newly unproven, results lost, changed kinds), 4 (clauses, implementations or
            platforms dropped), 8 (new deviations, no longer applicable), 16 (new problems, or a base that
            is damaged) and 32 (strength lost), or with 0.
        """
      ) { try DiffCommand($0).run() },
      .init(
        """
        gate [JOURNAL…] [--require live] [--platform NAME[,NAME…]] [--max-age 7d]
             [--allow unproven=PATTERN] [--allow strength=PATTERN]
             [--base BASE] [--allow change=PATTERN]
             [--forbid new-deviations|unversioned|unwitnessed]
             [--mutation-score SCORE --target TARGET[,TARGET…]]
            Exits with 1 unless each clause that holds on a fake also holds on a live implementation, for the
            contract's current revision and at most --max-age (d, h, m or s) ago. Also exits with 1 unless
            saboteurs ran for each contract of the package, and if a journal is damaged or incomplete.
            --platform names platforms on which each contract must have results. With --base, also exits with
            1 if that journal is damaged, or if an implementation, a clause or a platform in it is gone or an
            implementation's kind has changed; --allow change accepts that. --base lists the other changes as
            notes; --forbid new-deviations makes new deviations, and cases that do not apply any more, fail.
            --forbid unversioned fails for a live implementation that records no version, and --forbid
            unwitnessed for one whose fixtures name no witness. PATTERN is contract/clause for unproven,
            contract for strength and contract/clause@implementation for change; * matches any text.
            --mutation-score is the least score, from 0 to 1, in the results of 'mutate' for the same code.
        """
      ) { try GateCommand($0).run() },
      .init(
        """
        history FOLDER
            Shows the journals of a folder over time: their cases, failures, deviations, problems and
            strength, since when each failing case fails, the cases that both held and failed on a commit,
            and the declarations that have changed.
        """
      ) { try HistoryCommand($0).run() },
      .init(
        """
        baseline [JOURNAL…] [--implementation NAME]
            Prints the .deviating(…) lines that would declare the failing cases of live and recorded
            implementations, grouped by cause. Each reason is "TODO", which the harness refuses until
            a person writes one.
        """
      ) { try BaselineCommand($0).run() },
      .init(
        """
        run [--only PATTERN] [--kind fake|live|recorded] [--filter REGEX] [--all]
            [--scratch-path PATH | --test-program PATH]
            Runs swift test with a progress line and prints the report, and the failures of other
            tests that --filter selects. --test-program runs a test program that is built already
            instead. Exits with the code of swift test: 0 if everything holds, 1 if something fails
            or does not build, 127 if swift is not found. Exits with 1 if no case ran, and with 128
            plus the number of a signal that ended the run.
        """
      ) { try await RunCommand($0).run() },
      .init(
        """
        new PROTOCOL [--protocol FILE] [--module NAME] [--tests FOLDER] [--fake EXPRESSION]
            [--type NAME=TYPE]…
            Writes a contract for a protocol, with a clause and a command for each requirement,
            an in-memory fake with its model, and tests. All compile, and fail with
            'write me' until they are written. FILE declares the protocol; by default all files are
            searched. --fake creates a fake that exists, and --type says what an associated type is.
            Prints what could not be guessed, and what Package.swift needs. Exits with 65 if there is
            no such protocol, and with 73 if a file exists already: nothing is overwritten.
        new --one-test-per-clause EXPRESSION --tests FOLDER [--import MODULE]… [--contract ID]
            Writes, or writes again, a file with one named test for each clause, because an editor
            can't run one argument of a parameterised test. EXPRESSION has the form
            'Contract<Fixture>.name.cases(for: .fake, .live)'. The clauses are those of the latest
            run. Prints which clauses are new and which are gone.
        """
      ) {
        try $0.contains { $0.hasPrefix(NewClauseTestsCommand.option) }
          ? NewClauseTestsCommand($0).run() : NewCommand($0).run()
      },
      .init(
        """
        mutate --target TARGET[,TARGET…] [--contract NAME] [--implementation NAME] [--filter REGEX]
               [--tests REGEX] [--only FILE[:LINES]] [--since COMMIT] [--max N] [--seed N]
               [--shard 2/16] [--again all] [--mutant ID]
            Changes the targets' code in small ways, in a copy of the package, and shows which
            changes no clause notices. A second run judges only what has changed. --tests names
            other tests, which judge what no case notices. Exits with 0 even if mutants survive, and
            with 1 if the cases fail without any mutant, or if a live implementation does not reach
            its adapter.
        """
      ) { try MutateCommand($0).run() },
      .init(
        """
        mutations JOURNAL…
            Shows the results of runs of 'mutate', merged; they are in
            .build/contracts/mutation/TARGET.jsonl.
        """
      ) { try MutationsCommand($0).run() },
      .init(
        """
        suggest --target TARGET[,TARGET…] [--contract NAME] [--filter REGEX] [--only FILE[:LINES]]
                [--since COMMIT] [--max N] [--seconds N] [--explorations REGEX] [--write FILE]
            Looks for calls that notice what 'mutate' says no clause notices, makes them on the live
            implementation, and prints them as clauses. The calls are those of the tests that call
            exploreDrift. --seconds is the time for each mutant, 1 by default. --write adds the
            clauses to the contract NAME in FILE. Exits with 1 if a fake answers otherwise than the
            live implementation.
        """
      ) { try SuggestCommand($0).run() },
      .init(
        """
        linearizable FILE --model MODEL [--initial JSON] [--seconds N] [--megabytes N]
            Checks a recorded history, in JSON lines, against a model: register, key-value, queue,
            stack, set, counter or lock. Exits with 0 if it is linearizable, 1 if not, 2 if a limit
            was reached first, and 65 after naming each line that is not part of such a history.
        """
      ) { try LinearizableCommand($0).run(printError: Contracts.program.printError) },
      .init(
        """
        verify-recording FILE --against URL [options]
            Asks the server at URL again for the exchanges of a recording in the format HAR, and names
            what has changed. Runs 'http-recordings verify', which is built beside this tool; its
            --help lists the options. Exits with 0 if every exchange agrees, 1 if the recording is
            stale, 2 if an exchange is not verified, and 69 if http-recordings is not built.
        """
      ) { VerifyRecordingCommand($0).run() },
    ],
    notes: """
      A JOURNAL or FILE is a file of JSON lines, or - for standard input; the default JOURNAL is
      .build/contracts/latest.jsonl.
      Other exit codes: 64 for invalid arguments, 65 for a file with invalid contents, 66 for a file
      that can't be read, 73 for one that can't be written.
      NO_COLOR turns colours off, FORCE_COLOR turns them on, and COLUMNS is the width of a report.

      """)

  static func main() async { await program.run() }

  /// The folder of the journals.
  static let folder = ".build/contracts"

  /// The journal of the latest run.
  static let latest = "\(folder)/latest.jsonl"

  /// The merged matrix of journals, or of the latest journal if `paths` is empty.
  ///
  /// - Throws: ``JournalFileError`` if a file can't be read.
  static func matrix(of paths: [String]) throws(JournalFileError) -> Matrix {
    Matrix(try journal(of: paths))
  }

  /// The records of journals, or of the latest journal if `paths` is empty.
  ///
  /// - Throws: ``JournalFileError`` if a file can't be read.
  static func journal(of paths: [String]) throws(JournalFileError) -> Journal {
    var journal = Journal()
    for path in paths.isEmpty ? [latest] : paths {
      let one =
        path == CommandLineProgram.standardInput
        ? try Journal(descriptor: STDIN_FILENO, path: "standard input")
        : try read(path)
      journal.records += one.records
      journal.damage += one.damage
    }
    return journal
  }

  /// Reads a journal. If it is the latest and there is none, the error says what makes one.
  private static func read(_ path: String) throws(JournalFileError) -> Journal {
    do throws(JournalFileError) {
      return try Journal(contentsOf: path)
    } catch {
      var error = error
      if path == latest, error.code == ENOENT {
        error.remedy = "no contract has run here; run 'swift run contracts run'"
      }
      throw error
    }
  }
}
