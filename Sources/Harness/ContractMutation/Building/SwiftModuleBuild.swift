import Foundation

/// How SwiftPM compiles one module, from its build description.
struct SwiftModuleBuild {
  /// The module's name.
  var name: String
  /// The compiler.
  var compiler: String
  /// The absolute paths of the Swift files.
  var sources: [String]
  /// The arguments, without those about files to write.
  var arguments: [String]

  /// A build description: the modules and the program of the tests.
  struct Description {
    var modules: [String: SwiftModuleBuild]
    var testProgram: String?
  }

  /// Reads the description that SwiftPM left.
  ///
  /// - Parameter package: The package's folder.
  /// - Throws: ``MutationError`` if there is none, or if it has another form than expected.
  static func description(ofPackage package: String) throws(MutationError) -> Description {
    let path = "\(package)/.build/debug/description.json"
    guard let data = FileManager.default.contents(atPath: path),
      let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
      let commands = root["swiftCommands"] as? [String: Any]
    else {
      throw MutationError("\(path) has another form than SwiftPM 6.3 writes; update the toolchain")
    }
    var modules: [String: SwiftModuleBuild] = [:]
    for case let command as [String: Any] in commands.values {
      guard let one = SwiftModuleBuild(command) else { continue }
      modules[one.name] = one
    }
    let products = root["builtTestProducts"] as? [[String: Any]]
    return Description(
      modules: modules, testProgram: products?.first?["binaryPath"] as? String)
  }

  // MARK: - Reading the typed tree

  /// Lets the compiler print the typed trees of the module's files.
  ///
  /// - Parameter files: The absolute paths of all files of the module.
  /// - Throws: ``MutationError`` if the module does not compile.
  func typedTrees(of files: [String], in folder: String) throws(MutationError)
    -> [String: SyntaxNode]
  {
    // The driver knows what the frontend needs, such as the plug-ins of macros.
    let jobs = try ToolProcess.run(
      [compiler, "-###", "-typecheck", "-wmo", "-suppress-warnings"] + arguments + files,
      in: folder)
    guard let line = jobs.text.split(separator: "\n").first(where: { $0.contains(" -frontend ") })
    else { throw MutationError("the compiler names no job for \(name):\n\(jobs.text)") }
    var words = Self.words(of: String(line))
    let inputs = Set(files)
    words.removeAll { $0 == "-typecheck" || inputs.contains($0) }
    if let index = words.firstIndex(of: "-supplementary-output-file-map") {
      words.removeSubrange(index...(index + 1))
    }
    words += ["-dump-ast", "-dump-ast-format", "json"]
    words += files.flatMap { ["-primary-file", $0] }
    let result = try ToolProcess.run(words, in: folder)
    guard result.status == 0 else {
      throw MutationError(
        "\(name) does not compile:\n\(result.errors)")
    }
    do {
      return try SyntaxNode.roots(in: result.standardOutput)
    } catch {
      throw MutationError("the compiler's typed tree of \(name) can't be read: \(error)")
    }
  }

  /// Splits a line of the driver, which quotes as a shell does.
  static func words(of line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if character == " " {
        if let whole = word { words.append(whole) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  // MARK: - Checking

  /// An error of the compiler.
  struct Diagnostic: Hashable {
    var file: String
    var line: Int
    var column: Int
    var message: String
  }

  /// Compiles the module's files to SIL, which finds the errors that type checking leaves: missing
  /// returns and variables without a value.
  func errors(in files: [String], folder: String) throws(MutationError) -> [Diagnostic] {
    let result = try ToolProcess.run(
      [compiler, "-emit-sil", "-wmo", "-o", "/dev/null", "-suppress-warnings"]
        + ["-diagnostic-style", "llvm"] + arguments + files, in: folder)
    if result.status == 0 { return [] }
    let found = result.text.split(separator: "\n").compactMap { Self.diagnostic(String($0)) }
    guard !found.isEmpty else {
      throw MutationError("the compiler failed on \(name) without an error:\n\(result.text)")
    }
    return found
  }

  private static func diagnostic(_ line: String) -> Diagnostic? {
    guard let match = line.wholeMatch(of: /(.+?):(\d+):(\d+): error: (.*)/),
      let number = Int(match.2), let column = Int(match.3)
    else { return nil }
    return Diagnostic(
      file: String(match.1), line: number, column: column, message: String(match.4))
  }
}

extension SwiftModuleBuild {
  fileprivate init?(_ command: [String: Any]) {
    guard let name = command["moduleName"] as? String,
      let compiler = command["executable"] as? String,
      let inputs = command["inputs"] as? [[String: Any]],
      let importPath = command["importPath"] as? String,
      let others = command["otherArguments"] as? [String]
    else { return nil }
    self.name = name
    self.compiler = compiler
    sources = inputs.compactMap { $0["name"] as? String }
      .filter { $0.hasSuffix(".swift") && !$0.hasSuffix(SwitchSource.fileName) }
    arguments = ["-module-name", name, "-I", importPath] + Self.reading(others)
  }

  /// The arguments without those that name files to write or choose a way to compile.
  private static func reading(_ arguments: [String]) -> [String] {
    let single: Set = [
      "-incremental", "-enable-batch-mode", "-serialize-diagnostics", "-parseable-output",
      "-emit-objc-header", "-whole-module-optimization", "-wmo", "-g", "-warnings-as-errors",
    ]
    let withValue: Set = ["-index-store-path", "-emit-objc-header-path", "-num-threads"]
    var kept: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument.hasPrefix("-X"), let value = rest.popFirst() {
        // What follows is another tool's argument, such as clang's `-g`.
        kept += [argument, value]
      } else if withValue.contains(argument) {
        _ = rest.popFirst()
      } else if !single.contains(argument), !argument.hasPrefix("-j") {
        kept.append(argument)
      }
    }
    return kept
  }
}
