// A Payload is always a pointer.
//
// error: method Kind has pointer receiver
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Answer{ID: "delete", Payload: clarify.ConfirmAnswer{Confirmed: true}}
}
