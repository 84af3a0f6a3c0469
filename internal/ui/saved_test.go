package ui_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/scenarios"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// saved is a scenario as a program reads it.
type saved struct {
	Setup struct {
		API string `json:"api"`
	} `json:"setup"`
	Steps []map[string]any `json:"steps"`
}

// verbs returns the verbs of the steps. It omits expectations, whose times may differ.
func (s saved) verbs() (all []string) {
	for _, step := range s.Steps {
		for verb := range step {
			if verb != "expect" {
				all = append(all, verb)
			}
		}
	}
	return all
}

// save lets the page save a scenario, and returns it and its file.
func (s *stage) save(t *testing.T) (content saved, file string) {
	t.Helper()
	got := send(t, http.MethodGet, s.url+"scenario.yaml", nil)
	if got.code != http.StatusOK {
		t.Fatalf("status %d: %s", got.code, got.body)
	}
	if err := yaml.Unmarshal([]byte(got.body), &content); err != nil {
		t.Fatalf("%v\n%s", err, got.body)
	}
	file = filepath.Join(t.TempDir(), "saved.yaml")
	if err := os.WriteFile(file, []byte(got.body), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Logf("the scenario:\n%s", got.body)
	return content, file
}

// awaitSaved saves until a scenario has a step with all of the words.
func (s *stage) awaitSaved(t *testing.T, words ...string) {
	t.Helper()
	harness.Until(t, "a step with "+strings.Join(words, " and "), func(context.Context) (bool, error) {
		var content saved
		if err := yaml.Unmarshal([]byte(send(t, http.MethodGet, s.url+"scenario.yaml", nil).body), &content); err != nil {
			return false, err
		}
		return slices.ContainsFunc(content.Steps, func(step map[string]any) bool {
			text, err := yaml.Marshal(step)
			return err == nil && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(string(text), w) })
		}), nil
	})
}

// post sends a request to the page like its script.
func (s *stage) post(t *testing.T, what, body string) {
	t.Helper()
	got := send(t, http.MethodPost, s.url+what, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	})
	if got.code >= http.StatusBadRequest || strings.Contains(got.body, `"error"`) {
		t.Fatalf("%s: status %d: %s", what, got.code, got.body)
	}
}

// flaky is a fault that fails the first creation of a bucket.
const flaky = `{
	"name": "flaky", "match": {"seam": "rpc", "operation": "DriverCreateBucket", "nth": 1}, "effect": {"fail": "Unavailable"}
}`

// TestSaved saves the user's actions in a session, and runs them.
func TestSaved(t *testing.T) {
	s := start(t, emulator.Options{})
	s.makeNamespace(t, "other")
	s.post(t, "faults", flaky)
	claim := emulatortest.Claim(t, s.emu, namespace, "photos")
	s.awaitSaved(t, "expect", "BucketClaim/photos", "readyToUse")
	emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadOnly)
	emulatortest.Access(t, s.emu, claim, v1alpha2.BucketAccessModeReadWrite)
	s.awaitSaved(t, "expect", "BucketAccess/photos-readwrite")
	s.post(t, "upload?access=demo/photos-readwrite&key=a/cat.txt", "a cat")
	denied := send(t, http.MethodPost, s.url+"upload?access=demo/photos-readonly&key=dog.txt", nil)
	if !strings.Contains(denied.body, "AccessDenied") {
		t.Errorf("an upload without the right to it: %s", denied.body)
	}
	s.post(t, "component?name=sidecar&do=crash", "")
	twin := emulatortest.Claim(t, s.emu, "other", "photos") // the name is taken in a scenario, which has one namespace
	s.awaitSaved(t, "expect", "BucketClaim/photos-other")
	if got := send(t, http.MethodDelete, s.url+"faults/flaky", nil); got.code >= http.StatusBadRequest {
		t.Errorf("remove a fault: %s", got.body)
	}
	remove(t, s, access("photos-readonly"), access("photos-readwrite"), claim, twin)
	s.awaitSaved(t, "expect", "BucketClaim/photos: absent")
	s.awaitSaved(t, "expect", "BucketClaim/photos-other: absent")

	content, file := s.save(t)
	want := []string{"inject", "apply", "apply", "apply", "s3", "s3", "crash", "apply", "heal", "delete", "delete", "delete", "delete"}
	if got := content.verbs(); !slices.Equal(got, want) {
		t.Errorf("the steps are %v, want %v", got, want)
	}
	scenarios.Run(t, file, scenarios.On(s.emu))
}

