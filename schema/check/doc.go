// Package check proves that the published JSON Schemas and the library say the
// same. It has only tests: they run two validators that were written elsewhere
// over all test vectors and compare their verdict with the library's.
//
// What a JSON Schema cannot say is in the table of rules_test.go, and nothing
// else is a difference. It is a module of its own so that nobody who imports
// the library gets a validator.
package check
