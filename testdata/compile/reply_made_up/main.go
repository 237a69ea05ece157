// A reply was read: nobody writes one that may go on.
//
// error: unexported field
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Reply{proceed: true}
}
