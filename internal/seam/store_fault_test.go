package seam_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// TestStoreFaults puts three objects; a fault affects the second request.
func TestStoreFaults(t *testing.T) {
	second := fault.Match{Seam: journal.SeamStore, Operation: "PutObject", Nth: 2}
	tests := map[string]struct {
		reason  string
		effect  fault.Effect
		status  int    // of the second response; 0 without one
		body    string // part of the response body
		outcome string
		handled int32
	}{
		"SlowDown":   {"S3 is busy.", fault.Effect{Fail: "SlowDown"}, 503, "<Code>SlowDown</Code>", "SlowDown", 2},
		"Denied":     {"It is forbidden.", fault.Effect{Fail: "AccessDenied", Message: "no"}, 403, "<Message>no</Message>", "AccessDenied", 2},
		"Internal":   {"S3 has failed.", fault.Effect{Fail: "InternalError"}, 500, "<Resource>/b/k2</Resource>", "InternalError", 2},
		"Reset":      {"The connection ends.", fault.Effect{Fail: fault.Reset}, 0, "", "Aborted", 2},
		"Lost":       {"It is written.", fault.Effect{LoseReply: "InternalError"}, 500, "InternalError", "InternalError", 3},
		"LostReset":  {"It is written, and the connection ends.", fault.Effect{LoseReply: fault.Reset}, 0, "", "Aborted", 3},
		"Duplicate":  {"It is written twice.", fault.Effect{Duplicate: true}, 200, "content 2", "OK", 4},
		"Delay":      {"It is written later.", fault.Effect{Delay: time.Millisecond}, 200, "content 2", "OK", 3},
		"Cut":        {"The answer ends early.", fault.Effect{Cut: 3}, 200, "con", "Aborted", 3},
		"Flip":       {"One bit is wrong.", fault.Effect{Flip: 2}, 200, "cnntent 2", "OK", 3},
		"CutUpload":  {"Three bytes arrive.", fault.Effect{CutUpload: 3}, 0, "", "Aborted", 3},
		"CutBehind":  {"There is nothing more to cut.", fault.Effect{CutUpload: 9}, 200, "content 2", "OK", 3},
		"FlipUpload": {"Another byte arrives.", fault.Effect{FlipUpload: 9}, 200, "content 3", "OK", 3},
		"Before":     {"The store dies before.", fault.Effect{Crash: fault.Before}, 0, "", "Aborted", 1},
		"After":      {"The store dies afterwards.", fault.Effect{Crash: fault.After}, 0, "", "Aborted", 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i, _, j := withFault(t, second, tc.effect)
			var handled atomic.Int32
			server := httptest.NewServer(i.Middleware(open(t), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				handled.Add(1)
				_, _ = io.Copy(w, r.Body) // the response is the request
			})))
			defer server.Close()
			for n := 1; n <= 3; n++ {
				status, body, err := put(t, server, n)
				if n != 2 {
					expectSound(t, n, tc.effect, err)
					continue
				}
				if broken := tc.status == 0 || tc.effect.Cut > 0; status != tc.status || (err != nil) != broken {
					t.Errorf("%s answer 2: %d, %v; want %d", tc.reason, status, err, tc.status)
				}
				if !strings.Contains(body, tc.body) {
					t.Errorf("%s answer 2 is %q, want %q in it", tc.reason, body, tc.body)
				}
			}
			if got := handled.Load(); got != tc.handled {
				t.Errorf("%d requests have reached the store, want %d", got, tc.handled)
			}
			if tc.effect.Crash != "" {
				tc.outcome = seam.OutcomeFenced
			}
			expectApplied(t, j, "PutObject b/k2 "+tc.outcome)
		})
	}
}

