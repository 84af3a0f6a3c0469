package adminapi

import (
	"context"
	"net/http"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// Backend is the content of the backend of an emulator, without keys.
type Backend struct {
	Buckets  []fakedriver.Bucket  `json:"buckets"`
	Accounts []fakedriver.Account `json:"accounts"`
}

// ServeBackend lets clients read the backend. It must be called once.
func (s *Server) ServeBackend(read func(context.Context) (Backend, error)) {
	s.mux.HandleFunc("GET /backend", func(w http.ResponseWriter, r *http.Request) {
		content, err := read(r.Context())
		if err != nil {
			answer(w, err)
			return
		}
		write(w, http.StatusOK, content)
	})
}

// Backend returns the content of the backend. It is an error if the driver is not the emulator's.
func (c *Client) Backend(ctx context.Context) (Backend, error) {
	var content Backend
	err := c.do(ctx, http.MethodGet, "/backend", nil, &content)
	return content, err
}
