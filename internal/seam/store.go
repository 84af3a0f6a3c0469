package seam

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// Describer names the operation of a request. *s3.Service, *gcs.Service and *azure.Service implement
// it.
type Describer interface {
	Describe(r *http.Request) httpserver.Request
}

// Middleware makes the requests of clients operations of this incarnation at the store seam. It
// records no bodies and headers. If the fence interrupts a request, its connection is closed
// without a response.
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
		if operations.StoresOther(c.event.Operation.Name) {
			ctx = httpserver.WithStored(ctx, &recorder.stored)
		}
		completed := false
		defer func() {
			if !completed { // the handler has panicked to close the connection
				c.exit(outcomeAborted, "")
			}
		}()
		hangUp := c.serve(recorder, r.WithContext(ctx), served, next)
		completed = true
		cutOff := ctx.Err() != nil && i.ctx.Err() != nil
		if c.event.Response == nil {
			c.event.Response = recorder.summary()
		}
		c.exit(recorder.outcome(hangUp), recorder.message())
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

// maxErrorBody is enough for the code of an S3 error.
const maxErrorBody = 512

var (
	errorCode    = regexp.MustCompile(`<Code>([A-Za-z0-9]+)</Code>`)
	errorMessage = regexp.MustCompile(`<Message>([^<]*)</Message>`)
)

type responseRecorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	stored string       // the key from httpserver.NoteStored
	head   bytes.Buffer // start of an error body
}

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

// outcome returns the code of an S3 error, or the HTTP status.
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

// message returns the reason for which a server could not store a request; empty for other errors,
// which their code explains.
func (r *responseRecorder) message() string {
	if match := errorMessage.FindSubmatch(r.head.Bytes()); match != nil && r.status == http.StatusInsufficientStorage {
		return string(match[1])
	}
	return ""
}

func (r *responseRecorder) summary() json.RawMessage {
	data, err := json.Marshal(operations.Response{Status: r.status, Bytes: r.bytes, Stored: r.stored})
	if err != nil {
		return nil
	}
	return data
}
