package seam

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// stream is the body of a watch. It keeps the context of its operation alive until it is closed,
// and applies faults to the events. The API server sends each event as a line.
type stream struct {
	body        io.ReadCloser
	lines       *bufio.Reader
	incarnation *Incarnation
	context     context.Context //nolint:containedctx // the request's, which lasts as long as the watch
	cancel      context.CancelFunc
	location    location
	end         func() // in the journal

	rest []byte // unread bytes of delivered lines
}

func newStream(r *apiRequest, body io.ReadCloser) *stream {
	return &stream{
		body: body, lines: bufio.NewReader(body), incarnation: r.operation.incarnation,
		context: r.Context(), cancel: r.operation.cancel, location: r.location(),
		end: r.operation.incarnation.journal.OpenWatch(r.operation.event),
	}
}

// Close implements io.Closer.
func (s *stream) Close() error {
	defer s.cancel()
	s.end()
	return s.body.Close()
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		line, err := s.lines.ReadBytes('\n')
		if err == nil {
			line, err = s.deliver(line)
		}
		s.rest = line
		if err != nil && len(s.rest) == 0 {
			s.end()
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

type watchEvent struct {
	Type   watch.EventType              `json:"type"`
	Object metav1.PartialObjectMetadata `json:"object"`
}

// deliver returns the lines that the component receives for an event.
func (s *stream) deliver(line []byte) ([]byte, error) {
	s.incarnation.hooks.Tombstones.observe(s.location, line)
	if !s.incarnation.faults.Active() {
		return line, nil
	}
	var event watchEvent
	err := json.Unmarshal(line, &event)
	if err != nil || event.Type == watch.Bookmark || event.Type == watch.Error {
		return line, nil //nolint:nilerr // pass on what cannot be parsed
	}
	op := journal.Operation{Name: journal.EventPrefix + s.location.resource, Subject: event.Object.Name}
	if event.Object.Namespace != "" {
		op.Subject = event.Object.Namespace + "/" + op.Subject
	}
	c, ctx, ok := s.incarnation.enterIfFaulty(s.context, journal.SeamAPI, op)
	if !ok {
		return line, nil
	}
	c.event.Response = json.RawMessage(`"` + string(event.Type) + `"`)
	line, outcome, err := s.apply(ctx, c, event, line)
	message := ""
	if err != nil {
		message = err.Error()
	}
	c.exit(outcome, message)
	return line, err
}

func (s *stream) apply(ctx context.Context, c *operation, event watchEvent, line []byte) (rest []byte, outcome string, err error) {
	e := c.effect()
	revision := versioned{}
	revision.Metadata.ResourceVersion = event.Object.ResourceVersion
	at := frozenAt{c.event.Component, s.location.resource}
	if e.Freeze {
		c.applied.Note(at, revision.revision())
		select {
		case <-c.applied.Done():
			return line, "Frozen", nil
		case <-ctx.Done():
			return nil, "Frozen", ended(ctx)
		}
	}
	if e.Lag {
		if !c.lags(at, revision.revision()) {
			return line, journal.OutcomeOK, nil
		}
		if err := c.lag(ctx); err != nil {
			return nil, transportOutcome(err), err
		}
		c.applied.Drop(at, revision.revision())
	}
	if err := c.apply(ctx); err != nil {
		return nil, transportOutcome(err), err
	}
	switch {
	case e.Drop:
		return nil, "Dropped", nil
	case e.CloseWatch:
		return nil, "Closed", io.EOF
	case e.Duplicate:
		return bytes.Repeat(line, 2), "Repeated", nil
	case c.crashAfter(): // the component received it before the crash
		return nil, OutcomeFenced, ErrFenced
	default:
		return line, "Delayed", nil
	}
}
