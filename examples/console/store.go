package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite
)

// This file is the database of both halves: a file of SQLite, or Postgres. Both
// get the same queries. Any number of processes can use one database.

// A store is the database.
type store struct{ db *sql.DB }

// These are the errors of somebody who comes too late.
var (
	errSaved = errors.New("somebody else has saved this turn")
	errTaken = errors.New("somebody else has written here")
	errGone  = errors.New("the conversation was deleted")
)

// migrations make the tables. Never change one: append another.
var migrations = []string{
	// The Console's half: conversations, and their entries as JSON.
	`CREATE TABLE conversation (id text PRIMARY KEY, latest bigint NOT NULL, title text NOT NULL)`,
	`CREATE INDEX conversation_latest ON conversation (latest)`,
	`CREATE TABLE entry (conversation text, position bigint, body text NOT NULL, PRIMARY KEY (conversation, position))`,
	`CREATE TABLE refused (conversation text, token text, body text NOT NULL, PRIMARY KEY (conversation, token))`,
	`CREATE TABLE forgotten (id text PRIMARY KEY)`,
	// The engine's half: turns as JSON, and the last one with the buckets after it.
	`CREATE TABLE turn (conversation text, number bigint, record text NOT NULL, PRIMARY KEY (conversation, number))`,
	`CREATE TABLE state (conversation text PRIMARY KEY, turn bigint NOT NULL, buckets text NOT NULL)`,
}

// openStore opens the database, which is the address of a Postgres database, such
// as postgres://user@host/name, or else the name of a file. It makes the file and
// the tables if they are missing.
func openStore(ctx context.Context, name string) (*store, error) {
	kind, source := "pgx", name
	if !strings.HasPrefix(name, "postgres://") && !strings.HasPrefix(name, "postgresql://") {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		// Only its owner can read the file. SQLite gives the files beside it the same mode.
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		file.Close()
		// A transaction takes the lock when it begins: one that reads first and writes
		// later could not get it. What is committed is on the disk.
		kind = "sqlite"
		source = "file:" + (&url.URL{Path: path}).EscapedPath() +
			"?_txlock=immediate&_pragma=busy_timeout(30000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=secure_delete(1)"
	}
	db, err := sql.Open(kind, source)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(16)
	if kind == "sqlite" {
		db.SetMaxOpenConns(1) // who waits for a lock is served in no order, who waits for a connection is
	}
	s := &store{db}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the database: %w", err), db.Close())
	}
	return s, nil
}

func (s *store) Close() error { return s.db.Close() }