// TestSavedV1alpha1 saves a scenario of the older version.
func TestSavedV1alpha1(t *testing.T) {
	s := start(t, emulator.Options{API: objectstorage.V1alpha1})
	if content, _ := s.save(t); len(content.Steps) != 1 {
		t.Errorf("without actions there are the steps %v", content.Steps)
	}
	object := func(kind, name string, spec map[string]any) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		o.SetGroupVersionKind(objectstorage.V1alpha1.GroupVersion().WithKind(kind))
		o.SetNamespace(namespace)
		o.SetName(name)
		return o
	}
	claim := object("BucketClaim", "photos", map[string]any{"bucketClassName": emulator.ClassStandard, "protocols": []any{"S3"}})
	granted := object("BucketAccess", "reader", map[string]any{
		"bucketClaimName": "photos", "bucketAccessClassName": emulator.ClassStandard, "credentialsSecretName": "keys", "protocol": "S3",
	})
	for _, o := range []client.Object{claim, granted} {
		if err := s.emu.Client().Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	s.awaitSaved(t, "expect", "BucketClaim/photos", "bucketReady: true")
	s.awaitSaved(t, "expect", "BucketAccess/reader", "accessGranted: true")
	remove(t, s, granted)
	s.awaitSaved(t, "expect", "BucketAccess/reader: absent")
	remove(t, s, claim)
	s.awaitSaved(t, "expect", "BucketClaim/photos: absent")
	content, file := s.save(t)
	if want := []string{"apply", "apply", "delete", "delete"}; !slices.Equal(content.verbs(), want) || content.Setup.API != "v1alpha1" {
		t.Errorf("version %q, the steps are %v, want %v", content.Setup.API, content.verbs(), want)
	}
	scenarios.Run(t, file, scenarios.On(s.emu))
}

// TestSavedBucket saves a Bucket of an existing bucket, and the state before the page.
func TestSavedBucket(t *testing.T) {
	s := start(t, emulator.Options{})
	s.post(t, "component?name=controller&do=restart", "")
	source := emulatortest.Claim(t, s.emu, namespace, "source")
	bucket := &v1alpha2.Bucket{
		ObjectMeta: metav1.ObjectMeta{Name: "adopted"},
		Spec: v1alpha2.BucketSpec{
			DriverName: s.emu.Info().DriverName, DeletionPolicy: v1alpha2.DeletionPolicyRetain,
			ExistingBucketID: source.Status.BoundBucketName, Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3},
			BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: namespace, Name: "adopter"},
		},
	}
	claim := &v1alpha2.BucketClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "adopter", Labels: map[string]string{"team": "photos"}},
		Spec:       v1alpha2.BucketClaimSpec{ExistingBucketName: "adopted", Protocols: []v1alpha2.Protocol{v1alpha2.ProtocolS3}},
	}
	for _, o := range []client.Object{bucket, claim} {
		if err := s.emu.Client().Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	s.awaitSaved(t, "expect", "BucketClaim/adopter")
	content, file := s.save(t)
	if want := []string{"restart", "apply", "backend", "apply", "apply"}; !slices.Equal(content.verbs(), want) {
		t.Errorf("the steps are %v, want %v", content.verbs(), want)
	}
	scenarios.Run(t, file, scenarios.On(s.emu))
}
