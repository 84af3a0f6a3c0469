package seam

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// versioned has the version of an object or a list.
type versioned struct {
	Metadata struct {
		Namespace       string `json:"namespace"`
		Name            string `json:"name"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []versioned `json:"items"`
}

// revision returns the version as an etcd revision, or 0.
func (v versioned) revision() uint64 {
	n, err := strconv.ParseUint(v.Metadata.ResourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// latest returns the revision of the latest change of the object, or of an item.
func (v versioned) latest() uint64 {
	if v.Items == nil {
		return v.revision()
	}
	newest := uint64(0)
	for _, item := range v.Items {
		newest = max(newest, item.revision())
	}
	return newest
}

func (v versioned) has(item location) bool {
	return slices.ContainsFunc(v.Items, func(other versioned) bool {
		return other.Metadata.Namespace == item.namespace && other.Metadata.Name == item.name
	})
}

// stale answers a read with the state before that number of changes. A deleted object exists again
// if a watch of any component has delivered its deletion.
func (r *apiRequest) stale(changes int) (*http.Response, error) {
	resp, err := r.pass()
	for before := uint64(math.MaxUint64); changes > 0 && err == nil && before > 1; changes-- {
		resp, before, err = r.previous(resp, before)
	}
	return resp, err
}

// previous returns the response before the latest change that precedes a revision, and the revision
// of that response, or the same response and 0.
func (r *apiRequest) previous(resp *http.Response, before uint64) (*http.Response, uint64, error) {
	now, ok, err := read(resp)
	for err == nil && ok {
		died := r.operation.incarnation.hooks.Tombstones.last(r.location(), before)
		changed := max(now.latest(), died.revision)
		if changed <= 1 {
			break
		}
		past, pastErr := r.at(changed - 1)
		if pastErr != nil || r.info.Verb == "get" || changed == now.latest() {
			return past, changed, pastErr
		}
		// The selector of the list may not match the deleted object.
		if then, ok, readErr := read(past); readErr != nil || !ok || then.has(died.location) {
			return past, changed, readErr
		}
		before = changed
	}
	return resp, 0, err
}

// read parses a response with an object, a list or nothing, so that it can be read
// again. It returns false for other responses.
func read(resp *http.Response) (versioned, bool, error) {
	var now versioned
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotFound {
		return now, false, nil
	}
	body, err := readResponse(resp)
	if err != nil || resp.StatusCode == http.StatusNotFound {
		return now, err == nil, err
	}
	return now, json.Unmarshal(body, &now) == nil, nil
}

func (r *apiRequest) location() location {
	return location{r.info.APIGroup, r.info.Resource, r.info.Namespace, r.info.Name}
}

// at answers a read with the state at an etcd revision. The API server serves past states only as
// lists, so an object is taken from a list. The component must have the right to get it; see Hooks.Past.
func (r *apiRequest) at(revision uint64) (*http.Response, error) {
	past := *r
	past.Request = r.Clone(r.Context())
	query := url.Values{}
	if r.info.Verb == "list" {
		query = past.URL.Query()
	} else {
		past.URL.Path = parent(past.URL.Path, r.info.Subresource != "")
		query.Set("fieldSelector", "metadata.name="+r.info.Name)
		past.Header.Set("Accept", metadataOfOne.ReplaceAllString(past.Header.Get("Accept"), "as=PartialObjectMetadataList"))
	}
	query.Set("resourceVersion", strconv.FormatUint(revision, 10))
	query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
	past.URL.RawQuery = query.Encode()
	if bench := r.operation.incarnation.hooks.Past; bench != nil && r.info.Verb == "get" {
		past.next = bench
		maps.DeleteFunc(past.Header, func(name string, _ []string) bool {
			return name == "Authorization" || strings.HasPrefix(name, "Impersonate-")
		})
	}
	resp, err := past.pass()
	if err != nil || r.info.Verb == "list" || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	return r.only(resp)
}

// metadataOfOne matches the Accept header of a read of one object's metadata. Lists do
// not support that form.
var metadataOfOne = regexp.MustCompile(`\bas=PartialObjectMetadata\b`)

func parent(path string, subresource bool) string {
	u := url.URL{Path: path}
	if subresource {
		return u.JoinPath("..", "..").Path
	}
	return u.JoinPath("..").Path
}

// only converts a list with at most one object into the response of a get.
func (r *apiRequest) only(resp *http.Response) (*http.Response, error) {
	body, err := readResponse(resp)
	if err != nil {
		return nil, err
	}
	var list struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Items      []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		missing := r.statusOf(http.StatusNotFound, "")
		missing.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		return r.answer(http.StatusNotFound, resp.Header, missing)
	}
	object := list.Items[0]
	if object["kind"] == nil { // items of built-in lists have no kind
		object["apiVersion"], object["kind"] = list.APIVersion, list.Kind[:max(0, len(list.Kind)-len("List"))]
	}
	return r.answer(http.StatusOK, resp.Header, object)
}

// frozenAt is the key of the first watch event that a frozen component, or one that lags, did not
// receive. The component sees the state one revision before it.
type frozenAt struct{ component, resource string }

// frozen answers a list with the state at which the component's view is frozen. It rejects a watch
// that asks for initial events, as an API server without that feature does, so that the component
// sends a list.
func (r *apiRequest) frozen() (*http.Response, error) {
	if r.info.Verb == "watch" {
		if r.URL.Query().Get("sendInitialEvents") != "true" {
			return r.pass()
		}
		return r.fail(string(metav1.StatusReasonInvalid))
	}
	c := r.operation
	if err := r.travel(); err != nil {
		return nil, err
	}
	first, ok := c.applied.Noted(frozenAt{c.event.Component, r.info.Resource}).(uint64)
	if !ok {
		return r.pass()
	}
	if r.info.Verb != "list" { // its own request shows whether the component may read the object
		resp, err := r.pass()
		if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotFound {
			return resp, err
		}
		r.drop(resp)
	}
	return r.at(first - 1)
}
