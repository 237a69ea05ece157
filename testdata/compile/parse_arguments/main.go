// The arguments of a call are bytes, what a tool returned is a string: they are not mixed up.
//
// error: as string value in argument to clarify.Parse
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	var arguments []byte
	_, _ = clarify.Parse(arguments)
}
