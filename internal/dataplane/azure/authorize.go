package azure

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// authorize compares the operation's needs with the signature and with the grant.
func (s *Service) authorize(x *exchange) error {
	grant, err := x.Caller.Grant(fakedriver.ProtocolAzure, x.target.container)
	if err != nil && !errors.Is(err, fakedriver.ErrNotExist) {
		return err
	}
	if !x.permits(x.operation.letters, grant, x.operation.needs) || !x.permitsTags(grant) {
		return failure.ErrPermission
	}
	if err != nil {
		return err
	}
	x.bucket, err = s.options.Store.Bucket(x.R.Context(), x.target.container)
	return err
}

func (x *exchange) permits(letters string, grant fakedriver.Grant, needs []authorization.Need) bool {
	return permits(x.Query, letters) && authorization.Allows(grant, needs)
}

// permitsTags reports whether the request may read the tags of its condition, and write the tags of
// its blob.
func (x *exchange) permitsTags(grant fakedriver.Grant) bool {
	if x.header(ifTagsHeader) != "" && !x.permits("t", grant, authorization.ReadObject) {
		return false
	}
	setsTags := slices.Contains(creating, x.operation.name) && (x.header(tagsHeader) != "" || x.copiesTags())
	return !setsTags || authorization.Allows(grant, authorization.WriteObjectMetadata)
}

func permits(query url.Values, letters string) bool {
	return strings.ContainsAny(query.Get("sp"), letters)
}
