package clarifymcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateLife is how long a person may think.
const stateLife = 24 * time.Hour

// A state is what the client keeps between question and answer: a number that
// is used once, when it expires, and a signature over both and what the
// question was about.
const (
	nonceSize = 16
	stateSize = nonceSize + 8 + sha256.Size
)

type nonce [nonceSize]byte

// states issues states and knows which were used.
type states struct {
	key []byte

	mu sync.Mutex
	// used has those of this life, before those of the one before: a state is
	// remembered at least until it expires.
	used, before map[nonce]bool
	turn         time.Time
}

func newStates(key []byte) *states {
	return &states{key: key, used: map[nonce]bool{}}
}

// binding is what an answer is about: the question, in its canonical bytes, and
// the call that asked it.
func binding(req *mcp.CallToolRequest, question string) []byte {
	user := ""
	if req.Extra != nil && req.Extra.TokenInfo != nil {
		user = req.Extra.TokenInfo.UserID
	}
	var b []byte
	for _, part := range []string{"clarifymcp", question, req.Params.Name, string(req.Params.Arguments), user} {
		sum := sha256.Sum256([]byte(part))
		b = append(b, sum[:]...)
	}
	return b
}

func (s *states) issue(about []byte) string {
	b := make([]byte, nonceSize, stateSize)
	rand.Read(b)
	b = binary.BigEndian.AppendUint64(b, uint64(time.Now().Add(stateLife).Unix()))
	return base64.RawURLEncoding.EncodeToString(s.sign(b, about))
}

// sign appends the signature to b.
func (s *states) sign(b, about []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(b)
	mac.Write(about)
	return mac.Sum(b)
}

func decode(state string) ([]byte, bool) {
	if len(state) > base64.RawURLEncoding.EncodedLen(stateSize) {
		return nil, false
	}
	b, err := base64.RawURLEncoding.DecodeString(state)
	return b, err == nil && len(b) == stateSize // it skips line breaks
}

// verify reports whether the state was issued about this, and has not expired.
func (s *states) verify(state string, about []byte) bool {
	b, ok := decode(state)
	if !ok {
		return false
	}
	signed := b[: nonceSize+8 : nonceSize+8]
	expires := time.Unix(int64(binary.BigEndian.Uint64(b[nonceSize:])), 0)
	return hmac.Equal(s.sign(signed, about), b) && time.Now().Before(expires)
}

// use reports whether a state that verify accepted was not used before.
func (s *states) use(state string) bool {
	b, _ := decode(state)
	n := nonce(b[:nonceSize])
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.turn) > stateLife {
		s.used, s.before, s.turn = map[nonce]bool{}, s.used, now
	}
	if s.used[n] || s.before[n] {
		return false
	}
	s.used[n] = true
	return true
}
