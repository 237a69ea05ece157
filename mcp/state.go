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

// stateLife is how long a person has to answer.
const stateLife = 24 * time.Hour

// A clarify.Conversation does not fit here. A tool asks and is answered within one
// call, or by the client calling it again, so there are no turns; a session can have
// many calls at once; and between the two calls it is the client that keeps the state,
// so the state has to be signed.
//
// The client keeps a state between question and answer. It holds a number that is
// used once, the time when it expires, and a signature over both and over what
// the question is about.
const (
	nonceSize = 16
	stateSize = nonceSize + 8 + sha256.Size
)

type nonce [nonceSize]byte

// states issues states and remembers which were used.
type states struct {
	key []byte

	mu sync.Mutex
	// used has the states that were used since turn, before those of the period
	// before it. A period is as long as a state's life, so a state is
	// remembered at least until it expires.
	used, before map[nonce]bool
	turn         time.Time
}

func newStates(key []byte) *states {
	return &states{key: key, used: map[nonce]bool{}}
}

// binding returns what an answer is about: the question, in its canonical bytes,
// and the call that asked it. Each part is hashed, so that no two parts run into
// each other.
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

// sign appends the signature of b and about to b.
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
	return b, err == nil && len(b) == stateSize // DecodeString skips line breaks
}

// verify reports whether the state was issued for about and has not expired.
func (s *states) verify(state string, about []byte) bool {
	b, ok := decode(state)
	if !ok {
		return false
	}
	signed := b[: nonceSize+8 : nonceSize+8]
	expires := time.Unix(int64(binary.BigEndian.Uint64(b[nonceSize:])), 0)
	return hmac.Equal(s.sign(signed, about), b) && time.Now().Before(expires)
}

// use marks a state as used. It reports whether this is the first use. The state
// must be one that verify accepted.
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
