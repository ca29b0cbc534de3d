/// Scripts with which a shell completes a program's commands and options, made from its help.
struct Completions {
  private let program: CommandLineProgram

  init(of program: CommandLineProgram) { self.program = program }

  /// The script for the only argument, a shell's name.
  func script(for arguments: [String]) throws(UsageError) -> String {
    switch arguments {
    case ["bash"]: bash
    case ["zsh"]: zsh
    case ["fish"]: fish
    default: throw UsageError("'\(program.name) completions' needs a shell: bash, zsh or fish")
    }
  }

  private var names: String { program.allCommands.map(\.name).joined(separator: " ") }

  /// A line for each command that has options.
  private func lines(_ line: (_ command: String, _ options: [String]) -> String) -> String {
    program.allCommands.filter { !$0.options.isEmpty }.map { line($0.name, $0.options) + "\n" }
      .joined()
  }

  /// What is no option is completed as a file.
  private var bash: String {
    """
    _\(program.name)() {
      local word=${COMP_WORDS[COMP_CWORD]} words=
      if [ "$COMP_CWORD" = 1 ]; then words='\(names)'; else
        case ${COMP_WORDS[1]} in
    \(lines { "      \($0)) words='\($1.joined(separator: " "))' ;;" })    esac
      fi
      COMPREPLY=($(compgen -W "$words" -- "$word"))
    }
    complete -o default -F _\(program.name) \(program.name)

    """
  }

  private var zsh: String {
    """
    #compdef \(program.name)
    _\(program.name)() {
      local -a options
      if (( CURRENT == 2 )); then compadd \(names); return; fi
      case $words[2] in
    \(lines { "    \($0)) options=(\($1.joined(separator: " "))) ;;" })  esac
      if [[ $words[CURRENT] == -* ]]; then compadd -- $options; else _files; fi
    }
    compdef _\(program.name) \(program.name)

    """
  }

  private var fish: String {
    let name = program.name
    return "complete -c \(name) -n __fish_use_subcommand -f -a '\(names)'\n"
      + lines { command, options in
        "complete -c \(name) -n '__fish_seen_subcommand_from \(command)'"
          + options.map { " -l \($0.dropFirst(2))" }.joined()
      }
  }
}
