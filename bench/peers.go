package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"runtime/debug"

	"github.com/bytedance/sonic"
	experiment "github.com/go-json-experiment/json"
	"github.com/go-playground/validator/v10"
	goccy "github.com/goccy/go-json"
	google "github.com/google/jsonschema-go/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clarify-protocol/clarify-go"
)

// A flatEnvelope is what a user would write by hand: one struct for prompts of
// all kinds, without checks. The decoders ignore the validate tags.
type flatEnvelope struct {
	Protocol string       `json:"protocol" validate:"eq=appwrite.clarify/v1"`
	Title    string       `json:"title,omitempty" validate:"max=120"`
	Prompts  []flatPrompt `json:"prompts" validate:"min=1,max=5,unique=ID,dive"`
}

type flatPrompt struct {
	ID            string       `json:"id" validate:"clarifyid"`
	Kind          string       `json:"kind" validate:"oneof=choice confirm text"`
	Question      string       `json:"question" validate:"required,max=500"`
	Hint          string       `json:"hint,omitempty" validate:"max=500"`
	Required      bool         `json:"required"`
	Options       []flatOption `json:"options,omitempty" validate:"excluded_unless=Kind choice,omitempty,min=2,max=12,unique=ID,dive"`
	AllowMultiple bool         `json:"allowMultiple,omitempty"`
	ConfirmLabel  string       `json:"confirmLabel,omitempty" validate:"max=120"`
	CancelLabel   string       `json:"cancelLabel,omitempty" validate:"max=120"`
	Danger        bool         `json:"danger,omitempty"`
	Placeholder   string       `json:"placeholder,omitempty" validate:"max=200"`
	DefaultValue  string       `json:"defaultValue,omitempty" validate:"max=2000"`
	Multiline     bool         `json:"multiline,omitempty"`
}

type flatOption struct {
	ID          string `json:"id" validate:"clarifyid"`
	Label       string `json:"label" validate:"required,max=120"`
	Description string `json:"description,omitempty" validate:"max=300"`
}

const (
	us             = "clarify"
	encodingJSON   = "encoding/json"
	jsonValid      = "json.Valid"
	nameSonic      = "bytedance/sonic"
	nameGoccy      = "goccy/go-json"
	nameExperiment = "go-json-experiment/json"
	nameSanthosh   = "santhosh-tekuri/jsonschema"
	nameGoogle     = "google/jsonschema-go"
	nameValidator  = "go-playground/validator"
)

// peers are the libraries that a user could choose instead. misses says what
// each of them leaves to the user.
var peers = []struct{ name, module, misses string }{
	{us, "github.com/clarify-protocol/clarify-go", "nothing: it checks the whole contract"},
	{encodingJSON, "", "any rule: ids, kinds, blank strings, counts, lengths, defaults; accepts keys in any case; one prompt of the wrong shape makes the whole envelope fail"},
	{nameSonic, "github.com/bytedance/sonic", "like encoding/json; also accepts control characters and invalid UTF-8"},
	{nameGoccy, "github.com/goccy/go-json", "like encoding/json"},
	{nameExperiment, "github.com/go-json-experiment/json", "like encoding/json, but keys are exact, and it refuses duplicate keys and invalid UTF-8"},
	{jsonValid, "", "anything but the syntax; returns no value"},
	{nameSanthosh, "github.com/santhosh-tekuri/jsonschema/v6", "the bytes, because it gets a decoded value; that ids are unique; does not trim or fill in defaults"},
	{nameGoogle, "github.com/google/jsonschema-go", "like santhosh-tekuri/jsonschema"},
	{nameValidator, "github.com/go-playground/validator/v10", "the bytes, because it gets decoded structs; blank strings, flags of another type, a choice without options; does not trim or fill in defaults"},
}

// version returns the version of the module that this program was built with.
func version(module string) string {
	if module == "" {
		return "standard library"
	}
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == module && m.Replace == nil {
			return m.Version
		}
	}
	return "this checkout"
}

// decoders decode the same bytes into flat structs. Each one gets the input as
// the type, string or []byte, with which it is fastest.
var decoders = []struct {
	name   string
	decode func(text string, data []byte, v any) error
}{
	{encodingJSON, func(_ string, data []byte, v any) error { return json.Unmarshal(data, v) }},
	{nameSonic, func(text string, _ []byte, v any) error { return sonic.UnmarshalString(text, v) }},
	{nameGoccy, func(_ string, data []byte, v any) error { return goccy.Unmarshal(data, v) }},
	{nameExperiment, func(_ string, data []byte, v any) error { return experiment.Unmarshal(data, v) }},
}

var encoders = []struct {
	name   string
	encode func(v any) ([]byte, error)
}{
	{encodingJSON, json.Marshal},
	{nameSonic, sonic.Marshal},
	{nameGoccy, goccy.Marshal},
	{nameExperiment, func(v any) ([]byte, error) { return experiment.Marshal(v) }},
}

// schemaValidators returns validators that check a decoded value against this
// library's schema of an envelope.
func schemaValidators() []schemaValidator {
	const name = "envelope.json"
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(clarify.EnvelopeSchema()))
	must(err)
	compiler := santhosh.NewCompiler()
	must(compiler.AddResource(name, doc))
	compiled, err := compiler.Compile(name)
	must(err)

	var schema google.Schema
	must(json.Unmarshal(clarify.EnvelopeSchema(), &schema))
	resolved, err := schema.Resolve(nil)
	must(err)

	return []schemaValidator{{nameSanthosh, compiled.Validate}, {nameGoogle, resolved.Validate}}
}

type schemaValidator struct {
	name     string
	validate func(v any) error
}

// tagValidator returns a validator that checks the tags of a flatEnvelope.
func tagValidator() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	id := regexp.MustCompile(clarify.IDPattern)
	must(v.RegisterValidation("clarifyid", func(f validator.FieldLevel) bool { return id.MatchString(f.Field().String()) }))
	return v
}
