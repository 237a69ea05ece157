// There is no third state between dangerous and not.
//
// error: cannot use nil as bool value
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.Confirm{Danger: nil}
}
