// Package conformance tests the library from outside. It has what tests need
// and no program does: JSON values that can be changed, generators of envelopes
// and messages, and the vectors. Its own tests compare the library with a second
// implementation, with encoding/json and with JavaScript.
package conformance
