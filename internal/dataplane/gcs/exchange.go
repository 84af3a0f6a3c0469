package gcs

import (
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// exchange is one request on its way through the phases.
type exchange struct {
	pipeline.Exchange

	target    target
	operation operation
	// bucket belongs to the target, and source to the source of a copy.
	bucket, source *objects.Bucket
	body           received
}
