// The same holds for a confirm that is put into a prompt later.
//
// error: method Kind has pointer receiver
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	var p clarify.Prompt
	p.Input = clarify.Confirm{Danger: true}
	_ = p
}
