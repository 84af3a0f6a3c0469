package operations

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
)

var statusVerbs = []string{"get", "update", "patch"}

// apiNames are "<verb> <resource>[/status]" for the kinds of COSI and of Kubernetes, and "event
// <resource>" for watch events.
var apiNames = sync.OnceValue(func() []string {
	return apiNamesOf(append(cosiResources(), kubernetesResources()...))
})

func apiNamesOf(resources []string) []string {
	var names []string
	for _, resource := range resources {
		verbs := append(journal.Verbs(), strings.TrimSpace(journal.EventPrefix))
		if strings.Contains(resource, "/") {
			verbs = statusVerbs
		}
		for _, verb := range verbs {
			names = append(names, verb+" "+resource)
		}
	}
	return names
}

func cosiResources() []string {
	all, err := crds.All()
	if err != nil {
		panic(err) // they are embedded, and tested in package crds
	}
	var resources []string
	for _, crd := range all {
		resources = append(resources, crd.Spec.Names.Plural)
		for _, version := range crd.Spec.Versions {
			if version.Subresources != nil && version.Subresources.Status != nil {
				resources = append(resources, crd.Spec.Names.Plural+"/status")
			}
		}
	}
	return resources
}

// kubernetesResources exist in every API server. The scheme is not client-go's global one, to which other
// packages of a program can add kinds.
func kubernetesResources() []string {
	scheme := runtime.NewScheme()
	utilruntime.Must(errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)))
	resources := map[string]bool{}
	for kind, of := range scheme.AllKnownTypes() {
		if !reflect.PointerTo(of).Implements(reflect.TypeFor[metav1.Object]()) {
			continue // a list, or options
		}
		plural, _ := meta.UnsafeGuessKindToResource(kind)
		resources[plural.Resource] = true
		if _, ok := of.FieldByName("Status"); ok {
			resources[plural.Resource+"/status"] = true
		}
	}
	return slices.Sorted(maps.Keys(resources))
}

// isPath reports whether a pattern matches requests without a resource, such as "get /version".
func isPath(pattern string) bool {
	verb, path, _ := strings.Cut(pattern, " ")
	return strings.HasPrefix(path, "/") && slices.ContainsFunc(journal.Verbs(), func(v string) bool { return glob.Match(verb, v) })
}

// apiHint explains a pattern without matches at the api seam.
func apiHint(pattern string) string {
	verb, resource, _ := strings.Cut(pattern, " ")
	verbs := append(journal.Verbs(), journal.VerbWrite, strings.TrimSpace(journal.EventPrefix))
	if !slices.ContainsFunc(verbs, func(v string) bool { return glob.Match(verb, v) }) {
		return fmt.Sprintf("the verb %q: %s", verb, suggest.From(verb, verbs))
	}
	resources := cosiResources()
	switch meant, ok := suggest.Near(resource, append(resources, kubernetesResources()...)); {
	case ok && meant == resource:
		return fmt.Sprintf("the verbs of %s are %s", resource, strings.Join(statusVerbs, ", "))
	case ok:
		return fmt.Sprintf("did you mean %q?", verb+" "+meant)
	}
	return "operations are \"<verb> <resource>\"; the resources of COSI are " + strings.Join(resources, ", ")
}
