// A Reply comes only from Read: nobody can make one that proceeds.
//
// error: unexported field
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Reply{state: clarify.StateConfirmed}
}
