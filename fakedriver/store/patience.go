package store

import (
	"net/http"
	"time"
)

// patientWriter gives a client a time to take each piece of an answer. Without
// it, one that stops reading would hold its connection for ever.
type patientWriter struct {
	http.ResponseWriter

	patience time.Duration
}

// Unwrap lets http.ResponseController find the connection.
func (p patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (p patientWriter) WriteHeader(status int) {
	p.extend()
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p patientWriter) Write(data []byte) (int, error) {
	p.extend()
	return p.ResponseWriter.Write(data)
}

func (p patientWriter) extend() {
	// Not every ResponseWriter has deadlines; net/http's has.
	_ = http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.patience))
}
