package differential

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// generator draws requests. The same seed draws the same requests, if the servers answer
// the same.
type generator struct {
	random    *rand.Rand
	kinds     []*kind
	namespace string
	// user has limited rights; empty in a run without such a user.
	user string
	// current returns an object as the servers have it, for edits of its values.
	current func(path string) map[string]any
}

// Names of objects. A few are enough: requests have to meet.
var names = []string{"one", "two"}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// chance is true in so many of a hundred cases.
func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

// subject is the object of a request.
type subject struct {
	kind             *kind
	namespace, name  string
	collection, path string
}

func (g *generator) subject() subject {
	s := subject{kind: pick(g.random, g.kinds), namespace: g.namespace, name: pick(g.random, names)}
	if !s.kind.Namespaced {
		s.name = g.namespace + "-" + s.name
	}
	s.collection = s.kind.path(s.namespace)
	s.path = s.collection + "/" + s.name
	return s
}

// next returns a request. Most are about objects that exist.
func (g *generator) next() request {
	s := g.subject()
	if g.current(s.path) == nil && g.chance(60) {
		return g.create(s)
	}
	draws := []struct {
		weight int
		draw   func(subject) request
	}{
		{10, g.create}, {16, g.update}, {16, g.mergePatch}, {9, g.jsonPatch}, {5, g.strategicPatch}, {12, g.apply}, {22, g.status},
		{7, g.delete}, {1, g.deleteCollection}, {5, g.get}, {7, g.list}, {2, g.malformed}, {2, g.review}, {1, g.big},
	}
	total := 0
	for _, d := range draws {
		total += d.weight
	}
	at := g.random.IntN(total)
	for _, d := range draws {
		if at -= d.weight; at < 0 {
			r := d.draw(s)
			r.User = g.sender()
			if g.chance(2) {
				r.Credential = pick(g.random, credentials)
			}
			return r
		}
	}
	return g.get(s)
}

// sender draws who sends a request: nearly always the administrator, unless there is a user whose
// rights are to be tried.
func (g *generator) sender() string {
	switch {
	case g.chance(4):
		return "alice"
	case g.user != "" && g.chance(40):
		return g.user
	default:
		return ""
	}
}

func (g *generator) writeOptions() url.Values {
	query := url.Values{}
	if g.chance(8) {
		query.Set("dryRun", "All")
	}
	if g.chance(40) {
		query.Set("fieldValidation", pick(g.random, []string{"Strict", "Warn", "Ignore", "Other"}))
	}
	if g.chance(10) {
		query.Set("fieldManager", pick(g.random, []string{"alice", "bob"}))
	}
	return query
}

func (g *generator) create(s subject) request {
	object := s.kind.object(g.random.IntN(len(s.kind.Objects)), s.namespace, s.name)
	metadata, _ := object["metadata"].(map[string]any)
	r := request{Method: http.MethodPost, Path: s.collection, Object: s.path, ContentType: "application/json", Query: g.writeOptions()}
	switch g.random.IntN(12) {
	case 0:
		delete(metadata, "name")
		metadata["generateName"] = "generated-"
		r.Query.Set("dryRun", "All")
	case 1:
		metadata["finalizers"] = []any{"cosi.example/test"}
	case 2:
		metadata["ownerReferences"] = []any{g.owner()}
	case 3:
		metadata["labels"] = map[string]any{"color": pick(g.random, []string{"red", "blue"})}
	}
	if len(s.kind.Status) > 0 && g.chance(10) {
		object["status"] = fill(pick(g.random, s.kind.Status), s.namespace, s.name)
	}
	var edited any = object
	if g.chance(40) {
		for range 1 + g.random.IntN(2) {
			edited = g.edit(s.kind, object).apply(edited)
		}
	}
	r.Body = text(edited)
	return r
}

func (g *generator) owner() map[string]any {
	return map[string]any{
		"apiVersion": pick(g.random, []string{"v1", "v1", "other/v1", ""}), "kind": "ConfigMap", "name": pick(g.random, names),
		"uid": "11111111-2222-3333-4444-555555555555", "controller": g.chance(50), "blockOwnerDeletion": g.chance(50),
	}
}

