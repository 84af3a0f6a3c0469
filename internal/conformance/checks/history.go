package checks

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cosi-emu/cosi-emu/conformance/description"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// outcome has the data for the checks of a whole run.
type outcome struct {
	method  string
	code    codes.Code
	message string
	details int
	local   bool // the client's own error
}

// History records the calls of a run. Its methods are safe for concurrent use.
type History struct {
	// Journal is the timeline of the run: calls, and other events. It is required.
	Journal *journal.Journal
	// Dialect is the driver's dialect. Requests are shown with its names.
	Dialect dialects.Dialect

	leaked   leakedLines
	mu       sync.Mutex
	secrets  []string
	outcomes []outcome
}

type recorderKey struct{}

type recorder struct {
	mu        sync.Mutex
	exchanges []description.Exchange
}

func (r *recorder) add(e description.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchanges = append(r.exchanges, e)
}

// all returns the calls without secrets that the driver repeated as text.
func (r *recorder) all(clean func(string) string) []description.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.exchanges)
	for i := range all {
		all[i].Message = clean(all[i].Message)
	}
	return all
}

// Intercept is the interceptor of the connection to the driver.
func (h *History) Intercept(
	ctx context.Context, method string, request, response any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	start := time.Now()
	e := description.Exchange{Method: method[strings.LastIndex(method, "/")+1:]}
	event := h.Journal.Begin(vocabulary.Driver, 0, journal.SeamRPC, journal.Operation{Name: e.Method})
	err := invoke(ctx, method, request, response, conn, opts...)
	e.Code, e.Took = status.Code(err).String(), time.Since(start)
	asked, isMessage := request.(proto.Message)
	if isMessage {
		event.Request = redact.JSON(h.Dialect.Named(method, asked))
	}
	if m, ok := response.(proto.Message); ok && err == nil {
		event.Response = redact.JSON(m)
		h.keep(redact.Secrets(m, asked))
	}
	s := status.Convert(err)
	e.Message = s.Message()
	h.mu.Lock()
	h.outcomes = append(h.outcomes, outcome{e.Method, s.Code(), s.Message(), len(s.Details()), ctx.Err() != nil})
	h.mu.Unlock()
	e.Request, e.Response = string(event.Request), string(event.Response)
	event.Outcome, event.Message = e.Code, e.Message
	h.Journal.Append(event)
	if r, ok := ctx.Value(recorderKey{}).(*recorder); ok {
		r.add(e)
	}
	return err
}

func (h *History) keep(secrets []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range secrets {
		if len(s) >= minSecret && !slices.Contains(h.secrets, s) {
			h.secrets = append(h.secrets, s)
			h.Journal.AddAccountSecret(handedOut, s)
		}
	}
}

// handedOut is the owner of all secrets that the driver has returned.
const handedOut = "of the suite"

// minSecret is the least length of a text that can be searched for without false alarms.
const minSecret = 8

// Redact removes all secrets that the driver has returned from a text.
func (h *History) Redact(text string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.secrets {
		text = strings.ReplaceAll(text, s, redact.Placeholder)
	}
	return redact.Text(text)
}

func (h *History) errors() ([]outcome, []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var failed []outcome
	for _, o := range h.outcomes {
		if o.code != codes.OK && !o.local {
			failed = append(failed, o)
		}
	}
	return failed, slices.Clone(h.secrets)
}

// history has the checks of all calls of a run.
func history() []*Check {
	return []*Check{
		{
			ID: "LF-20", Title: "No error has the code UNKNOWN", Profile: Core, Level: Must, Classes: []string{"D13"},
			Rule: sourceErrors.says("The status code MUST contain a canonical error code."),
			run: func(c *C) {
				failed, _ := c.env.History.errors()
				for _, o := range failed {
					if o.code == codes.Unknown || o.code > codes.Unauthenticated {
						c.fail("every error has a code by which the caller can react", "%s returned %s: %s", o.method, o.code, o.message)
					}
				}
			},
		},
		{
			ID: "LF-21", Title: "Every error has a message, and no details", Profile: Core, Level: Must,
			Rule: sourceErrors.says("The status message MUST contain a human readable description of error, if the status code is not OK. … " +
				"The status details MUST be empty."),
			run: func(c *C) {
				failed, _ := c.env.History.errors()
				for _, o := range failed {
					if o.message == "" || o.details > 0 {
						c.fail("a message, and no details", "%s returned %s with message %q and %s",
							o.method, o.code, o.message, counted.Of(o.details, "detail"))
					}
				}
			},
		},
		{
			ID: "SA-20", Title: "No error message has a secret that was handed out", Profile: Core, Level: Must,
			Classes: []string{"D21"},
			Rule:    sourceMessages.says(saySensitive),
			run: func(c *C) {
				failed, secrets := c.env.History.errors()
				for _, o := range failed {
					for _, secret := range secrets {
						if strings.Contains(o.message, secret) {
							c.fail("no secret in an error message", "%s returned %s: %s", o.method, o.code, o.message)
						}
					}
				}
			},
		},
	}
}
