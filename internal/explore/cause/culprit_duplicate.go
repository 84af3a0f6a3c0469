package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// duplicated blames the driver for the second of two identical calls: the driver must answer it as
// the first, and do nothing more.
func (s *search) duplicated(findings []checks.Finding) (culprit, bool) {
	for _, e := range s.faulted {
		if !isDriverCall(e) || !s.faultOf(e).Duplicate || (run.Point{Seam: e.Seam, Operation: e.Operation.Name}).Reads() {
			continue
		}
		if e.Failed() {
			if s.isDriversLastWord(e) {
				return s.answeredDuplicate(e), true
			}
			continue
		}
		at := slices.IndexFunc(findings, func(f checks.Finding) bool { return s.isSecondResource(e, f) })
		if at >= 0 {
			return culprit{
				cause: s.cause(e, "acts twice"), seen: []journal.Event{e},
				text: fmt.Sprintf("driver acted twice for two identical calls %s: %s", s.names(e.Operation.String()), findings[at].Message),
			}, true
		}
	}
	return culprit{}, false
}

// isDriversLastWord reports whether the driver answered the second call with an error that the
// caller does not have to retry, or never answered it with success when the caller did.
func (s *search) isDriversLastWord(e journal.Event) bool {
	if e.Outcome == "DeadlineExceeded" || s.unanswered(e) {
		return false
	}
	again := slices.DeleteFunc(s.alike(e, s.events), func(other journal.Event) bool { return !other.Time.After(e.Time) })
	return !slices.ContainsFunc(again, hasEffect) && (len(again) > 0 || !isRetriable(e))
}

func (s *search) answeredDuplicate(e journal.Event) culprit {
	c := culprit{cause: s.cause(e, e.Outcome), seen: []journal.Event{e}}
	c.text = fmt.Sprintf("driver answered the second of two identical calls %s with %s", s.names(e.Operation.String()), s.outcome(e))
	ok := func(other journal.Event) bool { return other.Outcome == journal.OutcomeOK }
	atDriver := func(other journal.Event) bool {
		return other.Seam == e.Seam && !isDriverCall(other) && other.Operation == e.Operation && ok(other)
	}
	usual := s.inClean(e)
	inClean := slices.IndexFunc(usual, ok)
	switch {
	case slices.ContainsFunc(s.events, atDriver):
		c.text += "; it had answered the first with OK"
	case inClean >= 0 && len(s.requestDiff(e, s.clean, usual[inClean])) == 0:
		c.text += "; without faults it answers the same request with OK"
	}
	return c
}

// isSecondResource reports whether a finding is a leak of a bucket or an account that the call
// created, and that its caller does not know.
func (s *search) isSecondResource(e journal.Event, f checks.Finding) bool {
	kind, id, _ := strings.Cut(f.Subject, " ")
	creates := map[string]string{"DriverCreateBucket": "bucket", "DriverGrantBucketAccess": "account"}
	if f.Oracle != vocabulary.Leak || kind == "" || creates[e.Operation.Name] != kind {
		return false
	}
	return !slices.ContainsFunc(s.events, func(call journal.Event) bool {
		return isDriverCall(call) && s.names(call.Operation.Subject) == id
	})
}