// migrate runs the migrations that the database has not seen, each once, also if
// several processes start together.
func (s *store) migrate(ctx context.Context) error {
	const table = `CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY)`
	if _, err := s.db.ExecContext(ctx, table); err != nil {
		if _, err := s.db.ExecContext(ctx, table); err != nil { // Postgres refuses all but one that make it at once
			return err
		}
	}
	var seen int
	if err := s.db.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM migration`).Scan(&seen); err != nil {
		return err
	}
	if seen > len(migrations) {
		return errors.New("it was made by a newer version of this program")
	}
	for i, migration := range migrations {
		err := s.change(ctx, func(tx *sql.Tx) error {
			// The second of two waits here for the first.
			if err := insert(tx, errTaken, `INSERT INTO migration (number) VALUES ($1) ON CONFLICT DO NOTHING`, i+1); err != nil {
				return err
			}
			_, err := tx.Exec(migration)
			return err
		})
		if err != nil && err != errTaken {
			return err
		}
	}
	return nil
}

// change runs do in a transaction: all of it happens, or nothing.
func (s *store) change(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// insert runs a statement, and returns none if it changed no row.
func insert(tx *sql.Tx, none error, query string, args ...any) error {
	r, err := tx.Exec(query, args...)
	if err != nil {
		return err
	}
	switch n, err := r.RowsAffected(); {
	case err != nil:
		return err
	case n == 0:
		return none
	}
	return nil
}

// query calls each for every row.
func (s *store) query(ctx context.Context, each func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// timeline returns the conversation, from an entry on. It is empty if there is none.
func (s *store) timeline(ctx context.Context, id string, from int) (timeline []entry, err error) {
	err = s.query(ctx, func(scan func(...any) error) error {
		timeline = append(timeline, entry{})
		return scan(column{&timeline[len(timeline)-1]})
	}, `SELECT body FROM entry WHERE conversation = $1 AND position >= $2 ORDER BY position`, id, from)
	return timeline, err
}

// append adds entries to the conversation, from the position on: all, or none. The
// first entry begins the conversation. The error is errTaken if there is an entry
// already, and errGone if the conversation was deleted.
func (s *store) append(ctx context.Context, id string, position int, entries ...entry) error {
	return s.change(ctx, func(tx *sql.Tx) (err error) {
		now := time.Now().UnixMilli()
		if position == 0 {
			if err := isForgotten(tx, id); err != nil {
				return err
			}
			err = insert(tx, errTaken, `INSERT INTO conversation (id, latest, title) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, id, now, titleOf(entries[0]))
		} else {
			err = insert(tx, errGone, `UPDATE conversation SET latest = $2, title = CASE WHEN $3 = '' THEN title ELSE $3 END WHERE id = $1`, id, now, titleOf(entries[0]))
		}
		for i, e := range entries {
			if err == nil {
				err = insert(tx, errTaken, `INSERT INTO entry (conversation, position, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, id, position+i, column{e})
			}
		}
		if err == nil {
			_, err = tx.Exec(`DELETE FROM refused WHERE conversation = $1`, id)
		}
		return err
	})
}

// isForgotten returns errGone if the conversation was deleted.
func isForgotten(tx *sql.Tx, id string) error {
	var n int
	if err := tx.QueryRow(`SELECT count(*) FROM forgotten WHERE id = $1`, id).Scan(&n); err != nil || n == 0 {
		return err
	}
	return errGone
}

// keep stores a form that was refused, until another one is or the conversation goes
// on. It returns the token for refused.
func (s *store) keep(ctx context.Context, id string, r *refusal) (token string, err error) {
	token = rand.Text()
	return token, s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`DELETE FROM refused WHERE conversation = $1`, id); err != nil {
			return err
		}
		if err := insert(tx, errGone, `UPDATE conversation SET latest = latest WHERE id = $1`, id); err != nil { // and nobody deletes it now
			return err
		}
		_, err := tx.Exec(`INSERT INTO refused (conversation, token, body) VALUES ($1, $2, $3)`, id, token, column{r})
		return err
	})
}

// refused returns a form that was refused, or nil.
func (s *store) refused(ctx context.Context, id, token string) (r *refusal, err error) {
	err = s.query(ctx, func(scan func(...any) error) error { return scan(column{&r}) },
		`SELECT body FROM refused WHERE conversation = $1 AND token = $2`, id, token)
	return r, err
}

// forget deletes the conversation, and sees to it that nothing begins it again: not an
// old form, nor a turn that the engine still takes.
func (s *store) forget(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO forgotten (id) VALUES ($1) ON CONFLICT DO NOTHING`, id); err != nil {
			return err
		}
		for _, table := range []string{"conversation WHERE id", "refused WHERE conversation", "entry WHERE conversation", "state WHERE conversation", "turn WHERE conversation"} {
			if _, err := tx.Exec(`DELETE FROM `+table+` = $1`, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// A listed is a conversation in the list.
type listed struct {
	ID, Title string
	Latest    time.Time
}

// pageSize is how many conversations a page of the list has.
const pageSize = 20

// list returns a page of the conversations that hold the text, the latest first,
// and whether there are more.
func (s *store) list(ctx context.Context, text string, page int) (found []listed, more bool, err error) {
	like := func(text string) string { // as it stands in an entry
		said, _ := column{text}.Value()
		return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.Trim(fmt.Sprint(said), `"`)) + "%"
	}
	err = s.query(ctx, func(scan func(...any) error) error {
		var l listed
		var latest int64
		err := scan(&l.ID, &l.Title, &latest)
		l.Latest = time.UnixMilli(latest)
		found = append(found, l)
		return err
	}, `SELECT id, title, latest FROM conversation WHERE $1 = '%%' OR EXISTS (
			SELECT 1 FROM entry WHERE conversation = id AND (body LIKE $1 ESCAPE '\' OR lower(body) LIKE $2 ESCAPE '\'))
		ORDER BY latest DESC, id LIMIT $3 OFFSET $4`, like(text), like(strings.ToLower(text)), pageSize+1, page*pageSize)
	if more = len(found) > pageSize; more {
		found = found[:pageSize]
	}
	return found, more, err
}

// turn returns a turn of the conversation. If there is none, its Turn is 0.
func (s *store) turn(ctx context.Context, conversation string, number int) (rec turnRecord, err error) {
	return rec, s.query(ctx, func(scan func(...any) error) error { return scan(column{&rec}) },
		`SELECT record FROM turn WHERE conversation = $1 AND number = $2`, conversation, number)
}

// last returns the last turn of the conversation, and the buckets after it.
func (s *store) last(ctx context.Context, conversation string) (rec turnRecord, buckets map[string]bucket, err error) {
	err = s.query(ctx, func(scan func(...any) error) error { return scan(column{&rec}, column{&buckets}) },
		`SELECT record, buckets FROM state JOIN turn ON turn.conversation = state.conversation AND number = turn WHERE state.conversation = $1`, conversation)
	if rec.Turn == 0 {
		buckets = firstBuckets()
	}
	return rec, buckets, err
}

// saveTurn saves a turn and the buckets after it: the user's message, what it
// allowed, and the state of the conversation. It does so only if the last turn is
// still the one with the number after (compare and swap); else the error is
// errSaved, and nothing has changed.
func (s *store) saveTurn(ctx context.Context, rec turnRecord, after int, buckets map[string]bucket) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		if err := isForgotten(tx, rec.Conversation); err != nil {
			return err
		}
		swap, args := `INSERT INTO state (conversation, turn, buckets) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, []any{rec.Conversation, rec.Turn, column{buckets}}
		if after > 0 {
			swap, args = `UPDATE state SET turn = $2, buckets = $3 WHERE conversation = $1 AND turn = $4`, append(args, after)
		}
		if err := insert(tx, errSaved, swap, args...); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO turn (conversation, number, record) VALUES ($1, $2, $3)`, rec.Conversation, rec.Turn, column{rec})
		return err
	})
}

// A column holds v, or what v points to, as JSON.
type column struct{ v any }

// Value escapes no more than JSON needs, so that what was read within a limit is not
// stored in more.
func (c column) Value() (driver.Value, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(c.v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func (c column) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a %T in a column of JSON", src)
	}
	return json.Unmarshal([]byte(text), c.v)
}
