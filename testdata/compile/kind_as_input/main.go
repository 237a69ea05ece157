// The kind is not a field of its own, so it cannot disagree with the input.
//
// error: does not implement clarify.Input
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Prompt{ID: "name", Question: "Name?", Input: clarify.KindText}
}
