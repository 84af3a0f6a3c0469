package pipeline_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// exchange records the phases of a request.
type exchange struct {
	pipeline.Exchange

	ran []string
}

var errRejected = errors.New("rejected")

// phase returns a phase that records its name, and then runs.
func phase(name string, run func(*exchange) error) func(*exchange) error {
	return func(x *exchange) error {
		x.ran = append(x.ran, name)
		return run(x)
	}
}

func succeed(*exchange) error { return nil }

// protocol has all phases. Errors have status 400, and 500 if the client has not caused them.
func protocol(change func(*pipeline.Protocol[*exchange])) *pipeline.Protocol[*exchange] {
	p := &pipeline.Protocol[*exchange]{
		Parse: phase("parse", succeed), Authenticate: phase("authenticate", succeed), Classify: phase("classify", succeed),
		Authorize: phase("authorize", succeed), ReadBody: phase("read", succeed), Perform: phase("perform", succeed),
		Respond: func(x *exchange, err error) {
			status := http.StatusInternalServerError
			if errors.Is(err, errRejected) {
				status = http.StatusBadRequest
			}
			x.ErrorWriter().WriteHeader(status)
		},
		Details: func(_ *exchange, err error) ([]any, bool) { return nil, !errors.Is(err, errRejected) },
		Name:    "test",
	}
	change(p)
	return p
}

func serve(t *testing.T, p *pipeline.Protocol[*exchange]) (*exchange, *httptest.ResponseRecorder) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	x := &exchange{Exchange: pipeline.Exchange{W: w, R: r}}
	p.Serve(x)
	return x, w
}

func TestPhases(t *testing.T) {
	all := []string{"parse", "authenticate", "classify", "authorize", "read", "perform"}
	tests := map[string]struct {
		reason string
		change func(*pipeline.Protocol[*exchange])
		ran    []string
		status int
	}{
		"All": {
			reason: "The phases run in order, and a response without body starts at the end.",
			change: func(*pipeline.Protocol[*exchange]) {}, ran: all, status: http.StatusOK,
		},
		"Missing": {
			reason: "A missing phase is skipped.",
			change: func(p *pipeline.Protocol[*exchange]) { p.Authorize = nil },
			ran:    []string{"parse", "authenticate", "classify", "read", "perform"}, status: http.StatusOK,
		},
		"Steps": {
			reason: "The first error ends the steps, and the request.",
			change: func(p *pipeline.Protocol[*exchange]) {
				fail := func(*exchange) error { return errRejected }
				p.Authenticate = pipeline.Steps(phase("identify", succeed), phase("locate", fail), phase("never", succeed))
			},
			ran: []string{"parse", "identify", "locate"}, status: http.StatusBadRequest,
		},
		"Panic": {
			reason: "A panic is an internal error.",
			change: func(p *pipeline.Protocol[*exchange]) {
				p.Perform = phase("perform", func(*exchange) error { panic("bug") })
			},
			ran: all, status: http.StatusInternalServerError,
		},
		"Started": {
			reason: "After a response has started, no error is added to it.",
			change: func(p *pipeline.Protocol[*exchange]) {
				p.Perform = phase("perform", func(x *exchange) error {
					x.W.WriteHeader(http.StatusCreated)
					return errRejected
				})
			},
			ran: all, status: http.StatusCreated,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			x, w := serve(t, protocol(tc.change))
			if diff := cmp.Diff(tc.ran, x.ran); diff != "" || w.Code != tc.status {
				t.Errorf("%s\nstatus %d, want %d; phases: -want, +got:\n%s", tc.reason, w.Code, tc.status, diff)
			}
		})
	}
}

// TestAbort: http.ErrAbortHandler reaches net/http, and held resources are released. A failure in
// the middle of a response has the same effect.
func TestAbort(t *testing.T) {
	begin := func(x *exchange) {
		x.W.WriteHeader(http.StatusOK)
		_, _ = x.W.Write([]byte("half")) // a recorder takes everything
	}
	for name, perform := range map[string]func(*exchange) error{
		"Abort":         func(*exchange) error { panic(http.ErrAbortHandler) },
		"HalfThenError": func(x *exchange) error { begin(x); return errors.New("disk") },
		"HalfThenPanic": func(x *exchange) error { begin(x); panic("bug") },
	} {
		t.Run(name, func(t *testing.T) {
			released := false
			defer func() {
				if cause := recover(); cause != http.ErrAbortHandler || !released { //nolint:errorlint // a sentinel
					t.Errorf("recovered %v, released: %t", cause, released)
				}
			}()
			serve(t, protocol(func(p *pipeline.Protocol[*exchange]) {
				p.Perform = func(x *exchange) error {
					x.Hold(func() { released = true })
					return perform(x)
				}
			}))
		})
	}
}

// TestLog: only errors that the client has not caused are logged as errors, with the stack of a panic.
func TestLog(t *testing.T) {
	for name, tc := range map[string]struct {
		run  func(*exchange) error
		want int
	}{
		"Rejected": {func(*exchange) error { return errRejected }, 0},
		"Failed":   {func(*exchange) error { return errors.New("disk") }, 1},
		"Panic":    {func(*exchange) error { panic("bug") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			lines := 0
			serve(t, protocol(func(p *pipeline.Protocol[*exchange]) {
				p.Logger, p.Perform = funcr.New(func(string, string) { lines++ }, funcr.Options{}), tc.run
			}))
			if lines != tc.want {
				t.Errorf("%d lines, want %d", lines, tc.want)
			}
		})
	}
}

// TestRevoked: a response does not start after its key was revoked, and a revocation waits only until a
// response has started.
func TestRevoked(t *testing.T) {
	registry := authorization.NewRegistry()
	account := &authorization.Principal{Account: fakedriver.Account{AccessKeyID: "key"}}
	registry.SetAccount(account)
	authenticate := func(x *exchange) error {
		var known bool
		if x.Caller, known = registry.Caller("key"); !known {
			return errRejected
		}
		return nil
	}
	revoke := func() {
		registry.RemoveAccount(account)
		account.WaitForRequests()
	}
	_, started := serve(t, protocol(func(p *pipeline.Protocol[*exchange]) {
		p.Authenticate, p.Perform = authenticate, func(x *exchange) error {
			if err := x.Caller.Enter(); err != nil {
				return err
			}
			x.W.WriteHeader(http.StatusOK)
			revoke()
			_, err := x.W.Write([]byte("content"))
			return err
		}
	}))
	if started.Body.String() != "content" {
		t.Errorf("a response that had started has the content %q", started.Body)
	}
	registry.SetAccount(account)
	_, late := serve(t, protocol(func(p *pipeline.Protocol[*exchange]) {
		p.Authenticate, p.Perform = authenticate, func(x *exchange) error {
			revoke()
			if _, err := x.W.Write([]byte("content")); !errors.Is(err, authorization.ErrIdentity) {
				t.Errorf("Write() = %v, want ErrIdentity", err)
			}
			return nil
		}
		p.Revoked = func(x *exchange, _ error) { x.ErrorWriter().WriteHeader(http.StatusForbidden) }
	}))
	if late.Code != http.StatusForbidden || late.Body.Len() > 0 {
		t.Errorf("after the revocation: status %d, content %q", late.Code, late.Body)
	}
}
