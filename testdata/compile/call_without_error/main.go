// The result of Call can be the text of a refusal.
//
// error: assignment mismatch
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	result := clarify.Call(nil)
	_ = result
}
