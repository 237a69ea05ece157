// The arguments of a call are bytes and the output of a tool is a string, so nobody mixes them up.
//
// error: as string value in argument to clarify.Parse
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	var arguments []byte
	_, _ = clarify.Parse(arguments)
}
