// An option has an id and a label.
//
// error: as []clarify.Option value
package main

import clarify "github.com/clarify-protocol/clarify-go"

func main() {
	_ = &clarify.Choice{Options: []string{"avatars", "uploads"}}
}
