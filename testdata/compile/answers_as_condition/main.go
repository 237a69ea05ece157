// A message with answers is not a yes.
//
// error: non-boolean condition
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	if answers, _ := clarify.ParseAnswers("yes"); answers {
		println("deleted")
	}
}
