package adminapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/description"
)

type snapshotRequest struct {
	// File is an absolute path.
	File    string `json:"file"`
	Replace bool   `json:"replace,omitempty"`
}

type saveSnapshot func(ctx context.Context, file string, replace bool) (description.SnapshotInfo, error)

// ServeSnapshots lets clients save snapshots. It must be called once.
func (s *Server) ServeSnapshots(save saveSnapshot) {
	s.mux.HandleFunc("POST /snapshots", func(w http.ResponseWriter, r *http.Request) {
		var wanted snapshotRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&wanted); err != nil {
			write(w, http.StatusBadRequest, problem{Message: "the request for a snapshot cannot be read: " + err.Error()})
			return
		}
		control := http.NewResponseController(w) // a large store takes longer than other requests
		if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
			answer(w, err)
			return
		}
		info, err := save(r.Context(), wanted.File, wanted.Replace)
		if err != nil {
			answer(w, err)
			return
		}
		write(w, http.StatusOK, info)
	})
}

// SaveSnapshot makes the emulator save a snapshot to a file with an absolute path. The error may
// wrap emulator.ErrSnapshotExists or emulator.ErrSnapshotUnsupported.
func (c *Client) SaveSnapshot(ctx context.Context, file string, replace bool) (info description.SnapshotInfo, err error) {
	body, err := json.Marshal(snapshotRequest{File: file, Replace: replace})
	if err != nil {
		return info, err
	}
	unlimited := &Client{&http.Client{Transport: c.http.Transport}}
	err = unlimited.do(ctx, http.MethodPost, "/snapshots", body, &info)
	return info, err
}
