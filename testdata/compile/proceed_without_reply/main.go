// A message alone confirms nothing: it must be read against what was asked.
//
// error: undefined (type clarify.Answers has no field or method Proceed)
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	answers, _ := clarify.ParseAnswers("yes")
	println(answers.Proceed())
}
