// A bool is not an answer: an answer has a kind.
//
// error: does not implement clarify.Payload
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Answer{ID: "delete", Payload: true}
}
