package seam

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

func (r *apiRequest) send() (*http.Response, error) {
	c := r.operation
	if c.applied == nil {
		return r.pass()
	}
	if err := c.apply(r.Context()); err != nil {
		if err == errLost { //nolint:errorlint // identity, not a wrapped error
			err = connectionError(fault.Reset)
		}
		return nil, err
	}
	e := c.effect()
	switch {
	case e.Fail != "":
		return r.fail(e.Fail)
	case e.Stale > 0:
		return r.stale(e.Stale)
	case e.Freeze, e.Lag:
		return r.frozen()
	case e.Duplicate:
		first, err := r.pass()
		if err != nil {
			return nil, err
		}
		r.drop(first)
		return r.pass()
	case c.losesReply():
		return r.lose()
	default:
		resp, err := r.pass()
		c.interfere(r.Context(), true)
		return resp, err
	}
}

// losesReply reports whether the fault withholds the response.
func (o *operation) losesReply() bool {
	e := o.effect()
	return e.LoseReply != "" || e.Crash == fault.After
}

// lose sends the request and records its result. It returns the response that the
// component receives instead.
func (r *apiRequest) lose() (*http.Response, error) {
	resp, err := r.pass()
	if err != nil {
		return nil, err
	}
	if r.info.Verb == "watch" && resp.StatusCode == http.StatusOK {
		_ = resp.Body.Close()
	} else {
		body, err := readResponse(resp)
		if err != nil {
			return nil, err
		}
		r.operation.event.Response = r.operation.incarnation.record(r.info, body)
	}
	if r.operation.crashAfter() {
		return nil, ErrFenced
	}
	return r.fail(r.operation.applied.Effect.LoseReply)
}

func (r *apiRequest) drop(resp *http.Response) {
	if r.info.Verb == "watch" && resp.StatusCode == http.StatusOK {
		_ = resp.Body.Close()
		return
	}
	_, _ = readResponse(resp)
}
