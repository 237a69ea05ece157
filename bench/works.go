package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/clarify-protocol/clarify-go"
)

// The bounds on the time of this library divided by the time of a peer.
const (
	parseOfStd     = 0.35
	parseOfSonic   = 1.0
	callOfStd      = 0.6
	appendOfStd    = 0.5
	checkOfSchema  = 0.1
	refuseOfValid  = 0.3
	growthOfSmall  = 1.5
	errorOfShort   = 1.5 // both do the same; the rest is noise
	maxParseAllocs = 16  // for the small envelope
)

func works() []*work {
	var all []*work
	for _, name := range envelopes {
		all = append(all, parseWork(name))
	}
	for _, name := range []string{"small", "full"} {
		all = append(all, callWork(name))
	}
	for _, name := range []string{"small", "full", "escaped"} {
		all = append(all, appendWork(name))
	}
	for _, name := range []string{"small", "full"} {
		all = append(all, checkWorks(name)...)
	}
	for _, name := range []string{"list", "escaped list", "prose"} {
		w := refuseWork(name, refuseOfValid)
		w.maxAllocs = 0
		all = append(all, w)
	}
	for _, name := range []string{"list that names the protocol", "cut envelope"} {
		all = append(all, refuseWork(name, unbounded))
	}
	return append(all, errorWork(), growthWork())
}

// judged returns the limit for the two envelopes that have one.
func judged(name string, limit float64) float64 {
	if name == "small" || name == "full" {
		return limit
	}
	return unbounded
}

func parseWork(name string) *work {
	text := envelope(name)
	data := []byte(text)
	w := newWork("parse "+name, len(text), newRun(us, unbounded, func() error {
		_, err := clarify.Parse(text)
		return err
	}))
	for _, d := range decoders {
		limit := unbounded
		switch d.name {
		case encodingJSON:
			limit = judged(name, parseOfStd)
		case nameSonic:
			limit = judged(name, parseOfSonic)
		}
		w.runs = append(w.runs, newRun(d.name, limit, func() error {
			return d.decode(text, data, new(flatEnvelope))
		}))
	}
	w.runs = append(w.runs, newRun(jsonValid, unbounded, func() error { return valid(data) }))
	if name == "small" {
		w.maxAllocs = maxParseAllocs
	}
	return w
}

func valid(data []byte) error {
	if !json.Valid(data) {
		return errors.New("not valid")
	}
	return nil
}

// callWork measures the whole tool. A peer gets the prompts as an array,
// decodes them and encodes the envelope. That is less than what Call does.
func callWork(name string) *work {
	text := envelope(name)
	arguments := callOf(text)
	w := newWork("call "+name, len(arguments), newRun(us, unbounded, func() error {
		_, err := clarify.Call(arguments)
		return err
	}))
	data := []byte(text)
	for i, d := range decoders {
		limit := unbounded
		if d.name == encodingJSON {
			limit = callOfStd
		}
		encode := encoders[i].encode
		w.runs = append(w.runs, newRun(d.name, limit, func() error {
			e := new(flatEnvelope)
			err := d.decode(text, data, e)
			if err == nil {
				_, err = encode(e)
			}
			return err
		}))
	}
	return w
}

func appendWork(name string) *work {
	text := envelope(name)
	e, err := clarify.Parse(text)
	must(err)
	flat := new(flatEnvelope)
	must(json.Unmarshal([]byte(text), flat))
	var buf []byte
	w := newWork("append "+name, len(text), newRun(us, unbounded, func() (err error) {
		buf, err = e.AppendJSON(buf[:0])
		return err
	}))
	for _, enc := range encoders {
		limit := unbounded
		if enc.name == encodingJSON {
			limit = judged(name, appendOfStd)
		}
		w.runs = append(w.runs, newRun(enc.name, limit, func() error {
			_, err := enc.encode(flat)
			return err
		}))
	}
	w.maxAllocs = 0
	return w
}

// checkWorks measures the checks alone, on a value that was decoded before, and
// decoding and checks together, from the bytes of a call or of an envelope.
func checkWorks(name string) []*work {
	text := envelope(name)
	data := []byte(text)
	e, err := clarify.Parse(text)
	must(err)
	var decoded any
	must(json.Unmarshal(data, &decoded))
	flat := new(flatEnvelope)
	must(json.Unmarshal(data, flat))

	alone := newWork("check "+name, len(text), newRun(us, unbounded, e.Validate))
	arguments := callOf(text)
	whole := newWork("decode and check "+name, len(text), newRun(us, unbounded, func() error {
		_, err := clarify.ParseCall(arguments)
		return err
	}))
	for _, v := range schemaValidators() {
		alone.runs = append(alone.runs, newRun(v.name, checkOfSchema, func() error { return v.validate(decoded) }))
		whole.runs = append(whole.runs, newRun(v.name, unbounded, func() error {
			var decoded any
			if err := json.Unmarshal(data, &decoded); err != nil {
				return err
			}
			return v.validate(decoded)
		}))
	}
	tags := tagValidator()
	alone.runs = append(alone.runs, newRun(nameValidator, unbounded, func() error { return tags.Struct(flat) }))
	whole.runs = append(whole.runs, newRun(nameValidator, unbounded, func() error {
		e := new(flatEnvelope)
		if err := json.Unmarshal(data, e); err != nil {
			return err
		}
		return tags.Struct(e)
	}))
	return []*work{alone, whole}
}

func refuseWork(name string, limit float64) *work {
	text := foreign(name)
	data := []byte(text)
	return newWork("refuse "+name, len(text),
		newRun(us, unbounded, refuse(text)),
		newRun(jsonValid, limit, func() error {
			json.Valid(data)
			return nil
		}))
}

func refuse(text string) func() error {
	return func() error {
		if _, err := clarify.Parse(text); !errors.Is(err, clarify.ErrNotEnvelope) {
			return fmt.Errorf("not refused, but %v", err)
		}
		return nil
	}
}

// errorWork measures the refusal of a long error text and of a short one.
func errorWork() *work {
	long, short := foreign("long error"), foreign("short error")
	w := newWork("refuse an error", len(long), newRun("900 KiB", unbounded, refuse(long)), newRun("16 bytes", errorOfShort, refuse(short)))
	w.maxAllocs = 0
	return w
}

// growthWork measures what a prompt costs in a long envelope and in a short one.
func growthWork() *work {
	grow := func(n int, who string, limit float64) *run {
		text := growing(n)
		r := newRun(who, limit, func() error {
			_, err := clarify.Parse(text)
			return err
		})
		r.units = float64(n)
		return r
	}
	w := newWork("parse, a prompt", len(growing(10_001))-len(growing(10_000)),
		grow(10_000, "of 10,000", unbounded), grow(100, "of 100", growthOfSmall))
	w.growth = true
	return w
}
