// A test of crashes needs a specification, an implementation and the functions of this module. One
// import is enough for all.
@_exported public import ContractExploration
