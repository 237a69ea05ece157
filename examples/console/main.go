// Console is both halves of the protocol in one program. One half is an agent
// engine that deletes things and must ask first. The other half is a Console
// that shows the engine's questions as forms in a web page, which works without JavaScript.
//
//	go run -C examples/console .
//	go run -C examples/console . -db postgres://user@host/name
//
// The program prints an address. Open it in a browser: the first page holds a
// question. Everyone who can reach the address can use it; by default, only this
// machine can. With -engine the Console talks to another engine, over HTTP, as
// wire.go describes.
//
// The agent is a script (script.go) that looks after a few buckets. The library is
// used in these places:
//   - engine.take reads the message, turn.ask asks, turn.change refuses a change
//     beside a question, and deleteAnswered acts once: all four with a
//     Conversation. store.saveTurn says when its state may be saved.
//   - console.turn reads the engine's events (ParseEvent), and replay finds the
//     question that waits (Conversation.Event).
//   - conversation.view shows questions, and console.take reads what is posted
//     (package htmlform).
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		log.Fatal(err)
	}
}

// stopTimeout is the longest wait for running turns at the end. A test makes it shorter.
var stopTimeout = 5 * time.Second

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("console", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` of the Console")
	engineURL := flags.String("engine", "", "`URL` of another engine; this program's own if empty")
	name := flags.String("db", "", "the `database`: the name of an SQLite file, or postgres://…; a file in your cache folder if empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if u, err := url.Parse(*engineURL); *engineURL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("-engine %q is not the URL of an engine", *engineURL)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	if *name == "" {
		folder, err := os.UserCacheDir()
		if err == nil {
			err = os.MkdirAll(folder, 0o700)
		}
		if err != nil {
			return fmt.Errorf("name a database with -db: %w", err)
		}
		*name = filepath.Join(folder, "clarify-console.db")
	}
	shown := *name // without a password
	if scheme, rest, ok := strings.Cut(shown, "://"); ok {
		rest, _, _ = strings.Cut(rest, "?")
		shown = scheme + "://" + rest[strings.LastIndex(rest, "@")+1:]
	}
	fmt.Fprintf(out, "Console  http://%s/\ndatabase %s\n", listener.Addr(), shown)
	db, err := openStore(ctx, *name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }() // runs last

	if *engineURL == "" {
		// Only this machine can reach the engine, even if others can reach the Console.
		at, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		server := newServer(protect(&engine{script, db}, true))
		go server.Serve(at)
		defer func() { // runs after the Console has ended its turns
			err = errors.Join(err, shutdown(server))
		}()
		*engineURL = "http://" + at.Addr().String() + "/"
	}
	fmt.Fprintf(out, "engine   %s\n", *engineURL)

	c := newConsole(db, *engineURL)
	if there, _, err := db.list(ctx, "", 0); err != nil {
		return err
	} else if len(there) == 0 {
		if err := c.open(ctx, rand.Text()); err != nil { // so that the first page holds a question
			return err
		}
	}
	server := newServer(protect(c.handler(), listener.Addr().(*net.TCPAddr).IP.IsLoopback()))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	defer time.AfterFunc(stopTimeout, c.stop).Stop()
	err = errors.Join(err, shutdown(server))
	c.Close()
	return err
}

// newServer returns a server with a limit on every wait.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      turnTimeout + 10*time.Second, // of an engine's turn, and of liveTime
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
}

func shutdown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*stopTimeout)
	defer cancel()
	return server.Shutdown(ctx)
}

// protect refuses requests that another site makes a browser send. It also tells
// the browser to load and run only what this server sends.
func protect(h http.Handler, loopback bool) http.Handler {
	h = http.NewCrossOriginProtection().Handler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if loopback && !isLoopback(r.Host) {
			// The name of another site resolves to this machine.
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func isLoopback(hostport string) bool {
	u := url.URL{Host: hostport}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
