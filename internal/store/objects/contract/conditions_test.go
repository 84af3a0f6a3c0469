package contract_test

import (
	"errors"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

//nolint:lll // one case a line
func TestConditionsOfReads(t *testing.T) {
	f := newFixture(t, objects.Config{})
	f.put("k", "a")
	v, err := f.Get("k", "")
	f.must(err)
	defer v.Release()
	same, other := `"`+etag("a").String()+`"`, `"`+etag("b").String()+`"`
	at := v.Modified()
	before, after := at.Add(-time.Second), at.Add(time.Second)
	tests := map[string]struct {
		reason string
		c      objects.Conditions
		want   error
	}{
		"None":             {"nothing is asked", objects.Conditions{}, nil},
		"Match":            {"it is the one", objects.Conditions{IfMatch: same}, nil},
		"MatchUnquoted":    {"some clients have no quotes", objects.Conditions{IfMatch: etag("a").String()}, nil},
		"MatchList":        {"one of them is", objects.Conditions{IfMatch: other + ", " + same}, nil},
		"MatchAny":         {"there is one", objects.Conditions{IfMatch: "*"}, nil},
		"MatchOther":       {"it is another", objects.Conditions{IfMatch: other}, s3error.ErrPreconditionFailed},
		"NoneMatch":        {"the client has it", objects.Conditions{IfNoneMatch: same}, s3error.ErrNotModified},
		"NoneMatchWeak":    {"weakly compared", objects.Conditions{IfNoneMatch: "W/" + same}, s3error.ErrNotModified},
		"NoneMatchOther":   {"the client has another", objects.Conditions{IfNoneMatch: other}, nil},
		"Modified":         {"later than that", objects.Conditions{IfModifiedSince: before}, nil},
		"NotModified":      {"not later", objects.Conditions{IfModifiedSince: at}, s3error.ErrNotModified},
		"NotModifiedLater": {"nor than a later time", objects.Conditions{IfModifiedSince: after}, s3error.ErrNotModified},
		"Unmodified":       {"not after that", objects.Conditions{IfUnmodifiedSince: at}, nil},
		"UnmodifiedNot":    {"but it was", objects.Conditions{IfUnmodifiedSince: before}, s3error.ErrPreconditionFailed},
		"MatchWins":        {"RFC 9110, 13.2.2: If-Match makes If-Unmodified-Since void", objects.Conditions{IfMatch: same, IfUnmodifiedSince: before}, nil},
		"NoneMatchWins":    {"and If-None-Match If-Modified-Since", objects.Conditions{IfNoneMatch: other, IfModifiedSince: after}, nil},
		"FirstFails":       {"what guards is looked at before what saves", objects.Conditions{IfMatch: other, IfNoneMatch: same}, s3error.ErrPreconditionFailed},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.c.Read(v); !errors.Is(got, tc.want) {
				t.Errorf("%s: Read() = %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

//nolint:lll // one case a line
func TestConditionsOfWrites(t *testing.T) {
	const other = "0123456789abcdef0123456789abcdef"
	tests := map[string]struct {
		reason, script string
		c              objects.Conditions
		want           error
	}{
		"None":          {"nothing is asked", "put a", objects.Conditions{}, nil},
		"New":           {"there is none", "delete", objects.Conditions{IfNoneMatch: "*"}, nil},
		"NotNew":        {"there is one", "put a", objects.Conditions{IfNoneMatch: "*"}, s3error.ErrPreconditionFailed},
		"NewAgain":      {"the one that was there is deleted", "enable; put a; delete", objects.Conditions{IfNoneMatch: "*"}, nil},
		"Match":         {"it is the one", "put a", objects.Conditions{IfMatch: etag("a").String()}, nil},
		"MatchAny":      {"there is one", "put a", objects.Conditions{IfMatch: "*"}, nil},
		"MatchOther":    {"it is another", "put a", objects.Conditions{IfMatch: other}, s3error.ErrPreconditionFailed},
		"MatchNone":     {"there is none", "delete", objects.Conditions{IfMatch: "*"}, s3error.ErrNoSuchKey},
		"MatchReplaced": {"it was the one before", "enable; put a; put b", objects.Conditions{IfMatch: etag("a").String()}, s3error.ErrPreconditionFailed},
		"MatchDeleted":  {"there is a marker on it", "enable; put a; delete", objects.Conditions{IfMatch: etag("a").String()}, s3error.ErrNoSuchKey},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, objects.Config{})
			history(f, tc.script)
			if _, err := f.Delete("k", "", tc.c, objects.BypassNothing); !errors.Is(err, tc.want) {
				t.Errorf("%s: Delete() = %v, want %v", tc.reason, err, tc.want)
			}
			f = newFixture(t, objects.Config{})
			before := history(f, tc.script)
			d, done := f.draft("new")
			defer done()
			if _, err := f.Put("k", d, tc.c); !errors.Is(err, tc.want) {
				t.Errorf("%s: Put() = %v, want %v", tc.reason, err, tc.want)
			}
			if after := f.shown(); tc.want != nil && len(after) != len(before) {
				t.Errorf("%s: there is %q after a PUT that was rejected, and %q before", tc.reason, after, before)
			}
		})
	}
}

// Of several conditional puts of a new object, one succeeds.
func TestOnlyOneIsNew(t *testing.T) {
	f := newFixture(t, objects.Config{})
	const clients = 16
	results := make(chan error, clients)
	d, done := f.draft("x")
	defer done()
	for range clients {
		go func() {
			_, err := f.Put("k", d, objects.Conditions{IfNoneMatch: "*"})
			results <- err
		}()
	}
	stored := 0
	for range clients {
		err := <-results
		if err == nil {
			stored++
		} else if !errors.Is(err, s3error.ErrPreconditionFailed) {
			t.Error(err)
		}
	}
	if stored != 1 {
		t.Errorf("%d PUTs have succeeded, want 1", stored)
	}
}
