// A message confirms nothing by itself: it is read against what was asked.
//
// error: undefined (type clarify.Answers has no field or method Proceed)
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	answers, _ := clarify.ParseAnswers("yes")
	println(answers.Proceed())
}
