package phasetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// lineOf describes a request in one line, as in
//
//	create buckets bc-1
//	patch bucketclaims/status photos (resourceVersion)
//	delete buckets bc-1 (uid, resourceVersion): Conflict
//
// The line has a write's preconditions on its object, in brackets, and the status
// of the answer if that is an error.
func lineOf(request cluster.Request) string {
	resource, name := target(request.Path)
	body := bodyOf(request)
	if name == "" {
		name = body.Metadata.Name
	}
	line := strings.TrimSpace(verbs[request.Method] + " " + resource + " " + name)
	if locks := body.locks(); request.Method != http.MethodPost && len(locks) > 0 {
		line += " (" + strings.Join(locks, ", ") + ")"
	}
	if request.Status >= http.StatusBadRequest {
		line += ": " + http.StatusText(request.Status)
	}
	return line
}

var verbs = map[string]string{
	http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
}

// target returns the resource of a path, with its subresource, and the name of the object.
// The path is /api/v1/... or /apis/<group>/<version>/..., perhaps with namespaces/<name>.
func target(path string) (resource, name string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	skip := 2
	if parts[0] == "apis" {
		skip = 3
	}
	parts = parts[min(skip, len(parts)):]
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	parts = append(parts, make([]string, 3)...) // with "" for missing parts
	resource, name = parts[0], parts[1]
	if subresource := parts[2]; subresource != "" {
		resource += "/" + subresource
	}
	return resource, name
}

// body is what identifies the object of a write.
type body struct {
	Metadata      identity `json:"metadata"`
	Preconditions identity `json:"preconditions"`
}

type identity struct {
	Name            string `json:"name"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

func bodyOf(request cluster.Request) body {
	var b body
	if err := json.Unmarshal(request.Body, &b); err != nil {
		return body{} // a list of operations, or nothing
	}
	return b
}

func (b body) locks() []string {
	all := []string{"uid", "resourceVersion"}
	return slices.DeleteFunc(all, func(lock string) bool {
		if lock == "uid" {
			return b.Metadata.UID == "" && b.Preconditions.UID == ""
		}
		return b.Metadata.ResourceVersion == "" && b.Preconditions.ResourceVersion == ""
	})
}
