// A yes says what it confirms.
//
// error: does not implement clarify.Payload
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Answer{ID: "delete", Payload: true}
}
