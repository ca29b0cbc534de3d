extension CommandLineProgram {
  /// A script with which bash completes the program's commands and options, made from its help. What is no option is
  /// completed as a file.
  var completions: String {
    let names = allCommands.map(\.name).joined(separator: " ")
    let options = allCommands.filter { !$0.options.isEmpty }.map { command in
      "      \(command.name)) words='\(command.options.joined(separator: " "))' ;;\n"
    }
    return """
      _\(name)() {
        local word=${COMP_WORDS[COMP_CWORD]} words=
        if [ "$COMP_CWORD" = 1 ]; then words='\(names)'; else
          case ${COMP_WORDS[1]} in
      \(options.joined())    esac
        fi
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      }
      complete -o default -F _\(name) \(name)

      """
  }
}
