package integration_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/examples"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

// TestQuickstartFitsClasses checks that the quickstart asks for classes that
// there are, and that the application finds its Secret under the name that the
// documentation gives.
func TestQuickstartFitsClasses(t *testing.T) {
	classes := map[string]bool{}
	for _, obj := range decode(t, examples.Classes) {
		classes[kindAndName(obj)] = true
	}
	var access *v1alpha2.BucketAccess
	for _, obj := range decode(t, examples.Quickstart) {
		switch obj := obj.(type) {
		case *v1alpha2.BucketClaim:
			if !classes["*v1alpha2.BucketClass "+obj.Spec.BucketClassName] {
				t.Errorf("BucketClaim %s asks for the class %s, which classes.yaml lacks", obj.Name, obj.Spec.BucketClassName)
			}
		case *v1alpha2.BucketAccess:
			access = obj
		}
	}
	if access == nil {
		t.Fatal("the quickstart has no BucketAccess")
	}
	if !classes["*v1alpha2.BucketAccessClass "+access.Spec.BucketAccessClassName] {
		t.Errorf("BucketAccess %s asks for the class %s, which classes.yaml lacks", access.Name, access.Spec.BucketAccessClassName)
	}
	if got, want := access.Spec.BucketClaims[0].AccessSecretName, "photos-credentials"; got != want {
		t.Errorf("the quickstart's Secret is %s, want %s", got, want)
	}
}

// TestWithProtocol: claim and access are for the protocol, and nothing else differs.
func TestWithProtocol(t *testing.T) {
	want := decode(t, examples.Quickstart)
	for _, obj := range want {
		switch obj := obj.(type) {
		case *v1alpha2.BucketClaim:
			obj.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolAzure}
		case *v1alpha2.BucketAccess:
			obj.Spec.Protocol = v1alpha2.ProtocolAzure
		}
	}
	if diff := cmp.Diff(want, decode(t, examples.WithProtocol(examples.Quickstart, "Azure"))); diff != "" {
		t.Errorf("objects: -want, +got:\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	cases := map[string]struct {
		manifest []byte
		want     []string
	}{
		"quickstart.yaml": {examples.Quickstart, []string{
			"*v1.Namespace demo", "*v1alpha2.BucketClaim photos", "*v1alpha2.BucketAccess photos-rw",
		}},
		"classes.yaml": {examples.Classes, []string{
			"*v1alpha2.BucketClass standard", "*v1alpha2.BucketClass standard-retain",
			"*v1alpha2.BucketAccessClass standard", "*v1alpha2.BucketAccessClass multi-bucket",
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, obj := range decode(t, c.manifest) {
				got = append(got, kindAndName(obj))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// TestE89ServerAccepts checks that kubectl apply would work.
// KEP: FLOW-INSTALL-4
func TestE89ServerAccepts(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a control plane")
	}
	server, err := client.New(controlplanetest.Start(t).AdminConfig(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	server = client.WithFieldValidation(server, metav1.FieldValidationStrict)
	// A dry run makes no namespace for the objects that follow it.
	namespace := controlplanetest.Namespace(t)
	for name, manifest := range map[string][]byte{"quickstart.yaml": examples.Quickstart, "classes.yaml": examples.Classes} {
		for _, obj := range decode(t, manifest) {
			if obj.GetNamespace() != "" {
				obj.SetNamespace(namespace)
			}
			if err := server.Create(t.Context(), obj, client.DryRunAll); err != nil {
				t.Errorf("%s: create %s: %v", name, kindAndName(obj), err)
			}
		}
	}
}

// decode rejects unknown fields.
func decode(t *testing.T, manifest []byte) []client.Object {
	t.Helper()
	decoder := serializer.NewCodecFactory(scheme(t), serializer.EnableStrict).UniversalDeserializer()
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifest)))
	var objects []client.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		decoded, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("decode: %v\n%s", err, document)
		}
		obj, ok := decoded.(client.Object)
		if !ok {
			t.Fatalf("decoded a %T, want an object", decoded)
		}
		objects = append(objects, obj)
	}
}

func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha2.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func kindAndName(obj client.Object) string { return fmt.Sprintf("%T %s", obj, obj.GetName()) }
