// A Decision is not a bool: undecided is neither yes nor no.
//
// error: non-boolean condition
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	var e clarify.Envelope
	if e.Read("yes").Decision("delete") {
		println("deleted")
	}
}
