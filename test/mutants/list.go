package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// list lists the objects of the resource of a write, by field selector. Components are
// always allowed to list, but not always to get.
func list(ctx context.Context, next http.RoundTripper, write *http.Request, selector string) ([]json.RawMessage, error) {
	get := write.Clone(ctx)
	get.Method, get.Body, get.GetBody, get.ContentLength = http.MethodGet, http.NoBody, nil, 0
	get.URL.Path = path.Dir(objectPath(write))
	get.URL.RawQuery = url.Values{"fieldSelector": {selector}}.Encode()
	response, err := next.RoundTrip(get)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var all struct {
		Items []json.RawMessage `json:"items"`
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("list %s: %s", get.URL.Path, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		return nil, fmt.Errorf("list %s: %w", get.URL.Path, err)
	}
	return all.Items, nil
}

// read returns the object of a write.
func read(ctx context.Context, next http.RoundTripper, write *http.Request) (json.RawMessage, error) {
	name := path.Base(objectPath(write))
	found, err := list(ctx, next, write, "metadata.name="+name)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: not found", objectPath(write))
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func objectPath(write *http.Request) string { return strings.TrimSuffix(write.URL.Path, "/status") }

// patch patches another object than the component does.
func patch(ctx context.Context, next http.RoundTripper, like *http.Request, object, body string) {
	r := like.Clone(ctx)
	r.Method, r.GetBody = http.MethodPatch, nil
	r.Header.Set("Content-Type", "application/merge-patch+json")
	r.URL.Path, r.URL.RawQuery = object, ""
	if response, err := next.RoundTrip(withBody(r, []byte(body))); err == nil {
		_ = response.Body.Close()
	}
}
