package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	clarify "github.com/clarify-protocol/clarify-go"
)

// This file is the agent: a script in place of a model. It follows the contract's
// rules for an agent. It asks when a detail is missing or something would be
// lost. It asks everything in one call. It goes on only if the reply allows it.

// opening is the user's first message.
const opening = "We are nearly out of storage. Please make room."

// guarded is the bucket that needs one more question before it is deleted.
const guarded = "backups"

func firstBuckets() map[string]bucket {
	return map[string]bucket{
		"avatars":    {"fra", files("avatar-%03d.png", 64)},
		"uploads":    {"fra", files("upload-%03d.pdf", 12)},
		"thumbnails": {"fra", files("thumb-%03d.webp", 310)},
		"logs":       {"nyc", files("2026-%03d.log.gz", 48)},
		guarded:      {"syd", files("database-%03d.dump", 7)},
	}
}

func files(format string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(format, i+1)
	}
	return names
}

// regions are the places where a bucket can be.
var regions = []clarify.Option{
	{ID: "fra", Label: "Frankfurt"},
	{ID: "nyc", Label: "New York"},
	{ID: "syd", Label: "Sydney"},
}

// A plan is what the agent will do if the user agrees, as far as it is known. The
// engine keeps it with the question, so an answer can only start what that question
// asked about.
type plan struct {
	Turn    int      `json:"turn"` // in which the question was asked
	Job     string   `json:"job"`  // jobDelete or jobCreate
	Buckets []string `json:"buckets,omitempty"`
	Archive string   `json:"archive,omitempty"` // for a jobDelete, the new bucket that gets copies
	Guarded bool     `json:"guarded,omitempty"` // the question about the guarded bucket was asked
	Name    string   `json:"name,omitempty"`
	Region  string   `json:"region,omitempty"`
}

const (
	jobDelete = "delete"
	jobCreate = "create"
)

// These are the ids of the agent's prompts.
const (
	askBuckets = "buckets"
	askArchive = "archive"
	askDelete  = "confirm_delete"
	askGuarded = "confirm_backups"
	askName    = "name"
	askRegion  = "region"
)

// id returns the id of a prompt of the plan's question. A later question has other
// ids than the first one, because an id stands for one question in a conversation.
func (p plan) id(name string) string {
	if p.Turn == 1 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, p.Turn)
}

// script takes one turn.
func script(t *turn) error {
	switch {
	case t.plan == nil || t.reply.Source() == clarify.SourceChat:
		return t.command()
	case t.plan.Job == jobDelete:
		return t.deleteAnswered(*t.plan)
	default:
		return t.createAnswered(*t.plan)
	}
}

// command handles a message that does not answer a question.
func (t *turn) command() error {
	if _, err := clarify.ParseAnswers(t.record.Message); err == nil {
		t.say("These answers belong to no question that is open. I changed nothing.")
		return nil
	}
	text := strings.ToLower(t.record.Message)
	switch {
	case strings.Contains(text, "create"):
		return t.askCreate(plan{}, "I can create a bucket. I need two details.")
	case strings.Contains(text, "delete"):
		var named []string
		for _, name := range t.names() {
			if slices.Contains(words.FindAllString(text, -1), name) {
				named = append(named, name)
			}
		}
		return t.askDelete(plan{Buckets: named}, "One answer before I delete anything.")
	case strings.Contains(text, "room"), strings.Contains(text, "clean"):
		t.list()
		return t.askDelete(plan{}, "Here is what fills the storage. I need your decision before I delete anything.")
	case strings.Contains(text, "list"):
		t.list()
		t.say("These are your buckets.")
		return nil
	}
	t.say("I changed nothing. You can write: make room, delete logs, create a bucket, or list.")
	return nil
}

var words = regexp.MustCompile(`[a-z0-9-]+`)

// deleteAnswered goes on with a deletion after the user's answer.
func (t *turn) deleteAnswered(p plan) error {
	if t.reply.State() == clarify.StateCancelled {
		t.say("Nothing was deleted.")
		return nil
	}
	if chosen := t.reply.Values(p.id(askBuckets)); chosen != nil {
		p.Buckets = chosen
	}
	archive, named := t.reply.Text(p.id(askArchive))
	if named {
		p.Archive = strings.TrimSpace(archive)
	}
	switch _, taken := t.buckets[p.Archive]; {
	case !t.talk.Use(t.asked):
		return t.askDelete(p, "I deleted nothing yet: the answer is not complete.")
	case p.Archive != "" && !named && !p.Guarded:
		p.Archive = ""
		return t.askDelete(p, "I deleted nothing yet: you named an archive before, and none now. Confirm once more to keep no copies.")
	case p.Archive != "" && !bucketName.MatchString(p.Archive):
		return t.askDelete(p, "I deleted nothing yet: the archive needs another name. "+nameRule)
	case taken:
		return t.askDelete(p, "I deleted nothing yet: there already is a bucket with the archive's name.")
	case slices.Contains(p.Buckets, guarded) && !p.Guarded:
		return t.askGuarded(p)
	}
	if p.Archive != "" {
		if err := t.create(p.Archive, regions[0].ID); err != nil {
			return err
		}
		for _, name := range p.Buckets {
			if err := t.change(change{Do: doCopy, Bucket: name, To: p.Archive}); err != nil {
				return err
			}
		}
		t.tool("copy_files", strings.Join(p.Buckets, ", ")+" → "+p.Archive)
	}
	for _, name := range p.Buckets {
		count := len(t.buckets[name].Files)
		if err := t.change(change{Do: doDelete, Bucket: name}); err != nil {
			return err
		}
		t.tool("delete_bucket", name+", "+plural(count, "file"))
	}
	t.say("Done: deleted %s. %s left.", join(p.Buckets), plural(len(t.buckets), "bucket"))
	return nil
}