func (g *generator) update(s subject) request {
	r := request{
		Method: http.MethodPut, Path: s.path, Object: s.path, ContentType: "application/json", Query: g.writeOptions(), Current: true,
	}
	current := g.current(s.path)
	if current == nil || g.chance(15) {
		created := g.create(s)
		r.Current, r.Body = false, created.Body
		return r
	}
	switch g.random.IntN(6) {
	case 0:
		r.Edits = append(r.Edits, edit{Path: []string{"metadata", "resourceVersion"}, Value: placeFirst})
	case 1:
		r.Edits = append(r.Edits, edit{Path: []string{"metadata", "resourceVersion"}, Remove: true})
	}
	for range 1 + g.random.IntN(2) {
		r.Edits = append(r.Edits, g.edit(s.kind, current))
	}
	return r
}

func (g *generator) mergePatch(s subject) request {
	return g.patch(s, "application/merge-patch+json", text(g.partial(s)))
}

func (g *generator) strategicPatch(s subject) request {
	return g.patch(s, "application/strategic-merge-patch+json", text(g.partial(s)))
}

func (g *generator) patch(s subject, contentType, body string) request {
	return request{Method: http.MethodPatch, Path: s.path, Object: s.path, ContentType: contentType, Query: g.writeOptions(), Body: body}
}

// partial returns an object with a few edited fields, and preconditions now and then.
func (g *generator) partial(s subject) any {
	base := g.current(s.path)
	if base == nil {
		base = s.kind.object(0, s.namespace, s.name)
	}
	var patch any = map[string]any{}
	for range 1 + g.random.IntN(2) {
		e := g.edit(s.kind, base)
		if e.Remove {
			e.Value, e.Remove = nil, false
		}
		patch = e.asMerge().apply(patch)
	}
	switch g.random.IntN(10) {
	case 0:
		patch = edit{Path: []string{"metadata", "uid"}, Value: pick(g.random, []string{placeUID, "other"})}.apply(patch)
	case 1:
		patch = edit{Path: []string{"metadata", "resourceVersion"}, Value: pick(g.random, []string{placeVersion, placeFirst})}.apply(patch)
	case 2:
		patch = edit{Path: []string{"metadata", "finalizers"}, Value: pick(g.random, []any{nil, []any{"cosi.example/test"}})}.apply(patch)
	}
	return patch
}

// asMerge stops at the first list, which a merge replaces as a whole.
func (e edit) asMerge() edit {
	for i, key := range e.Path {
		if _, err := strconv.Atoi(key); err == nil {
			return edit{Path: e.Path[:i], Value: []any{e.Value}}
		}
	}
	return e
}

func (g *generator) jsonPatch(s subject) request {
	base := g.current(s.path)
	if base == nil {
		base = s.kind.object(0, s.namespace, s.name)
	}
	var operations []any
	for range 1 + g.random.IntN(2) {
		e := g.edit(s.kind, base)
		var pointer strings.Builder
		for _, key := range e.Path {
			pointer.WriteString("/" + key)
		}
		operation := map[string]any{
			"op": pick(g.random, []string{"replace", "add", "test", "replace"}), "path": pointer.String(), "value": e.Value,
		}
		if e.Remove {
			operation = map[string]any{"op": "remove", "path": pointer.String()}
		}
		operations = append(operations, operation)
	}
	return g.patch(s, "application/json-patch+json", text(operations))
}

func (g *generator) apply(s subject) request {
	object := s.kind.object(g.random.IntN(len(s.kind.Objects)), s.namespace, s.name)
	var edited any = object
	for range g.random.IntN(3) {
		edited = g.edit(s.kind, object).apply(edited)
	}
	r := g.patch(s, "application/apply-patch+yaml", text(edited))
	r.Query.Set("fieldManager", pick(g.random, []string{"alice", "bob"}))
	if g.chance(40) {
		r.Query.Set("force", "true")
	}
	if g.chance(3) {
		r.Query.Del("fieldManager")
	}
	return r
}

