// An input is not free text.
//
// error: does not implement clarify.Input
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Prompt{ID: "name", Question: "Name?", Input: "text"}
}
