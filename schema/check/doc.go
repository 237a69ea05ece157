// Package check tests that the published JSON Schemas and the library agree. It
// contains only tests: they run two independent validators on all test vectors
// and compare the results with those of the library.
//
// The table in rules_test.go lists what a JSON Schema cannot say. There is no
// other difference. The package is a module of its own, so that users of the
// library do not depend on a validator.
package check
