// An answer is not a yes because it is there.
//
// error: non-boolean condition
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	var a clarify.Answer
	if a.Payload {
		println("deleted")
	}
}
