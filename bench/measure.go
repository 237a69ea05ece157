package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// A work is one task that several libraries can do. The bounds are for the
// first of its runs: on its time divided by the time of each other run, and on
// what it allocates.
type work struct {
	name string
	size int // bytes of the input
	runs []*run

	maxAllocs float64 // of the first run, or unbounded
	growth    bool    // the first run may not allocate much more than the second
}

const unbounded = math.MaxFloat64

// A run is one library that does the work.
type run struct {
	who   string
	op    func() error
	units float64 // how many units of the work one op does
	limit float64 // on the first run's time divided by this one's, or unbounded

	perRound             []sample // each for one unit
	time, allocs, memory float64  // medians of perRound
	ratio                float64  // median of the first run's time divided by this one's in the same round
	iterations           int      // how often op runs in a round
}

type sample struct{ time, allocs, memory float64 }

func newWork(name string, size int, runs ...*run) *work {
	return &work{name: name, size: size, runs: runs, maxAllocs: unbounded}
}

func newRun(who string, limit float64, op func() error) *run {
	return &run{who: who, op: op, units: 1, limit: limit}
}

// measure does all works in every round. The runs of one work follow each other
// directly, so that other load on the machine slows all of them down.
func measure(works []*work, rounds int, duration time.Duration) error {
	for _, w := range works {
		for _, r := range w.runs {
			if err := r.op(); err != nil {
				return fmt.Errorf("%s, %s: %w", w.name, r.who, err)
			}
			r.calibrate(duration)
		}
	}
	for round := range rounds {
		for _, w := range works {
			for i := range w.runs { // each round begins with another run
				r := w.runs[(round+i)%len(w.runs)]
				r.perRound = append(r.perRound, r.sample())
			}
		}
	}
	for _, w := range works {
		first := w.runs[0].perRound
		for _, r := range w.runs {
			r.time = median(r.perRound, func(_ int, s sample) float64 { return s.time })
			r.allocs = median(r.perRound, func(_ int, s sample) float64 { return s.allocs })
			r.memory = median(r.perRound, func(_ int, s sample) float64 { return s.memory })
			r.ratio = median(r.perRound, func(round int, s sample) float64 { return first[round].time / s.time })
		}
	}
	return nil
}

// calibrate sets iterations to how often op runs in the duration.
func (r *run) calibrate(duration time.Duration) {
	r.iterations = 1
	for {
		start := time.Now()
		r.loop()
		took := time.Since(start)
		if took >= duration/2 || r.iterations >= 1<<30 {
			r.iterations = max(1, int(float64(r.iterations)*float64(duration)/float64(took)))
			return
		}
		r.iterations *= 2
	}
}

func (r *run) loop() {
	for range r.iterations {
		r.op()
	}
}

func (r *run) sample() sample {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	r.loop()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	units := float64(r.iterations) * r.units
	return sample{
		time:   float64(took.Nanoseconds()) / units,
		allocs: float64(after.Mallocs-before.Mallocs) / units,
		memory: float64(after.TotalAlloc-before.TotalAlloc) / units,
	}
}

func median(samples []sample, of func(round int, s sample) float64) float64 {
	var values []float64
	for round, s := range samples {
		values = append(values, of(round, s))
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
