// Specifications use the engine's types, and tests run them with the functions of this module. One
// import is enough for all. Interleavings are not among them: ContractInterleavings interposes functions
// of the runtime and of libraries.
@_exported public import ExplorationEngine
@_exported public import FaultExploration
@_exported public import LinearizabilityChecking
@_exported public import LockStepExploration
