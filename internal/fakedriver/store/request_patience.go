package store

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// pace is how long a client is waited for, in one direction: for each piece at
// most the patience, and for all of them together no longer than the patience and
// what they would take at the lowest rate. Without the second, a client that
// sends or takes a byte now and then would hold its connection for ever. Only
// time that was spent waiting for the client counts.
type pace struct {
	patience time.Duration
	rate     int64 // bytes per second
	bytes    int64
	waited   time.Duration
}

// next returns until when the next piece is waited for.
func (p *pace) next(now time.Time) time.Time {
	left := p.patience + time.Duration(float64(p.bytes)/float64(p.rate)*float64(time.Second)) - p.waited
	return now.Add(min(p.patience, max(left, 0)))
}

func (p *pace) passed(bytes int, since time.Time) {
	p.bytes += int64(bytes)
	p.waited += time.Since(since)
}

func (s *Store) newPace() pace {
	return pace{patience: s.options.BodyTimeout, rate: s.options.MinRate}
}

// patientWriter gives a client time to take an answer, but not for ever.
type patientWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	pace    pace
	body    *patientBody
}

// WriteHeader implements http.ResponseWriter. A client that sends a body without
// waiting to be asked for it reads a refusal only when it has sent it all; what
// net/http skips of it, 256 KiB, is less than many an upload, and the connection
// would be reset under it.
func (p *patientWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && p.Header().Get("Connection") != "close" && !p.body.awaited {
		p.body.skipped = p.control.EnableFullDuplex() == nil
	}
	p.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the connection.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// maxPiece bounds what must be taken within the patience.
const maxPiece = 256 << 10

// Write implements http.ResponseWriter.
func (p *patientWriter) Write(data []byte) (written int, err error) {
	for len(data) > maxPiece && err == nil {
		var n int
		n, err = p.write(data[:maxPiece])
		written, data = written+n, data[n:]
	}
	if err != nil {
		return written, err
	}
	n, err := p.write(data)
	return written + n, err
}

func (p *patientWriter) write(data []byte) (int, error) {
	now := time.Now()
	// Not every ResponseWriter has deadlines; net/http's has.
	_ = p.control.SetWriteDeadline(p.pace.next(now))
	n, err := p.ResponseWriter.Write(data)
	p.pace.passed(n, now)
	return n, err
}

// patientBody gives a client time to send a body, but not for ever.
type patientBody struct {
	io.ReadCloser

	control *http.ResponseController
	pace    pace
	ended   bool // there is nothing more to read
	awaited bool // the client sends it only when it is asked for
	skipped bool // what is left is read when the answer has been sent
}

// Read implements io.Reader.
func (p *patientBody) Read(data []byte) (int, error) {
	if p.ended {
		// Net/http reads ahead now, to notice when the client goes, and would
		// take the end of patience for that.
		return 0, io.EOF
	}
	now := time.Now()
	_ = p.control.SetReadDeadline(p.pace.next(now))
	n, err := p.ReadCloser.Read(data)
	p.pace.passed(n, now)
	p.ended = errors.Is(err, io.EOF)
	return n, err
}

// bePatient puts deadlines on all that is read from a client and written to it,
// and returns a function that puts them on what net/http does when the handler
// has returned.
func (s *Store) bePatient(x *exchange) (end func()) {
	control := http.NewResponseController(x.w)
	body := &patientBody{
		ReadCloser: x.r.Body, control: control, pace: s.newPace(),
		ended: x.r.ContentLength == 0, awaited: x.r.Header.Get("Expect") != "",
	}
	x.w = &patientWriter{ResponseWriter: x.w, control: control, pace: s.newPace(), body: body}
	r := *x.r
	r.Body = body
	x.r = &r
	if !body.ended {
		// What an answer does not wait for is skipped before it is sent.
		_ = control.SetReadDeadline(time.Now().Add(s.options.BodyTimeout))
	}
	return func() { s.linger(body) }
}

// maxLinger is how long the rest of a body is waited for that nobody reads, to be
// skipped, and maxSkipped how much of it is. The client may be sending it before
// it looks for an answer.
const (
	maxLinger  = 5 * time.Second
	maxSkipped = 64 << 20
)

// linger leaves deadlines for net/http, which first skips the rest of the body,
// and then sends the rest of the answer.
func (s *Store) linger(body *patientBody) {
	patience := s.options.BodyTimeout
	until := time.Now()
	if !body.ended {
		until = until.Add(min(patience, maxLinger))
		_ = body.control.SetReadDeadline(until)
	}
	_ = body.control.SetWriteDeadline(until.Add(patience))
	if body.skipped && !body.ended {
		_ = body.control.Flush()
		_, _ = io.CopyN(io.Discard, body.ReadCloser, maxSkipped) // or the connection ends
	}
}