// status writes the status of an object.
func (g *generator) status(s subject) request {
	for tries := 0; (len(s.kind.Status) == 0 || g.current(s.path) == nil) && tries < 20; tries++ { // nearly all find one
		s = g.subject()
	}
	var r request
	state := map[string]any{}
	if len(s.kind.Status) > 0 {
		state = fill(pick(g.random, s.kind.Status), s.namespace, s.name)
	}
	holder := map[string]any{"status": state}
	var edited any = holder
	if g.chance(50) {
		e := g.editBelow(s.kind, holder, []string{"status"})
		if e.Remove {
			e.Value, e.Remove = nil, false
		}
		edited = e.asMerge().apply(edited)
	}
	switch g.random.IntN(3) {
	case 0:
		r = g.patch(s, "application/merge-patch+json", text(edited))
	case 1:
		object := s.kind.object(0, s.namespace, s.name)
		object["status"] = edited
		if inner, ok := edited.(map[string]any); ok {
			object["status"] = inner["status"]
		}
		r = g.patch(s, "application/apply-patch+yaml", text(object))
		r.Query.Set("fieldManager", pick(g.random, []string{"alice", "bob"}))
	default:
		r = request{Method: http.MethodPut, Object: s.path, ContentType: "application/json", Query: g.writeOptions(), Current: true}
		if inner, ok := edited.(map[string]any); ok {
			r.Edits = []edit{{Path: []string{"status"}, Value: inner["status"]}}
		}
		if g.current(s.path) == nil {
			r.Current, r.Body = false, text(s.kind.object(0, s.namespace, s.name))
		}
	}
	r.Path = s.path + "/status"
	return r
}

func (g *generator) delete(s subject) request {
	r := request{Method: http.MethodDelete, Path: s.path, Object: s.path, ContentType: "application/json", Query: url.Values{}}
	options := map[string]any{}
	if g.chance(30) {
		options["propagationPolicy"] = pick(g.random, []string{"Foreground", "Background", "Orphan", "Other"})
	}
	if g.chance(20) {
		options["preconditions"] = pick(g.random, []any{
			map[string]any{"uid": placeUID}, map[string]any{"uid": "other"}, map[string]any{"resourceVersion": placeVersion},
			map[string]any{"resourceVersion": placeFirst},
		})
	}
	if g.chance(10) {
		options["gracePeriodSeconds"] = pick(g.random, []any{0, 1, -1})
	}
	if g.chance(8) {
		options["dryRun"] = pick(g.random, []any{[]any{"All"}, []any{"Other"}})
	}
	if len(options) > 0 || g.chance(50) {
		r.Body = text(options)
	}
	return r
}

func (g *generator) deleteCollection(s subject) request {
	r := g.delete(s)
	r.Path, r.Object = s.collection, ""
	if s.kind.Namespaced {
		return r
	}
	// The objects of others stay.
	r.Query.Set("fieldSelector", "metadata.name="+s.name)
	return r
}

