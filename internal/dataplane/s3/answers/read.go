package answers

import (
	"errors"
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
)

func (a *Answers) readObject(x *exchange) error {
	if err := x.find(); err != nil {
		return err
	}
	if err := x.conditions.Read(x.version); err != nil {
		if errors.Is(err, s3error.ErrNotModified) {
			x.describeVersion()
		}
		return err
	}
	if err := x.chooseRange(); err != nil {
		return err
	}
	return a.serveGofakes3(x)
}

// find looks up the version of the request. For a delete marker, the response shows it.
func (x *exchange) find() error {
	v, err := x.contents.Get(x.Key, x.Query.Get("versionId"))
	if err != nil && v != nil {
		header := x.W.Header()
		header.Set("X-Amz-Delete-Marker", "true")
		header.Set("X-Amz-Version-Id", v.ID)
		if x.Query.Has("versionId") {
			header.Set("Last-Modified", v.Modified().Format(http.TimeFormat))
			header.Set("Allow", http.MethodDelete)
		}
	}
	x.version = v
	x.Hold(v.Release)
	return err
}
