package eventscope_test

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

func TestScopeNames(t *testing.T) {
	tests := map[string]struct {
		scope eventscope.Scope
		name  string
		want  bool
	}{
		"Word":      {eventscope.Scope{Words: []string{"story-1"}}, "one.story-1", true},
		"Path":      {eventscope.Scope{Words: []string{"story-1"}}, "story-1/photos", true},
		"Longer":    {eventscope.Scope{Words: []string{"story-1"}}, "story-10/photos", false},
		"Both":      {eventscope.Scope{Words: []string{"story-1"}}, "story-10.story-1", true},
		"Inside":    {eventscope.Scope{Words: []string{"story-1"}}, "mystory-1", false},
		"Empty":     {eventscope.Scope{Words: []string{""}}, "anything", false},
		"Alone":     {eventscope.Scope{Alone: true}, "anything", true},
		"Left":      {eventscope.Scope{Alone: true, Others: []string{"story-7"}}, "one.story-7", false},
		"Namespace": {eventscope.Scope{Namespaces: []string{"story-1"}}, "story-1", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.scope.Names(tc.name); got != tc.want {
				t.Errorf("Names(%q) = %t, want %t", tc.name, got, tc.want)
			}
		})
	}
}

func TestScopeConcerns(t *testing.T) {
	own := eventscope.Scope{Namespaces: []string{"story-1"}, Words: []string{"story-1"}, Others: []string{"story-7"}}
	alone := own
	alone.Alone = true
	event := func(seam journal.Seam, component, subject, message string) journal.Event {
		return journal.Event{Seam: seam, Component: component, Operation: journal.Operation{Subject: subject}, Message: message}
	}
	tests := map[string]struct {
		reason           string
		event            journal.Event
		wantOwn, wantAll bool
	}{
		"Subject":   {"It names the namespace.", event(journal.SeamAPI, "controller", "story-1/photos", ""), true, true},
		"Component": {"It is a component of the run.", event(journal.SeamRPC, "sidecar.x.story-1", "b", ""), true, true},
		"Unknown":   {"No other component can have caused it.", event(journal.SeamRPC, "sidecar", "b", ""), false, true},
		"Other":     {"Another run left it behind.", event(journal.SeamAPI, "controller", "story-7/photos", ""), false, false},
		"Shared":    {"All runs share the controller.", event(journal.SeamProcess, "controller", "", ""), true, true},
		"Replica":   {"All runs share the second replica of the sidecar.", event(journal.SeamProcess, "sidecar.2", "", ""), true, true},
		"Control":   {"All runs share the API server.", event(journal.SeamProcess, "kube-apiserver", "", ""), true, true},
		"Foreign":   {"It is a component of another run.", event(journal.SeamProcess, "driver.x.story-7", "", ""), false, false},
		"Log":       {"The message names an object.", event(journal.SeamLog, "controller", "", "reconcile story-1/photos"), true, true},
		"OtherLog":  {"The message names no object of the run.", event(journal.SeamLog, "controller", "", "reconcile x-2/photos"), false, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := own.Own().Concerns(tc.event); got != tc.wantOwn {
				t.Errorf("%s\nOwn().Concerns() = %t, want %t", tc.reason, got, tc.wantOwn)
			}
			if got := alone.Concerns(tc.event); got != tc.wantAll {
				t.Errorf("%s\nConcerns() = %t, want %t", tc.reason, got, tc.wantAll)
			}
		})
	}
}
