package v1alpha2_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
)

// resource is the discovery information of a kind that users see.
type resource struct {
	Kind       string
	Singular   string
	Namespaced bool
	ShortNames []string
	Categories []string
}

// KEP: LIFE-1, LIFE-2, LIFE-3, API-BUCKET-0, API-CLAIM-0, API-CLASS-0, API-ACCESS-0
// KEP: API-ACCESSCLASS-0
func TestDiscovery(t *testing.T) {
	cosi := []string{"cosi"}
	want := map[string]resource{
		"buckets":               {Kind: "Bucket", Singular: "bucket", ShortNames: []string{"bkt"}, Categories: cosi},
		"buckets/status":        {Kind: "Bucket"},
		"bucketclaims":          {Kind: "BucketClaim", Singular: "bucketclaim", Namespaced: true, ShortNames: []string{"bc"}, Categories: cosi},
		"bucketclaims/status":   {Kind: "BucketClaim", Namespaced: true},
		"bucketaccesses":        {Kind: "BucketAccess", Singular: "bucketaccess", Namespaced: true, ShortNames: []string{"ba"}, Categories: cosi},
		"bucketaccesses/status": {Kind: "BucketAccess", Namespaced: true},
		"bucketclasses":         {Kind: "BucketClass", Singular: "bucketclass", ShortNames: []string{"bclass"}, Categories: cosi},
		"bucketaccessclasses":   {Kind: "BucketAccessClass", Singular: "bucketaccessclass", ShortNames: []string{"baclass"}, Categories: cosi},
	}

	newServer(t) // skips the test without one
	client, err := discovery.NewDiscoveryClientForConfig(controlplanetest.Start(t).AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.ServerResourcesForGroupVersion(v1alpha2.SchemeGroupVersion.String())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]resource{}
	for _, r := range list.APIResources {
		got[r.Name] = resource{r.Kind, r.SingularName, r.Namespaced, r.ShortNames, r.Categories}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
}

// TestColumns checks the output of `kubectl get` for a new object. Columns of -o wide are in
// brackets.
func TestColumns(t *testing.T) {
	cases := map[string]struct {
		resource, manifest string
		edits              []edit
		want               map[string]any
	}{
		"Bucket": {
			resource: "buckets", manifest: bucket,
			edits: []edit{
				set("status.bucketID", "backend-id"), set("status.protocols", strs("S3", "GCS")),
				set("status.conditions", []any{condition("ProvisionFailed", "False"), condition("Provisioned", "True")}),
			},
			want: map[string]any{
				"Driver": "s3.example.com", "Policy": "Retain", "Claim-Namespace": "demo", "Claim": "photos", "Provisioned": "True",
				"[Bucket-ID]": "backend-id", "[Protocols]": `["S3","GCS"]`, "[Reason]": "Pending",
			},
		},
		"BucketClaim": {
			resource: "bucketclaims", manifest: bucketClaim,
			edits: []edit{
				set("status.boundBucketName", "bc-1"), set("status.protocols", strs("S3")),
				set("status.conditions", []any{condition("Provisioned", "Unknown")}),
			},
			want: map[string]any{
				"Class": "standard", "Bucket": "bc-1", "Provisioned": "Unknown", "[Protocols]": `["S3"]`, "[Reason]": "Pending",
			},
		},
		"BucketAccess": {
			resource: "bucketaccesses", manifest: bucketAccess,
			edits: []edit{set("status.accountID", "account"), set("status.conditions", []any{condition("Provisioned", "False")})},
			want: map[string]any{
				"Class": "standard", "Protocol": "S3", "Claims": "photos", "Provisioned": "False",
				"[Secrets]": "photos-credentials", "[Account-ID]": "account", "[Reason]": "Pending",
			},
		},
		"BucketClass": {
			resource: "bucketclasses", manifest: bucketClass,
			want: map[string]any{"Driver": "s3.example.com", "Policy": "Delete"},
		},
		"BucketAccessClass": {
			resource: "bucketaccessclasses", manifest: bucketAccessClass,
			edits: []edit{set("spec.multiBucketAccess", "SingleBucket")},
			want:  map[string]any{"Driver": "s3.example.com", "Authentication": "Key", "Multi-Bucket": "SingleBucket"},
		},
	}
	s := newServer(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			obj := s.created(t, c.manifest, c.edits...)
			if withStatus[name] != "" {
				apply(t, obj, append([]edit{set("status.readyToUse", false)}, c.edits...))
				if err := s.Status().Update(t.Context(), obj); err != nil {
					t.Fatal(err)
				}
			}
			got := columns(t, c.resource, obj.GetNamespace(), obj.GetName())
			if got["Name"] != obj.GetName() || got["Age"] == "" {
				t.Errorf("want Name %s and an Age in %v", obj.GetName(), got)
			}
			delete(got, "Name")
			delete(got, "Age")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

// columns requests an object as kubectl get does.
func columns(t *testing.T, resource, namespace, name string) map[string]any {
	t.Helper()
	table := &metav1.Table{}
	err := groupClient(t).Get().NamespaceIfScoped(namespace, namespace != "").Resource(resource).Name(name).
		SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").
		Do(t.Context()).Into(table)
	if err != nil {
		t.Fatalf("get %s as a table: %v", resource, err)
	}
	row := map[string]any{}
	for i, column := range table.ColumnDefinitions {
		title := column.Name
		if column.Priority > 0 {
			title = "[" + title + "]"
		}
		row[title] = table.Rows[0].Cells[i]
	}
	return row
}

func groupClient(t *testing.T) *rest.RESTClient {
	t.Helper()
	cfg := controlplanetest.Start(t).AdminConfig()
	cfg.GroupVersion = &schema.GroupVersion{Group: v1alpha2.SchemeGroupVersion.Group, Version: v1alpha2.SchemeGroupVersion.Version}
	cfg.APIPath = "/apis"
	cfg.NegotiatedSerializer = metaCodecs()
	client, err := rest.RESTClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
