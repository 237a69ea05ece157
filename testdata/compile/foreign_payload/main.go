// The contract has three kinds of answers: nobody adds a fourth.
//
// error: does not implement clarify.Payload
package main

import clarify "github.com/clarify-protocol/clarify-go"

type number struct{ Value int }

func (*number) Kind() clarify.Kind { return "number" }

func main() {
	_ = clarify.Answer{ID: "n", Payload: &number{5}}
}
