// A flag is a boolean.
//
// error: as bool value in struct literal
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Prompt{ID: "name", Question: "Name?", Optional: "false", Input: &clarify.Text{}}
}
