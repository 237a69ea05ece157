// An Input is always a pointer, so a type switch cannot miss one.
//
// error: method Kind has pointer receiver
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Prompt{ID: "bucket", Question: "Which?", Input: clarify.Choice{}}
}
