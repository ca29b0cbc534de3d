// One import is enough for a test that explores interleavings.
@_exported public import ContractExploration
@_exported public import InterleavingExploration
