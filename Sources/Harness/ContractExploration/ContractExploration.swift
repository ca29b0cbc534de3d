// A specification is written against the engine and run by the functions of this module, so one
// import gives both.
@_exported public import ExplorationEngine
