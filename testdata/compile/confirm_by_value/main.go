// A Confirm that is set later must be a pointer too.
//
// error: method Kind has pointer receiver
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	var p clarify.Prompt
	p.Input = clarify.Confirm{Danger: true}
	_ = p
}
