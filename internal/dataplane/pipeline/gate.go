package pipeline

import "net/http"

// gate starts the response only after it has entered the gate of the caller's account, and leaves
// it then: a slow client delays no revocation.
type gate struct {
	http.ResponseWriter
	x       *Exchange
	revoked func(error) // responds in place of the prepared response
	started bool
	err     error // the key has been revoked
}

func (g *gate) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *gate) WriteHeader(status int) {
	switch {
	case status < http.StatusOK:
		g.ResponseWriter.WriteHeader(status)
		return
	case g.started:
		return
	}
	g.started = true
	if g.x.Caller != nil {
		if g.err = g.x.Caller.Enter(); g.err != nil {
			g.revoked(g.err)
			return
		}
		defer g.x.Caller.Leave()
	}
	g.ResponseWriter.WriteHeader(status)
}

func (g *gate) Write(data []byte) (int, error) {
	g.WriteHeader(http.StatusOK)
	if g.err != nil {
		return 0, g.err
	}
	return g.ResponseWriter.Write(data)
}
