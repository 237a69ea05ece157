// Command bench measures this library against the libraries that a user could
// choose instead. All of them get the same inputs, in one run, in turns.
//
//	go run .                               prints the tables
//	go run . -check 2 -rounds 5 -time 2ms  exits with 1 if a time is over twice its bound
//
// From the root of the repository use go run -C bench instead of go run. The
// file README.md has the results and says what they mean.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bytedance/sonic"
)

func main() {
	rounds := flag.Int("rounds", 21, "the `number` of rounds; the tables have the medians")
	duration := flag.Duration("time", 5*time.Millisecond, "the time of one measurement in a round")
	check := flag.Float64("check", 0, "fail if a time is over its bound times this `factor`; 0 only prints")
	flag.Parse()
	missed, err := bench(os.Stdout, *rounds, *duration, cmp.Or(*check, 1))
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if *check != 0 && missed > 0 {
		os.Exit(1)
	}
}

// bench measures, prints the tables and returns how many bounds were missed.
func bench(out io.Writer, rounds int, duration time.Duration, factor float64) (missed int, err error) {
	if rounds < 1 || duration <= 0 || factor <= 0 {
		return 0, fmt.Errorf("rounds %d, time %v, check %v: want more than 0", rounds, duration, factor)
	}
	all := works()
	if err := measure(all, rounds, duration); err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "%s %s/%s, %d CPUs; medians of %d rounds of %v.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds, duration)
	printPeers(out)
	fmt.Fprintln(out, "The ratio is the time of the first line of a work divided by the time of this line. In the work call,")
	fmt.Fprintf(out, "the peers get the prompts as an array, not as a string. All bounds on times are multiplied by %g.\n\n", factor)
	j := judge{factor: factor}
	printWorks(out, all, &j)
	fmt.Fprintf(out, "%d of %d bounds hold.\n", j.bounds-len(j.missed), j.bounds)
	for _, what := range j.missed {
		fmt.Fprintln(out, "Missed:", what)
	}
	return len(j.missed), nil
}

func printPeers(out io.Writer) {
	rows := [][]string{{"peer", "version", "what it does not check"}}
	for _, p := range peers {
		v := version(p.module)
		if p.name == nameSonic && sonic.APIKind == sonic.UseStdJSON {
			v += ", which is only encoding/json here"
		}
		rows = append(rows, []string{p.name, v, p.misses})
	}
	table(out, rows)
}

func printWorks(out io.Writer, all []*work, j *judge) {
	rows := [][]string{{"work", "bytes", "who", "time", "ratio", "bound", "allocations", "allocated bytes"}}
	for _, w := range all {
		for i, r := range w.runs {
			row := []string{"", "", r.who, nanoseconds(r.time), "", "", strconv.Itoa(int(r.allocs)), strconv.Itoa(int(r.memory))}
			if i == 0 {
				row[0], row[1] = w.name, strconv.Itoa(w.size)
				// Noise does not change these counts, so the factor does not apply.
				row[6] += j.exactly(w.name+", allocations", row[6], math.Floor(r.allocs), w.maxAllocs)
				if w.growth {
					row[7] += j.exactly(w.name+", memory", row[7], r.memory, growthOfSmall*w.runs[1].memory)
				}
			} else {
				row[4] = fmt.Sprintf("%.2f", r.ratio)
				row[5] = j.time(w.name+" against "+r.who, row[4], r.ratio, r.limit)
			}
			rows = append(rows, row)
		}
	}
	table(out, rows)
}

// A judge compares results with their bounds.
type judge struct {
	factor float64 // multiplies bounds on times
	bounds int
	missed []string
}

func (j *judge) time(what, shown string, got, limit float64) string {
	if limit == unbounded {
		return ""
	}
	return strings.TrimPrefix(j.exactly(what, shown, got, limit*j.factor), ", ")
}

func (j *judge) exactly(what, shown string, got, limit float64) string {
	if limit >= unbounded {
		return ""
	}
	j.bounds++
	bound := fmt.Sprintf("≤ %.4g", limit)
	if got > limit {
		j.missed = append(j.missed, fmt.Sprintf("%s: %s, want %s", what, shown, bound))
		return ", " + bound + " MISSED"
	}
	return ", " + bound + " holds"
}

// nanoseconds formats a time with three digits.
func nanoseconds(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	}
	return fmt.Sprintf("%.3g ns", ns)
}

// table prints rows as a Markdown table with aligned columns.
func table(out io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := func(row []string) {
		for i, cell := range row {
			fmt.Fprint(out, "| ", cell, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
		}
		fmt.Fprintln(out, "|")
	}
	line(rows[0])
	for _, width := range widths {
		fmt.Fprint(out, "|", strings.Repeat("-", width+2))
	}
	fmt.Fprintln(out, "|")
	for _, row := range rows[1:] {
		line(row)
	}
	fmt.Fprintln(out)
}
