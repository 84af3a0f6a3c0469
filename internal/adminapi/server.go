package adminapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/snapshot"
)

const (
	dirMode  = 0o700
	fileMode = 0o600

	// maxBody is far more than a fault needs, in bytes.
	maxBody = 1 << 20
	timeout = 10 * time.Second
)

// Server controls an emulator for its clients.
type Server struct {
	http   *http.Server
	mux    *http.ServeMux
	served sync.WaitGroup
	err    error
}

// Faults are implemented by *fault.Set.
type Faults interface {
	Add(f fault.Fault) error
	Remove(name string) error
	Clear()
	List() []fault.Status
}

// Listen serves on a socket until Close. It creates the directory if missing, and replaces the
// socket of an earlier process. OpenPage starts to serve the emulator's page, if necessary, and
// returns its URL; it is nil without a page.
func Listen(ctx context.Context, socket string, faults Faults, openPage func(context.Context) (string, error)) (*Server, error) {
	if err := os.MkdirAll(filepath.Dir(socket), dirMode); err != nil {
		return nil, fmt.Errorf("make the directory of the control socket: %w", err)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the control socket of an earlier process: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("listen for control on %s: %w", socket, err)
	}
	if err := os.Chmod(socket, fileMode); err != nil {
		return nil, errors.Join(fmt.Errorf("protect the control socket: %w", err), l.Close())
	}
	mux := handler(faults, openPage)
	s := &Server{mux: mux, http: &http.Server{Handler: mux, ReadTimeout: timeout, WriteTimeout: timeout, IdleTimeout: timeout}}
	s.served.Go(func() { s.err = s.http.Serve(l) })
	return s, nil
}

// Close ends the service after the requests in flight, and removes the socket.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	s.served.Wait()
	if !errors.Is(s.err, http.ErrServerClosed) {
		err = errors.Join(err, s.err)
	}
	return err
}

func handler(faults Faults, openPage func(context.Context) (string, error)) *http.ServeMux {
	mux := http.NewServeMux()
	if openPage != nil {
		mux.HandleFunc("POST /page", func(w http.ResponseWriter, r *http.Request) {
			url, err := openPage(r.Context())
			if err != nil {
				answer(w, err)
				return
			}
			write(w, http.StatusOK, page{URL: url})
		})
	}
	mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, faults.List()) })
	mux.HandleFunc("POST /faults", func(w http.ResponseWriter, r *http.Request) {
		var f fault.Fault
		body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
		body.DisallowUnknownFields()
		if err := body.Decode(&f); err != nil {
			write(w, http.StatusBadRequest, problem{Message: "the fault cannot be read: " + err.Error()})
			return
		}
		answer(w, faults.Add(f))
	})
	mux.HandleFunc("DELETE /faults/{name}", func(w http.ResponseWriter, r *http.Request) {
		answer(w, faults.Remove(r.PathValue("name")))
	})
	mux.HandleFunc("DELETE /faults", func(w http.ResponseWriter, _ *http.Request) {
		faults.Clear()
		answer(w, nil)
	})
	return mux
}

// page is the response about the page of an emulator.
type page struct {
	URL string `json:"url"`
}

// problem is an error response.
type problem struct {
	Message string `json:"message"`
}

// codes are the statuses for the errors of a fault.Set.
var codes = map[error]int{
	fault.ErrInvalid: http.StatusUnprocessableEntity, fault.ErrDuplicate: http.StatusConflict, fault.ErrUnknown: http.StatusNotFound,
	snapshot.ErrExists: http.StatusPreconditionFailed, snapshot.ErrUnsupported: http.StatusNotImplemented,
}

func answer(w http.ResponseWriter, err error) {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	for kind, code := range codes {
		if errors.Is(err, kind) {
			write(w, code, problem{Message: err.Error()})
			return
		}
	}
	write(w, http.StatusInternalServerError, problem{Message: err.Error()})
}

func write(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) //nolint:errchkjson // the client has gone; what is sent can be encoded
}

// Handler serves /faults for a server that authorizes its clients itself.
func Handler(faults Faults) http.Handler { return handler(faults, nil) }
