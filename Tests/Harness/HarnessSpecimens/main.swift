import Testing

// A test program of its own, because tests start hundreds of processes for specimens: Swift Testing looks at every
// test of a program when it starts, and in the program of all tests that takes ten times as long.
await Testing.__swiftPMEntryPoint() as Never
