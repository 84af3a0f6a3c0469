package answers

import (
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
)

// putObject answers PutObject, the most frequent operation, without gofakes3, which would read the
// body again and compute digests of it.
func (a *Answers) putObject(x *s3exchange.Exchange) error {
	if err := storeObject(x); err != nil {
		return err
	}
	x.W.WriteHeader(http.StatusOK)
	return nil
}

// storeObject stores the object, and prepares the header of the response.
func storeObject(x *s3exchange.Exchange) error {
	draft, err := x.Draft()
	if err != nil {
		return err
	}
	if err := x.CheckDigest(draft.Attributes.Lock, "Put Object"); err != nil {
		return err
	}
	if err := x.Dialect.Finish(&draft); err != nil {
		return err
	}
	if x.Version, err = x.Contents.Put(x.Key, draft, x.Conditions); err != nil {
		return err
	}
	x.DescribeOutcome()
	return nil
}

// composeObject answers ComposeObject, which only other services have.
func (a *Answers) composeObject(x *s3exchange.Exchange) (err error) {
	if x.Content, err = x.Dialect.Compose(x, x.Contents); err != nil {
		return err
	}
	return a.putObject(x)
}
