// Only a boolean confirms: not "true", and not "false" either.
//
// error: as bool value in struct literal
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = clarify.ConfirmAnswer{Confirmed: "true"}
}
