// Package vectors embeds the test vectors. README.md says what they mean.
package vectors

import "embed"

// Files has the files of this folder.
//
//go:embed *.jsonl
var Files embed.FS
