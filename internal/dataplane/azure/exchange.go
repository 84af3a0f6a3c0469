package azure

import (
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// exchange is one request on its way through the phases.
type exchange struct {
	pipeline.Exchange

	target    target
	operation operation
	lease     string // the ID of a lease in its one form, if the client gives one
	bucket    *objects.Bucket
	body      received
}

func (x *exchange) header(name string) string { return x.R.Header.Get(name) }

func (x *exchange) set(name, value string) {
	if value != "" {
		x.W.Header().Set(name, value)
	}
}
