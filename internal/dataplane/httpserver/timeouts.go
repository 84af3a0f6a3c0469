package httpserver

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// pace limits the time spent waiting for a client, in one direction: for each piece at most the
// timeout, and for all pieces together the timeout plus their time at the lowest rate. Without the
// second limit, a client that sends or receives a byte now and then could hold its connection
// endlessly.
type pace struct {
	timeout time.Duration
	rate    int64 // bytes per second
	bytes   int64
	waited  time.Duration
}

// next returns the deadline of the next piece.
func (p *pace) next(now time.Time) time.Time {
	left := p.timeout + time.Duration(float64(p.bytes)/float64(p.rate)*float64(time.Second)) - p.waited
	return now.Add(min(p.timeout, max(left, 0)))
}

func (p *pace) passed(bytes int, since time.Time) {
	p.bytes += int64(bytes)
	p.waited += time.Since(since)
}

func (s *Server) newPace() pace {
	return pace{timeout: s.limits.BodyTimeout, rate: s.limits.MinRate}
}

// timeoutWriter sets deadlines for sending a response.
type timeoutWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	pace    pace
	body    *timeoutBody
	piece   int
}

// A client that sends a body without waiting for "100 Continue" reads an error only after it has
// sent everything. Net/http skips 256 KiB of it, which is less than many uploads, and then resets
// the connection.
func (w *timeoutWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && w.Header().Get("Connection") != "close" && !w.body.awaited {
		w.body.skipped = w.control.EnableFullDuplex() == nil
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *timeoutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// minPiece and maxPiece are the bounds of the data that a client must receive within the timeout.
const (
	minPiece = 64 << 10
	maxPiece = 256 << 10
)

// Write sends data in pieces, so that each progress extends the time. The pieces of a slow client are small.
func (w *timeoutWriter) Write(data []byte) (written int, err error) {
	for {
		n, err := w.write(data[written:min(written+w.piece, len(data))])
		written += n
		if err != nil || written == len(data) {
			return written, err
		}
	}
}

func (w *timeoutWriter) write(data []byte) (int, error) {
	began := time.Now()
	// Not every ResponseWriter has deadlines; net/http's has.
	_ = w.control.SetWriteDeadline(w.pace.next(began))
	n, err := w.ResponseWriter.Write(data)
	w.pace.passed(n, began)
	w.piece = maxPiece
	if time.Since(began) > w.pace.timeout/16 {
		w.piece = minPiece
	}
	return n, err
}

// timeoutBody sets deadlines for receiving a body.
type timeoutBody struct {
	io.ReadCloser

	control *http.ResponseController
	pace    pace
	ended   bool // completely read
	awaited bool // the client sends it only on request
	skipped bool // the rest is read after the response
}

func (b *timeoutBody) Read(data []byte) (int, error) {
	if b.ended {
		// Net/http reads ahead now, to notice when the client disconnects, and would mistake the
		// timeout for that.
		return 0, io.EOF
	}
	now := time.Now()
	_ = b.control.SetReadDeadline(b.pace.next(now))
	n, err := b.ReadCloser.Read(data)
	b.pace.passed(n, now)
	b.ended = errors.Is(err, io.EOF)
	return n, err
}

// WithTimeouts sets deadlines for all reads and writes of a handler, and for net/http's work after
// it has returned.
func (s *Server) WithTimeouts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		body := &timeoutBody{
			ReadCloser: r.Body, control: control, pace: s.newPace(),
			ended: r.ContentLength == 0, awaited: r.Header.Get("Expect") != "",
		}
		limited := *r
		limited.Body = body
		if !body.ended {
			// net/http skips unread data before it sends a response.
			_ = control.SetReadDeadline(time.Now().Add(s.limits.BodyTimeout))
		}
		defer s.linger(body)
		next.ServeHTTP(&timeoutWriter{ResponseWriter: w, control: control, pace: s.newPace(), body: body, piece: minPiece}, &limited)
	})
}

// maxLinger and maxSkipped limit the time and the bytes for skipping the unread rest of a body. The
// client may send all of it before it reads the response.
const (
	maxLinger  = 5 * time.Second
	maxSkipped = 64 << 20
)

// linger sets deadlines for net/http, which first skips the rest of the body, and then sends the
// rest of the response.
func (s *Server) linger(body *timeoutBody) {
	timeout := s.limits.BodyTimeout
	until := time.Now()
	if !body.ended {
		until = until.Add(min(timeout, maxLinger))
		_ = body.control.SetReadDeadline(until)
	}
	_ = body.control.SetWriteDeadline(until.Add(timeout))
	if body.skipped && !body.ended {
		_ = body.control.Flush()
		_, _ = io.CopyN(io.Discard, body.ReadCloser, maxSkipped) // or the connection ends
	}
}
