// A number does not confirm.
//
// error: as bool value in struct literal
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.ConfirmAnswer{Confirmed: 1}
}
