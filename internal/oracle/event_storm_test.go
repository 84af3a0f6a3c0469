package oracle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestEventStorm: a component writes Events of an access, with some time in between.
func TestEventStorm(t *testing.T) {
	const (
		fields = `"reason":"FailedGrantAccess","action":"Provision",`
		older  = `{"reason":"FailedGrantAccess","message":"no","involvedObject":{"kind":"BucketAccess","name":"app","resourceVersion":"7"}}`
	)
	regarding := func(version int) string {
		return fmt.Sprintf(`"regarding":{"kind":"BucketAccess","name":"app","resourceVersion":"%d"}}`, version)
	}
	same := func(int) string { return `{` + fields + `"note":"no",` + regarding(7) }
	storm := []summary{{vocabulary.Pace, "BucketAccess/app"}}
	tests := map[string]struct {
		reason   string
		verb     string
		count    int
		gap      time.Duration
		response func(int) string
		change   func(*journal.Event, int)
		want     []summary
	}{
		"Created":     {reason: "A recorder creates an Event once.", verb: "create", count: 6, response: same, want: storm},
		"CreatedSlow": {reason: "So it does with back-off.", verb: "create", count: 6, gap: 30 * time.Second, response: same, want: storm},
		"Patched":     {reason: "More than attempts explain.", verb: "patch", count: 21, response: same, want: storm},
		"OlderKind": {
			reason: "The Events of the core API are the same.", verb: "create", count: 6, response: func(int) string { return older }, want: storm,
		},
		"Few":       {reason: "An Event that is deleted is created again.", verb: "create", count: 5, response: same},
		"Counted":   {reason: "The older recorder patches a counter.", verb: "patch", count: 20, response: same},
		"Forgotten": {reason: "After six minutes a recorder has forgotten it.", verb: "create", count: 10, gap: 3 * time.Minute, response: same},
		"Failed": {
			reason: "The API server has not stored it.", verb: "create", count: 30, response: same,
			change: func(e *journal.Event, _ int) { e.Outcome = "Forbidden" },
		},
		"Notes": {
			reason: "They say different things.", verb: "create", count: 30,
			response: func(i int) string { return fmt.Sprintf(`{`+fields+`"note":"attempt %d",`, i) + regarding(7) },
		},
		"Versions": {
			reason: "They are about different states of the object.", verb: "create", count: 30,
			response: func(i int) string { return `{` + fields + `"note":"no",` + regarding(i) },
		},
		"Restarts": {
			reason: "A new process does not know what the last one wrote.", verb: "create", count: 30, response: same,
			change: func(e *journal.Event, i int) { e.Incarnation = i },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := lifecycle()
			for i := range tc.count {
				written := api("sidecar", tc.verb+" events", fmt.Sprintf("%s/app.%d", ns, i), `{}`, tc.response(i))
				if tc.change != nil {
					tc.change(&written, i)
				}
				s.before("fill", written)
			}
			first := s.index("grant") + 1
			in := s.history()
			for i := first; i < len(in.Events); i++ {
				in.Events[i].Time = in.Events[i].Time.Add(time.Duration(min(i-first, tc.count)) * tc.gap)
			}
			if diff := cmp.Diff(tc.want, summaries(oracle.Judge(in))); diff != "" {
				t.Errorf("%s\nfindings (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
