// The method that seals Input belongs to package clarify. One with the same name elsewhere is another method.
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
