// A type switch without the pointer would never match.
//
// error: impossible type switch case
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	var p clarify.Prompt
	switch p.Input.(type) {
	case clarify.Confirm:
	}
}
