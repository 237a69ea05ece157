// A bool cannot say undecided.
//
// error: as clarify.Decision value
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	confirmed := true
	var d clarify.Decision = confirmed
	_ = d
}
