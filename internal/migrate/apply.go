package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/existingcluster"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

const fieldManager = "cosi-emu-migrate"

// ErrVersion is wrapped by the error of a cluster that does not serve v1alpha2 only.
var ErrVersion = errors.New("the cluster does not serve COSI v1alpha2 alone")

// Report is the result of Apply.
type Report struct {
	// DryRun: nothing was created, and Created lists the objects that would be.
	DryRun bool `json:"dryRun"`
	// Created are new objects, Skipped are existing ones without differences.
	Created []Reference `json:"created"`
	Skipped []Reference `json:"skipped"`
	// Different are existing objects with differences. If there are any, nothing is created.
	Different []Difference `json:"different"`
}

// Difference is an existing object that differs from the one to be applied.
type Difference struct {
	Object Reference `json:"object"`
	// Fields has a line for each field that differs.
	Fields []string `json:"fields"`
}

type applier struct {
	client dynamic.Interface
	host   string
	report *Report
	// missing are the objects that do not exist.
	missing []manifest.Located
}

// Apply creates objects of v1alpha2, as WriteYAML writes them, in a cluster. Before the first
// creation, it compares existing objects, and the API server checks the others. It never changes or
// deletes an object, and can be called again.
//
// The report is complete also beside an error.
func Apply(ctx context.Context, cfg *rest.Config, objects []manifest.Located, dryRun bool) (*Report, error) {
	objects, err := ordered(objects)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(ctx, cfg); err != nil {
		return nil, err
	}
	a := &applier{host: cfg.Host, report: &Report{DryRun: dryRun, Created: []Reference{}, Skipped: []Reference{}, Different: []Difference{}}}
	if a.client, err = dynamic.NewForConfig(cfg); err != nil {
		return nil, err
	}
	var errs []error
	for _, object := range objects {
		if err := a.check(ctx, object); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", object.Position, referenceTo(object.Unstructured), err))
		}
	}
	if len(errs) > 0 {
		return a.report, fmt.Errorf("nothing was created: %w", errors.Join(errs...))
	}
	if len(a.report.Different) > 0 {
		return a.report, nil
	}
	return a.report, a.createAll(ctx)
}

// ordered checks objects, and returns them in the order of creation.
func ordered(objects []manifest.Located) ([]manifest.Located, error) {
	unique, err := uniqueObjects(objects, v1alpha2.SchemeGroupVersion.Version, map[string]string{
		v1alpha1.SchemeGroupVersion.Version: "it is of v1alpha1: translate it with 'cosi-emu migrate' first",
	})
	if err != nil {
		return nil, err
	}
	if len(unique) == 0 {
		return nil, fmt.Errorf("%w: it has no COSI objects", ErrInput)
	}
	slices.SortStableFunc(unique, func(a, b manifest.Located) int { return rank(a.GetKind()) - rank(b.GetKind()) })
	return unique, nil
}

func referenceTo(object *unstructured.Unstructured) Reference {
	return Reference{object.GetKind(), object.GetNamespace(), object.GetName()}
}

func checkVersion(ctx context.Context, cfg *rest.Config) error {
	versions, err := existingcluster.ServedVersions(ctx, cfg)
	switch {
	case err != nil:
		return err
	case slices.Contains(versions, v1alpha1.SchemeGroupVersion.Version):
		return fmt.Errorf("%w: the one at %s serves v1alpha1; delete the kinds of v1alpha1 and install the kinds of v1alpha2 first "+
			"(docs/migrating.md)", ErrVersion, cfg.Host)
	case !slices.Contains(versions, v1alpha2.SchemeGroupVersion.Version):
		return fmt.Errorf("%w: the one at %s serves versions [%s]; install the kinds of v1alpha2 with 'kubectl apply -k' of apis/crds",
			ErrVersion, cfg.Host, strings.Join(versions, " "))
	default:
		return nil
	}
}

func (a *applier) resource(object *unstructured.Unstructured) dynamic.ResourceInterface {
	resource := a.client.Resource(v1alpha2.SchemeGroupVersion.WithResource(kinds[rank(object.GetKind())].resource))
	if object.GetNamespace() == "" {
		return resource
	}
	return resource.Namespace(object.GetNamespace())
}

// check compares an object with an existing one, or lets the API server check it.
func (a *applier) check(ctx context.Context, object manifest.Located) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	existing, err := a.resource(object.Unstructured).Get(ctx, object.GetName(), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		a.missing = append(a.missing, object)
		return a.create(ctx, object.Unstructured, metav1.DryRunAll)
	case err != nil:
		return err
	}
	fields := differences(object.Unstructured, existing)
	lost, err := a.lostClaim(ctx, existing)
	if err != nil {
		return err
	}
	if fields = append(fields, lost...); len(fields) > 0 {
		a.report.Different = append(a.report.Different, Difference{referenceTo(object.Unstructured), fields})
		return nil
	}
	a.report.Skipped = append(a.report.Skipped, referenceTo(object.Unstructured))
	return nil
}

// lostClaim returns a line if a Bucket is bound to a claim that is gone: no other claim can ever have it.
func (a *applier) lostClaim(ctx context.Context, existing *unstructured.Unstructured) ([]string, error) {
	if existing.GetKind() != "Bucket" {
		return nil, nil
	}
	ref, _, _ := unstructured.NestedStringMap(existing.Object, "spec", "bucketClaimRef") // the API server has checked it
	if ref["uid"] == "" {
		return nil, nil
	}
	claim := &unstructured.Unstructured{Object: map[string]any{"kind": "BucketClaim"}}
	claim.SetNamespace(ref["namespace"])
	found, err := a.resource(claim).Get(ctx, ref["name"], metav1.GetOptions{})
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return nil, err
	case err == nil && string(found.GetUID()) == ref["uid"]:
		return nil, nil
	}
	return []string{fmt.Sprintf("spec.bucketClaimRef.uid: it is %q, of a BucketClaim %s/%s that does not exist any more: "+
		"delete the Bucket, and run the command again", ref["uid"], ref["namespace"], ref["name"])}, nil
}

func (a *applier) create(ctx context.Context, object *unstructured.Unstructured, dryRun ...string) error {
	_, err := a.resource(object).Create(ctx, object, metav1.CreateOptions{
		DryRun: dryRun, FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict,
	})
	if apierrors.IsAlreadyExists(err) {
		return errors.New("it was created by another client meanwhile; run the command again to compare it")
	}
	return err
}

func (a *applier) createAll(ctx context.Context) error {
	for _, object := range a.missing {
		if !a.report.DryRun {
			if err := a.createOne(ctx, object.Unstructured); err != nil {
				return fmt.Errorf("create %s: %w; the objects after it were not created: run the command again to go on",
					referenceTo(object.Unstructured), err)
			}
		}
		a.report.Created = append(a.report.Created, referenceTo(object.Unstructured))
	}
	return nil
}

func (a *applier) createOne(ctx context.Context, object *unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return a.create(ctx, object)
}
