package dataplane

import (
	"context"
	"errors"
	"fmt"
)

// either is a bucket that may have one of several names.
type either []named

// named is a client for a bucket, of which the errors have the name.
type named struct {
	Client

	bucket string
}

// Either returns a client whose requests succeed if they succeed for one of the names of a bucket.
func Either(of func(bucket string) Client, buckets ...string) Client {
	var e either
	for _, bucket := range buckets {
		e = append(e, named{of(bucket), bucket})
	}
	return e
}

// try returns nil if a request succeeds, and otherwise the errors of all names.
func (e either) try(request func(Client) error) error {
	var errs []error
	for _, client := range e {
		err := request(client.Client)
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("with bucket name %s: %w", client.bucket, err))
	}
	return errors.Join(errs...)
}

func (e either) Put(ctx context.Context, object string, content []byte) error {
	return e.try(func(c Client) error { return c.Put(ctx, object, content) })
}

func (e either) Get(ctx context.Context, object string) (content []byte, err error) {
	err = e.try(func(c Client) (err error) { content, err = c.Get(ctx, object); return err })
	return content, err
}

func (e either) Delete(ctx context.Context, object string) error {
	return e.try(func(c Client) error { return c.Delete(ctx, object) })
}

func (e either) List(ctx context.Context) error {
	return e.try(func(c Client) error { return c.List(ctx) })
}

func (e either) Close() {
	for _, client := range e {
		client.Close()
	}
}
