// The contract has three kinds: nobody adds a fourth.
//
// error: does not implement clarify.Input
package main

import clarify "github.com/clarify-protocol/clarify-go"

type slider struct{}

func (*slider) Kind() clarify.Kind { return "slider" }

func main() {
	_ = clarify.Prompt{ID: "n", Question: "How many?", Input: &slider{}}
}
