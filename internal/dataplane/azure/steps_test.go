package azure_test

import (
	"strings"
	"testing"
)

// step is a request of a story, with the code and some headers of its response.
type step struct {
	method, blob, query, body string
	headers                   []string
	want                      string
	header                    map[string]string
}

// story is a sequence of requests to an empty container.
type story struct {
	reason string
	steps  []step
}

func (a access) tell(t *testing.T, stories map[string]story) {
	t.Helper()
	for name, told := range stories {
		for i, s := range told.steps {
			got := a.do(t, s.method, strings.ReplaceAll(name, " ", "-")+s.blob, s.query, s.body, s.headers...)
			if got.code() != s.want {
				t.Errorf(
					"%s, because %s: request %d, %s %q: %d %s, want %s",
					name,
					told.reason,
					i+1,
					s.method,
					s.query,
					got.status,
					got.code(),
					s.want,
				)
			}
			for header, want := range s.header {
				if got.header.Get(header) != want {
					t.Errorf("%s, because %s: request %d: %s is %q, want %q", name, told.reason, i+1, header, got.header.Get(header), want)
				}
			}
		}
	}
}

const (
	blockTyped  = "x-ms-blob-type: BlockBlob"
	appendTyped = "x-ms-blob-type: AppendBlob"
	pageTyped   = "x-ms-blob-type: PageBlob"
)

func put(body string, headers ...string) step {
	return step{method: "PUT", body: body, headers: append([]string{blockTyped}, headers...), want: "OK"}
}

// set changes the part of a blob that comp names.
func set(comp, want string, headers ...string) step {
	return step{method: "PUT", query: "comp=" + comp, headers: headers, want: want}
}

// twice repeats the last of the steps, with another code.
func twice(want string, steps ...step) []step {
	again := steps[len(steps)-1]
	again.want = want
	return append(steps, again)
}