const (
	acceptTable    = "application/json;as=Table;g=meta.k8s.io;v=v1"
	acceptMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	acceptList     = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

func (g *generator) get(s subject) request {
	r := request{Method: http.MethodGet, Path: s.path, Object: s.path, Query: url.Values{}}
	switch g.random.IntN(8) {
	case 0:
		r.Accept = acceptTable
	case 1:
		r.Accept = acceptMetadata
	case 2:
		r.Path += "/status"
	case 3:
		r.Accept = "text/plain"
	}
	return r
}

// list lists the objects of the run itself: collections without a namespace have other objects, too.
func (g *generator) list(s subject) request {
	r := request{Method: http.MethodGet, Path: s.collection, Query: url.Values{}}
	if s.kind.Namespaced {
		switch g.random.IntN(5) {
		case 0:
			r.Query.Set("fieldSelector", "metadata.name="+s.name)
		case 1:
			r.Query.Set("fieldSelector", pick(g.random, []string{"spec.x=1", "metadata.name", "type=Opaque", "metadata.name!=one"}))
		}
		if g.chance(25) {
			r.Query.Set("limit", "1")
			if g.chance(60) {
				r.Query.Set("continue", placeContinue)
			}
		}
	} else {
		r.Query.Set("fieldSelector", "metadata.name="+s.name)
	}
	if g.chance(30) {
		r.Query.Set("labelSelector", pick(g.random, []string{
			"color=red", "color", "!color", "color in (red,blue)", "color=red,color=blue", "a b",
		}))
	}
	if g.chance(15) {
		r.Query.Set("resourceVersion", pick(g.random, []string{"x", "-1"}))
	}
	if g.chance(8) {
		r.Query.Set("resourceVersionMatch", pick(g.random, []string{"Exact", "NotOlderThan", "Other"}))
	}
	if g.chance(15) {
		// Exactly this version: the cache of kube-apiserver may or may not have a newer one.
		r.Object = s.path
		r.Query.Set("resourceVersion", pick(g.random, []string{placeFirst, placeVersion}))
		r.Query.Set("resourceVersionMatch", "Exact")
	}
	if g.chance(25) {
		r.Accept = pick(g.random, []string{acceptTable, acceptList})
	}
	return r
}

// big creates or changes an object by a value near a limit: of annotations (256 KiB), of the data
// of a Secret (1 MiB), of etcd (1.5 MiB), of a request (3 MiB).
func (g *generator) big(s subject) request {
	value := strings.Repeat("x", pick(g.random, []int{200, 300, 1000, 1100, 1500, 1600, 3000, 3200})<<10)
	field := pick(g.random, [][]string{{"metadata", "annotations", "k"}, {"data", "k"}, {"stringData", "k"}, {"spec", "parameters", "k"}})
	e := edit{Path: field, Value: value}
	if g.current(s.path) != nil && g.chance(70) {
		return g.patch(s, "application/merge-patch+json", text(e.apply(map[string]any{})))
	}
	return request{
		Method: http.MethodPost, Path: s.collection, Object: s.path, ContentType: "application/json", Query: url.Values{},
		Body: text(e.apply(s.kind.object(0, s.namespace, s.name))),
	}
}

// malformed requests have no object of the kind that the path names.
func (g *generator) malformed(s subject) request {
	r := request{Method: http.MethodPost, Path: s.collection, ContentType: "application/json", Query: url.Values{}}
	object := s.kind.object(0, s.namespace, s.name)
	metadata, _ := object["metadata"].(map[string]any)
	switch g.random.IntN(8) {
	case 0:
		r.Body = "{"
	case 1:
		r.Body = "[]"
	case 2:
		object["kind"] = "Other"
	case 3:
		object["apiVersion"] = "other/v1"
	case 4:
		metadata["namespace"] = "other"
	case 5:
		r.ContentType = "text/plain"
	case 6:
		r.Method, r.Path = http.MethodPut, s.path+"-other"
	default:
		r.Method, r.Path = pick(g.random, []string{http.MethodPut, http.MethodPatch, http.MethodDelete}), s.path+"/other"
	}
	if r.Body == "" {
		r.Body = text(object)
	}
	return r
}

// review asks about rights.
func (g *generator) review(s subject) request {
	attributes := map[string]any{
		"verb": pick(g.random, []string{"get", "create", "*"}), "group": s.kind.Group, "resource": s.kind.Resource,
		"namespace": s.namespace, "name": s.name,
	}
	name := pick(g.random, []string{"SelfSubjectAccessReview", "SubjectAccessReview", "LocalSubjectAccessReview", "SelfSubjectRulesReview"})
	spec := map[string]any{"resourceAttributes": attributes}
	path := "/apis/authorization.k8s.io/v1/"
	switch name {
	case "SubjectAccessReview":
		spec["user"] = pick(g.random, []string{"alice", "", "system:serviceaccount:" + s.namespace + ":one"})
	case "LocalSubjectAccessReview":
		spec["user"] = "alice"
		path += "namespaces/" + s.namespace + "/"
	case "SelfSubjectRulesReview":
		spec = map[string]any{"namespace": s.namespace}
	}
	if g.chance(20) {
		delete(spec, "resourceAttributes")
	}
	resource := map[string]string{
		"SelfSubjectAccessReview": "selfsubjectaccessreviews", "SubjectAccessReview": "subjectaccessreviews",
		"LocalSubjectAccessReview": "localsubjectaccessreviews", "SelfSubjectRulesReview": "selfsubjectrulesreviews",
	}[name]
	body := map[string]any{"apiVersion": "authorization.k8s.io/v1", "kind": name, "spec": spec}
	return request{Method: http.MethodPost, Path: path + resource, ContentType: "application/json", Query: url.Values{}, Body: text(body)}
}

func text(object any) string {
	data, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("%v: %v", object, err)) // it has only what JSON has
	}
	return string(data)
}

// protected are the fields whose edits would have a request be about another object.
func protected(path []string) bool {
	if len(path) == 0 || path[0] != "metadata" {
		return false
	}
	return len(path) == 1 ||
		slices.Contains([]string{"name", "namespace", "uid", "managedFields", "selfLink", "generateName"}, path[1])
}
