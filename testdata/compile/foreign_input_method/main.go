// The methods that seal Input belong to package clarify. One with the same name elsewhere is another method.
//
// error: does not implement clarify.Input
package main

import clarify "github.com/clarify-protocol/clarify-go"

type slider struct{}

func (*slider) Kind() clarify.Kind          { return "slider" }
func (*slider) appendMembers([]byte) []byte { return nil }

func main() {
	var _ clarify.Input = &slider{}
}
