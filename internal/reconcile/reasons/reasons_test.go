package reasons

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKinds(t *testing.T) {
	type retryability struct{ Permanent, Retry bool }
	cases := []struct {
		name   string
		reason string
		err    error
		want   retryability
	}{
		{"waiting", "a watch brings the object back", Waiting("R", "m"), retryability{}},
		{"blocked", "a watch brings the object back", Blocked("R", "m"), retryability{}},
		{"invalid", "only a change can help", Invalid("R", "m"), retryability{Permanent: true}},
		{"lost", "nothing brings it back", Lost("R", "m"), retryability{Permanent: true}},
		{"unwritable", "the API server may allow it next time", Unwritable("R", "m"), retryability{Retry: true}},
		{"failed", "the driver may recover", Failed("R", "m"), retryability{Retry: true}},
		{"rejected", "the driver would say the same", Rejected("R", "m"), retryability{Permanent: true}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			found, ok := As(fmt.Errorf("wrapped: %w", tc.err))
			if !ok {
				t.Fatalf("%v is no *Error", tc.err)
			}
			if diff := cmp.Diff(tc.want, retryability{found.IsPermanent(), found.IsRetryable()}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOtherErrors(t *testing.T) {
	for _, err := range []error{nil, errors.New("connection refused")} {
		if found, ok := As(err); ok {
			t.Errorf("As(%v) = %v", err, found)
		}
	}
}

func TestMessageIsFormatted(t *testing.T) {
	found, _ := As(Waiting("R", "waiting for %q", "x"))
	want := &Error{Kind: KindWaiting, Reason: "R", Message: `waiting for "x"`}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
