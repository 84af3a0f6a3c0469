package seam

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/httpserver"
)

// Describer knows what requests ask for; *store.Store and *gcs.Service are ones.
type Describer interface {
	Describe(r *http.Request) httpserver.Request
}

// Middleware makes the requests of clients cross the store seam as this
// incarnation's. Neither bodies nor headers are recorded. A request that the
// fence cuts off gets no answer, its connection is closed.
func (i *Incarnation) Middleware(served Describer, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.faults.Bypassed() {
			next.ServeHTTP(w, r)
			return
		}
		c, ctx, err := i.enter(r.Context(), journal.SeamStore, s3Operation(served.Describe(r), r.Method), server)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		recorder := &responseRecorder{ResponseWriter: w}
		completed := false
		defer func() {
			if !completed { // the handler has panicked, which is its way to hang up
				c.exit(outcomeAborted, "")
			}
		}()
		hangUp := c.serve(recorder, r.WithContext(ctx), served, next)
		completed = true
		cutOff := ctx.Err() != nil && i.ctx.Err() != nil
		if c.event.Response == nil {
			c.event.Response = recorder.summary()
		}
		c.exit(recorder.outcome(hangUp), "")
		if cutOff || hangUp {
			panic(http.ErrAbortHandler)
		}
	})
}

func s3Operation(asked httpserver.Request, method string) journal.Operation {
	op := journal.Operation{Name: asked.Operation, Subject: asked.Bucket}
	if op.Name == "" {
		op.Name = method
	}
	if asked.Key != "" {
		op.Subject += "/" + asked.Key
	}
	return op
}

// outcomeAborted is the outcome of a request whose connection was closed.
const outcomeAborted = "Aborted"

// maxErrorBody is enough of an S3 error to find its code.
const maxErrorBody = 512

var errorCode = regexp.MustCompile(`<Code>([A-Za-z0-9]+)</Code>`)

// responseRecorder notes what an answer is, while it passes.
type responseRecorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	head   bytes.Buffer // of an error
}

// Unwrap lets http.ResponseController find what the writer below can do.
func (r *responseRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *responseRecorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *responseRecorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.status >= http.StatusBadRequest && r.head.Len() < maxErrorBody {
		r.head.Write(p[:min(len(p), maxErrorBody)])
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// outcome is the code of an S3 error, or the HTTP status where there is none.
func (r *responseRecorder) outcome(hungUp bool) string {
	if hungUp {
		return outcomeAborted
	}
	if r.status < http.StatusBadRequest {
		return journal.OutcomeOK
	}
	if match := errorCode.FindSubmatch(r.head.Bytes()); match != nil {
		return string(match[1])
	}
	return strings.ReplaceAll(http.StatusText(r.status), " ", "")
}

func (r *responseRecorder) summary() json.RawMessage {
	data, err := json.Marshal(struct {
		Status int   `json:"status"`
		Bytes  int64 `json:"bytes"`
	}{r.status, r.bytes})
	if err != nil {
		return nil
	}
	return data
}
