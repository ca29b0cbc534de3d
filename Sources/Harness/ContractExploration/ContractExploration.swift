// Specifications use the engine's types, and tests run them with the functions of this module. One
// import is enough for both.
@_exported public import ExplorationEngine
