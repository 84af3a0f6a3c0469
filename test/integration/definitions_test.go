package integration_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/session"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// earlierDraft returns definitions of the draft with one access mode, and status.error in place of conditions.
func earlierDraft(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	for _, definition := range all {
		schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
		if status, ok := schema.Properties["status"]; ok {
			delete(status.Properties, "conditions")
			status.Properties["error"] = apiextensionsv1.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"message": text, "time": text},
			}
		}
		spec := schema.Properties["spec"]
		switch definition.Spec.Names.Kind {
		case "BucketAccess":
			claim := spec.Properties["bucketClaims"].Items.Schema
			delete(claim.Properties, "accessModes")
			claim.Properties["accessMode"] = text
			claim.Required = slices.DeleteFunc(claim.Required, func(field string) bool { return field == "accessModes" })
		case "BucketAccessClass":
			spec.Properties["disallowedBucketAccessModes"] = apiextensionsv1.JSONSchemaProps{
				Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &text},
			}
		}
	}
	return all
}

// ownComponents are a controller and a sidecar of another draft.
func ownComponents() emulator.Implementations {
	return emulator.Implementations{
		Controller: func(*rest.Config, logr.Logger) (emulator.Runner, error) { return harness.Inactive{}, nil },
		Sidecar: func(context.Context, *rest.Config, emulator.SidecarConnection, logr.Logger) (emulator.Runner, error) {
			return harness.Inactive{}, nil
		},
	}
}

// ownPlane returns options of a session whose emulator starts its control plane.
func ownPlane(t *testing.T) session.Options {
	t.Helper()
	kind, err := controlplanetest.Kind()
	if err != nil {
		t.Fatal(err)
	}
	return session.Options{Name: "one", Emulator: emulator.Options{ControlPlaneKind: emulator.ControlPlaneKind(kind)}}
}

// TestDefinitionsOfAnotherDraft: an emulator serves definitions of another draft only if the components are of it, too.
func TestDefinitionsOfAnotherDraft(t *testing.T) {
	s := newStage(t)
	opts := ownPlane(t)
	opts.Emulator.CRDs = earlierDraft(t)
	_, err := session.Start(t.Context(), opts)
	if !errors.Is(err, emulator.ErrOptions) || !strings.Contains(err.Error(), "emulator's controller and sidecar") ||
		!strings.Contains(err.Error(), "bucketclaims.objectstorage.k8s.io lacks status.conditions") {
		t.Errorf("Start() = %v, want ErrOptions with what the definitions lack", err)
	}

	opts.Emulator.Implementations = ownComponents()
	running := s.start(opts)
	defer s.stop(running)
	s.awaitWarning(running, "the CustomResourceDefinitions are of another draft of v1alpha2")
	c := running.Emulator().Client()
	if err := applyText(t.Context(), c, readPublishedV1alpha2(t, "access-mode.yaml")); err != nil {
		t.Errorf("manifests of the draft: %v", err)
	}
	err = applyText(t.Context(), c, readPublishedV1alpha2(t, "access-modes.yaml"))
	if err == nil || !strings.Contains(err.Error(), "cosi-emu convert --to one-mode") {
		t.Errorf("manifests of a later draft: %v, want an error that explains how to write them", err)
	}
}

// TestDefinitionsReplaced: definitions that lose a field while an emulator runs are a warning until they have it again.
func TestDefinitionsReplaced(t *testing.T) {
	s := newStage(t)
	running := s.start(ownPlane(t))
	defer s.stop(running)
	replace := func(definitions []*apiextensionsv1.CustomResourceDefinition) {
		t.Helper()
		for _, definition := range definitions {
			s.replace(running.Emulator().Client(), definition)
		}
	}
	replace(earlierDraft(t))
	s.awaitWarning(running, "buckets.objectstorage.k8s.io of 20")
	s.awaitWarning(running, "lacks status.conditions; the API server drops these fields")
	ours, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	replace(ours)
	s.awaitWarning(running, "")
}

// replace gives the definition on an API server another spec.
func (s *stage) replace(c client.Client, definition *apiextensionsv1.CustomResourceDefinition) {
	s.t.Helper()
	wanted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition)
	if err != nil {
		s.t.Fatal(err)
	}
	harness.Eventually(s.t, "the definition "+definition.Name+" is replaced", func(ctx context.Context) error {
		there := &unstructured.Unstructured{}
		there.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		if err := c.Get(ctx, client.ObjectKeyFromObject(definition), there); err != nil {
			return err
		}
		there.Object["spec"] = wanted["spec"]
		return c.Update(ctx, there) // its controller may write at the same time
	})
}

// awaitWarning waits until a warning of a session has a text, or until there is none.
func (s *stage) awaitWarning(running *session.Session, text string) {
	s.t.Helper()
	harness.Eventually(s.t, fmt.Sprintf("the warning %q", text), func(context.Context) error {
		warnings := running.Info().Warnings
		has := slices.ContainsFunc(warnings, func(w string) bool { return strings.Contains(w, text) })
		if has == (text != "") && (text != "" || len(warnings) == 0) {
			return nil
		}
		return fmt.Errorf("the warnings are %q", warnings)
	})
}