// TestStoreFaultsOfPages: a page of another origin may read the cause of its failed request, if it
// may use the bucket.
func TestStoreFaultsOfPages(t *testing.T) {
	const page = "http://localhost:3000"
	for name, effect := range map[string]fault.Effect{"Fail": {Fail: "SlowDown"}, "LoseReply": {LoseReply: "InternalError"}} {
		i, _, _ := withFault(t, fault.Match{Seam: journal.SeamStore, Operation: "PutObject"}, effect)
		served := open(t, page)
		handler := i.Middleware(served, served.Unwrapped())
		for origin, want := range map[string]string{page: page, "http://elsewhere": ""} {
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/b/k", http.NoBody)
			r.Header.Set("Origin", origin)
			handler.ServeHTTP(w, r)
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != want || w.Code < http.StatusInternalServerError {
				t.Errorf("%s: a page of %s gets status %d, and may read it: %q; want %q", name, origin, w.Code, got, want)
			}
		}
	}
}

// expectSound expects no fault at the n-th operation of three, unless the component
// has died at the second.
func expectSound(t *testing.T, n int, effect fault.Effect, err error) {
	t.Helper()
	if dead := n == 3 && effect.Crash != ""; err != nil && !dead {
		t.Errorf("operation %d: %v, want no fault", n, err)
	}
}

// put puts an object, and returns the received part of the response.
func put(t *testing.T, server *httptest.Server, n int) (status int, body string, err error) {
	t.Helper()
	number := strconv.Itoa(n)
	content := strings.NewReader("content " + number)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/b/k"+number, content)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := server.Client().Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), err
}

// TestBackendFaults creates three buckets; a fault affects the second call.
func TestBackendFaults(t *testing.T) {
	second := fault.Match{Seam: journal.SeamStore, Operation: "AdminCreateBucket", Nth: 2}
	tests := map[string]struct {
		reason  string
		effect  fault.Effect
		want    error // nil: any
		outcome string
		calls   int
	}{
		"Conflict":  {"An error of the store's own kinds.", fault.Effect{Fail: "Conflict"}, fakedriver.ErrConflict, "Conflict", 2},
		"Limit":     {"Another one.", fault.Effect{Fail: "Limit", Message: "full"}, fakedriver.ErrLimit, "Limit", 2},
		"Internal":  {"An error of no known kind.", fault.Effect{Fail: "InternalError"}, nil, "InternalError", 2},
		"Lost":      {"It has happened.", fault.Effect{LoseReply: "ServiceUnavailable"}, nil, "ServiceUnavailable", 3},
		"Duplicate": {"It has happened twice.", fault.Effect{Duplicate: true}, nil, "OK", 4},
		"Before":    {"The driver dies before.", fault.Effect{Crash: fault.Before}, seam.ErrFenced, "Fenced", 1},
		"After":     {"The driver dies afterwards.", fault.Effect{Crash: fault.After}, seam.ErrFenced, "Fenced", 2},
		"Hang":      {"Until the deadline.", fault.Effect{Hang: true}, context.DeadlineExceeded, "DeadlineExceeded", 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i, _, j := withFault(t, second, tc.effect)
			below := &shelf{}
			b := i.Backend(below)
			for n, bucket := range []string{"b1", "b2", "b3"} {
				ctx, cancel := context.WithTimeout(t.Context(), deadline(tc.effect))
				got, err := b.CreateBucket(ctx, fakedriver.BucketSpec{Name: bucket})
				cancel()
				if n != 1 {
					expectSound(t, n+1, tc.effect, err)
					continue
				}
				if (err == nil) != tc.effect.Duplicate || tc.want != nil && !errors.Is(err, tc.want) {
					t.Errorf("%s call 2: %v, want %v", tc.reason, err, tc.want)
				}
				if err != nil && got.Name != "" {
					t.Errorf("call 2 has failed and created %q", got.Name)
				}
			}
			if below.calls != tc.calls {
				t.Errorf("%d calls have reached the store, want %d", below.calls, tc.calls)
			}
			expectApplied(t, j, "AdminCreateBucket b2 "+tc.outcome)
		})
	}
}
