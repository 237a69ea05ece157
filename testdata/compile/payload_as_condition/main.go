// An answer is not a yes just because it exists.
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