// askDelete asks for the details that are not known yet, and for a yes.
func (t *turn) askDelete(p plan, why string) error {
	p.Turn, p.Job, p.Guarded = t.record.Turn, jobDelete, false
	names := t.names()
	if len(names) < clarify.MinOptions {
		p.Buckets = names // too few to choose from
	}
	if len(names) == 0 {
		t.say("There is no bucket left.")
		return nil
	}
	e := &clarify.Envelope{Title: "Before I delete anything"}
	question := fmt.Sprintf("Delete %s with every file in it?", join(p.Buckets))
	if len(p.Buckets) == 0 {
		question = "Delete the buckets that you chose, with every file in them?"
		choice := &clarify.Choice{AllowMultiple: true}
		for _, name := range names {
			description := plural(len(t.buckets[name].Files), "file")
			if name == guarded {
				description += ", kept nowhere else"
			}
			choice.Options = append(choice.Options, clarify.Option{ID: name, Label: name, Description: description})
		}
		e.Prompts = append(e.Prompts, clarify.Prompt{ID: p.id(askBuckets), Question: "Which buckets can go?", Input: choice})
	}
	e.Prompts = append(e.Prompts,
		clarify.Prompt{
			ID:       p.id(askArchive),
			Question: "Keep copies of their files in a new bucket?",
			Hint:     "Its name. Leave it empty to keep none.",
			Optional: true,
			Input:    &clarify.Text{Placeholder: "archive-2026", DefaultValue: fitting(p.Archive)},
		},
		clarify.Prompt{
			ID:       p.id(askDelete),
			Question: question,
			Hint:     "This cannot be undone.",
			Input:    &clarify.Confirm{ConfirmLabel: "Delete", CancelLabel: "Keep everything", Danger: true},
		})
	t.say("%s", why)
	return t.ask(e, p)
}

// askGuarded asks once more, because the guarded bucket would be deleted.
func (t *turn) askGuarded(p plan) error {
	p.Turn, p.Guarded = t.record.Turn, true
	t.say("I deleted nothing yet. One more question.")
	return t.ask(&clarify.Envelope{Prompts: []clarify.Prompt{{
		ID:       p.id(askGuarded),
		Question: fmt.Sprintf("Delete %s, although %s holds the only copies of your databases?", join(p.Buckets), guarded),
		Hint:     "This cannot be undone.",
		Input: &clarify.Confirm{
			ConfirmLabel: "Delete " + plural(len(p.Buckets), "bucket"),
			CancelLabel:  "Keep everything",
			Danger:       true,
		},
	}}}, p)
}

// createAnswered goes on with a new bucket. A new bucket destroys nothing, so
// there was no confirm, and a complete answer is enough.
func (t *turn) createAnswered(p plan) error {
	if name, ok := t.reply.Text(p.id(askName)); ok {
		p.Name = strings.TrimSpace(name)
	}
	if chosen := t.reply.Values(p.id(askRegion)); chosen != nil {
		p.Region = chosen[0]
	}
	switch _, taken := t.buckets[p.Name]; {
	case t.reply.State() != clarify.StateComplete || p.Name == "" || p.Region == "":
		return t.askCreate(p, "I created nothing yet: the answer is not complete.")
	case !bucketName.MatchString(p.Name):
		return t.askCreate(p, "I created nothing yet: the bucket needs another name. "+nameRule)
	case taken:
		return t.askCreate(p, "I created nothing yet: there already is a bucket with this name.")
	case len(t.buckets) == clarify.MaxOptions:
		t.say("I created nothing: %s is the most that I can look after.", plural(clarify.MaxOptions, "bucket"))
		return nil
	}
	if err := t.create(p.Name, p.Region); err != nil {
		return err
	}
	t.say("Done: there is a new bucket, %s.", p.Name)
	return nil
}

// askCreate asks for the details of a new bucket.
func (t *turn) askCreate(p plan, why string) error {
	p.Turn, p.Job = t.record.Turn, jobCreate
	t.say("%s", why)
	return t.ask(&clarify.Envelope{Title: "A new bucket", Prompts: []clarify.Prompt{
		{
			ID:       p.id(askName),
			Question: "What is it called?",
			Hint:     nameRule,
			Input:    &clarify.Text{Placeholder: "photos", DefaultValue: fitting(p.Name)},
		},
		{ID: p.id(askRegion), Question: "Where is it?", Input: &clarify.Choice{Options: regions}},
	}}, p)
}

var bucketName = regexp.MustCompile(`^[a-z][a-z0-9-]{2,23}$`)

const nameRule = "3 to 24 small letters, digits and dashes, a letter first."

func (t *turn) create(name, region string) error {
	if err := t.change(change{Do: doCreate, Bucket: name, Region: region}); err != nil {
		return err
	}
	t.tool("create_bucket", name)
	return nil
}

func (t *turn) list() {
	total := 0
	for _, b := range t.buckets {
		total += len(b.Files)
	}
	t.tool("list_buckets", fmt.Sprintf("%s, %s: %s",
		plural(len(t.buckets), "bucket"), plural(total, "file"), cmp.Or(strings.Join(t.names(), ", "), "none")))
}

func (t *turn) names() []string { return slices.Sorted(maps.Keys(t.buckets)) }

// fitting returns what the user wrote as a default for the same field, or nothing if it
// is too long for one.
func fitting(s string) string {
	if utf8.RuneCountInString(s) > clarify.MaxDefaultValue {
		return ""
	}
	return s
}

// join joins names as in a sentence.
func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
