package gcs

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
)

// serve answers one request.
func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, r: r, release: func() {}}
	w.Header().Set("Server", "cosi-emu")
	defer func() { x.release() }()
	defer s.recover(x)
	for _, run := range phases {
		if err := run(s, x); err != nil {
			s.refuse(x, err)
			return
		}
	}
}

// refuse answers with an error, and logs what is not the client's fault.
func (s *Service) refuse(x *exchange, err error) {
	found := failureOf(err)
	log := s.options.Logger.WithValues("operation", x.operation.name, "bucket", x.target.bucket, "reason", found.reason)
	if found == errInternal {
		log.Error(err, "gcs request failed")
	} else {
		log.V(1).Info("gcs request refused")
	}
	x.release() // a refusal may reach whoever it likes
	if !x.begun {
		found.write(x.w)
	}
}

// recover turns a panic into an internal error.
func (s *Service) recover(x *exchange) {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler { //nolint:errorlint // a sentinel that net/http compares like this
		panic(cause)
	}
	s.options.Logger.Error(fmt.Errorf("panic: %v", cause), "gcs request failed", //nolint:err113 // has no kind
		"operation", x.operation.name, "stack", string(debug.Stack()))
	x.release()
	if !x.begun {
		errInternal.write(x.w)
	}
}

// parse reads path and query, strictly: what two readers would see differently
// must not get through.
func (s *Service) parse(x *exchange) (err error) {
	if x.query, err = url.ParseQuery(x.r.URL.RawQuery); err != nil {
		return errInvalid.with("The query is not properly escaped")
	}
	x.target, err = parseTarget(x.r)
	return err
}

// classify finds the operation.
func (s *Service) classify(x *exchange) (err error) {
	if x.operation, err = classify(x.r.Method, x.target, x.query); err != nil {
		return err
	}
	return checkHeaders(x.r.Header, x.operation)
}

// perform does what is asked for, after a last look at the key and at the grant.
// No client is waited for in the meantime.
func (s *Service) perform(x *exchange) error {
	unlock := s.lock.RUnlock
	if x.operation.changes {
		s.lock.Lock()
		unlock = s.lock.Unlock
	} else {
		s.lock.RLock()
	}
	x.release = sync.OnceFunc(unlock)
	if err := s.authorize(x); err != nil {
		return err
	}
	leave, err := x.visitor.Enter()
	if err != nil {
		return err
	}
	x.release = sync.OnceFunc(func() { leave(); unlock() })
	return x.operation.do(s, x)
}
