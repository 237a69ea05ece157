package clarifymcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateLife is how long a person has to answer.
const stateLife = 24 * time.Hour

// states issues states and remembers which were used. The client keeps a state between
// question and answer. It has a number that is used once, the time when it expires, and
// a signature over both and over what the question is about.
//
// A clarify.Conversation does not fit here: a tool asks and is answered within one call,
// or by the client calling it again, so there are no turns, and a session can have many
// calls at once.
type states struct {
	key []byte

	mu sync.Mutex
	// used has the states that were used since turn, before those of the period
	// before it. A period is as long as a state's life, so a state is
	// remembered at least until it expires.
	used, before map[string]bool
	turn         time.Time
}

func newStates(key []byte) *states {
	return &states{key: key, used: map[string]bool{}}
}

// binding returns what an answer is about: the question, in its canonical bytes,
// and the call that asked it.
func binding(req *mcp.CallToolRequest, question string) []string {
	user := ""
	if req.Extra != nil && req.Extra.TokenInfo != nil {
		user = req.Extra.TokenInfo.UserID
	}
	return []string{question, req.Params.Name, string(req.Params.Arguments), user}
}

func (s *states) issue(about []string) string {
	return s.state(rand.Text(), time.Now().Add(stateLife).Unix(), about)
}

func (s *states) state(number string, expires int64, about []string) string {
	signed := fmt.Sprintf("%s.%d", number, expires)
	mac := hmac.New(sha256.New, s.key)
	for _, part := range append([]string{"clarifymcp", signed}, about...) {
		fmt.Fprintf(mac, "%d:%s", len(part), part) // so that no two parts run into each other
	}
	return fmt.Sprintf("%s.%x", signed, mac.Sum(nil))
}

// verify reports whether the state was issued for about and has not expired.
func (s *states) verify(state string, about []string) bool {
	number, rest, _ := strings.Cut(state, ".")
	seconds, _, _ := strings.Cut(rest, ".")
	expires, _ := strconv.ParseInt(seconds, 10, 64)
	return hmac.Equal([]byte(state), []byte(s.state(number, expires, about))) && time.Now().Before(time.Unix(expires, 0))
}

// use marks a state as used. It reports whether this is the first use. The state
// must be one that verify accepted.
func (s *states) use(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.turn) > stateLife {
		s.used, s.before, s.turn = map[string]bool{}, s.used, now
	}
	if s.used[state] || s.before[state] {
		return false
	}
	s.used[state] = true
	return true
}
