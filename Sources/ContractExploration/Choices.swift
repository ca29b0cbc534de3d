/// The source of every random decision in a run, recorded so that it can be replayed and shrunk.
public struct Choices: Sendable {
}
