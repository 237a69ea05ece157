// What a tool returned may not be an envelope.
//
// error: assignment mismatch
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	e := clarify.Parse("")
	_ = e
}
