package dataplane

import (
	"context"
	"errors"
)

// either is a bucket that may have one of several names.
type either []Client

// Either returns a client whose requests succeed if they succeed with one of the clients.
func Either(clients ...Client) Client { return either(clients) }

// try returns nil if a request succeeds, and otherwise the first answer.
func (e either) try(request func(Client) error) error {
	var errs []error
	for _, client := range e {
		err := request(client)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
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
