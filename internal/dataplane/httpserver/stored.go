package httpserver

import "context"

type storedKey struct{}

// WithStored returns a context whose request can report by NoteStored which object it stores.
func WithStored(ctx context.Context, key *string) context.Context {
	return context.WithValue(ctx, storedKey{}, key)
}

// NoteStored reports the key of the object that a request stores if it succeeds, for requests whose
// path, query and headers do not contain it.
func NoteStored(ctx context.Context, key string) {
	if noted, ok := ctx.Value(storedKey{}).(*string); ok {
		*noted = key
	}
}
