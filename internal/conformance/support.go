package conformance

import "slices"

// Reverse reverses the order of the members of every object in v, and returns v.
// It changes what v means where a key is there twice.
func (v *Value) Reverse() *Value {
	if v.IsObject() {
		slices.Reverse(v.keys)
		slices.Reverse(v.elems)
	}
	for _, elem := range v.elems {
		elem.Reverse()
	}
	return v
}
