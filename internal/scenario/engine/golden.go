package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/render"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// golden compares objects with a file, except for fields that differ between runs.
func (r *run) golden(ctx context.Context, s *spec.Step) (any, error) {
	var dump strings.Builder
	for _, ref := range s.Golden.Objects {
		object, err := r.referred(ctx, ref)
		if err != nil {
			return nil, err
		}
		if err := r.engine.client.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return nil, err
		}
		exclude(object, s.Golden.Exclude)
		fmt.Fprintf(&dump, "---\n%s\n", r.normal(render.YAML(object.Object)))
	}
	file := filepath.Join(filepath.Dir(s.Position.File), filepath.FromSlash(s.Golden.File))
	if r.engine.options.Update {
		return nil, os.WriteFile(file, []byte(dump.String()), 0o600)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the golden file (--update writes it): %w", err)
	}
	if diff := cmp.Diff(string(want), dump.String()); diff != "" {
		return nil, &outcome.Failure{
			Message:  fmt.Sprintf("the objects differ from %s; update it with --update", file),
			Expected: strings.TrimSuffix(string(want), "\n"), Got: strings.TrimSuffix(dump.String(), "\n"),
		}
	}
	return nil, nil
}

// exclude removes fields by their paths, and the managed fields.
func exclude(object *unstructured.Unstructured, paths []string) {
	object.SetManagedFields(nil)
	for _, path := range paths {
		unstructured.RemoveNestedField(object.Object, strings.Split(path, ".")...)
	}
}

// masks replace values that differ between runs.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{eventscope.UID, "<uid>"},
	{regexp.MustCompile(`"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"?`), "<time>"},
	{regexp.MustCompile(`resourceVersion: "\d+"`), "resourceVersion: <version>"},
	{regexp.MustCompile(`http://[^\s"]+:\d+`), "<endpoint>"},
}

func (r *run) normal(text string) string {
	text = strings.ReplaceAll(text, r.scope, "<scope>")
	for _, mask := range masks {
		text = mask.pattern.ReplaceAllString(text, mask.with)
	}
	return text
}
