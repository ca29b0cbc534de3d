// A model of recorded histories is a model of the checker, whose limits and results are part of the
// interface. One import is enough for both.
@_exported public import ExplorationEngine
@_exported public import LinearizabilityChecking
