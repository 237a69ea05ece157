// Not even with the method that seals the interface: its name belongs to another package.
//
// error: unexported method isInput
package main

import clarify "github.com/clarify-protocol/clarify-go"

type slider struct{}

func (*slider) Kind() clarify.Kind { return "slider" }
func (*slider) isInput()           {}

func main() {
	var _ clarify.Input = &slider{}
}
