// The kind is not a field beside the input: it cannot disagree with it.
//
// error: does not implement clarify.Input
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Prompt{ID: "name", Question: "Name?", Input: clarify.KindText}
}
