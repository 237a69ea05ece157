package clarify

import (
	"reflect"
	"testing"
)

// FuzzRead reads any message against any envelope that can be shown.
func FuzzRead(f *testing.F) {
	for _, v := range readVectors[replyVector](f, "reply.jsonl", replyVectors) { // fails without any
		f.Add(string(v.Envelope), v.Message)
	}
	f.Fuzz(func(t *testing.T, envelope, message string) {
		e, err := Parse(envelope)
		if err != nil {
			return
		}
		before := clone(e)
		r := e.Read(message)
		if !reflect.DeepEqual(e, before) {
			t.Fatal("Read changed the envelope")
		}
		checkReply(t, e, message, r)
		newDangerOracle(e).check(t, e, message, r)
		if again := e.Read(message); !reflect.DeepEqual(again, r) {
			t.Fatalf("read twice: %s, then %s", jsonOf(r), jsonOf(again))
		}
	})
}
