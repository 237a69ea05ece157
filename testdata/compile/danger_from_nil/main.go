// There is no third state between danger and no danger.
//
// error: cannot use nil as bool value
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Confirm{Danger: nil}
}
