// What was asked, with its default value, is not an answer.
//
// error: does not implement clarify.Payload
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Answer{ID: "name", Payload: &clarify.Text{DefaultValue: "main"}}
}
