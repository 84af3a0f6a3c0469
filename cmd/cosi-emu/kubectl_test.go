package main_test

import (
	"context"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

func (s *story) checkKubectl() {
	s.t.Helper()
	disco, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.checkNames(disco)
	s.checkExplain(disco)
	s.checkColumns()
	s.checkEvents()
}

// checkNames: kubectl get bc, ba, cosi.
func (s *story) checkNames(disco discovery.DiscoveryInterface) {
	s.t.Helper()
	list, err := disco.ServerResourcesForGroupVersion(v1alpha2.SchemeGroupVersion.String())
	if err != nil {
		s.t.Fatal(err)
	}
	got := map[string]string{}
	for _, resource := range list.APIResources {
		if strings.Contains(resource.Name, "/") {
			continue
		}
		got[resource.Kind] = strings.Join(resource.ShortNames, ",")
		if !slices.Contains(resource.Categories, "cosi") {
			s.t.Errorf("kubectl get cosi does not show %s", resource.Name)
		}
	}
	if diff := cmp.Diff(map[string]string{
		"Bucket": "bkt", "BucketClaim": "bc", "BucketAccess": "ba", "BucketClass": "bclass", "BucketAccessClass": "baclass",
	}, got); diff != "" {
		s.t.Errorf("short names: -want, +got:\n%s", diff)
	}
}

// checkExplain: kubectl explain bucketclaim.
func (s *story) checkExplain(disco discovery.DiscoveryInterface) {
	s.t.Helper()
	paths, err := disco.OpenAPIV3().Paths()
	if err != nil {
		s.t.Fatal(err)
	}
	group, ok := paths["apis/"+v1alpha2.SchemeGroupVersion.String()]
	if !ok {
		s.t.Fatalf("kubectl explain knows nothing of %s", v1alpha2.SchemeGroupVersion)
	}
	schema, err := group.Schema("application/json")
	if err != nil {
		s.t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Description string `json:"description"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := yaml.Unmarshal(schema, &document); err != nil {
		s.t.Fatal(err)
	}
	for name, definition := range document.Components.Schemas {
		if strings.HasSuffix(name, ".v1alpha2.BucketClaim") && definition.Description != "" {
			return
		}
	}
	s.t.Error("kubectl explain bucketclaim has nothing to say")
}

// checkColumns: kubectl get of every kind.
func (s *story) checkColumns() {
	s.t.Helper()
	for resource, want := range map[string][]string{
		"buckets":             {"Name", "Driver", "Policy", "Claim-Namespace", "Claim", "Provisioned", "Age"},
		"bucketclaims":        {"Name", "Class", "Bucket", "Provisioned", "Age"},
		"bucketaccesses":      {"Name", "Class", "Protocol", "Claims", "Provisioned", "Age"},
		"bucketclasses":       {"Name", "Driver", "Policy", "Age"},
		"bucketaccessclasses": {"Name", "Driver", "Authentication", "Multi-Bucket", "Age"},
	} {
		table := s.table(resource)
		var got []string
		for _, column := range table.ColumnDefinitions {
			if column.Priority == 0 {
				got = append(got, column.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			s.t.Errorf("columns of %s: -want, +got:\n%s", resource, diff)
		}
		for _, row := range table.Rows {
			if slices.Contains(row.Cells, any(nil)) {
				s.t.Errorf("a cell of %s is empty: %v", resource, row.Cells)
			}
		}
	}
}

func (s *story) table(resource string) *metav1.Table {
	s.t.Helper()
	cfg := rest.CopyConfig(s.config)
	cfg.APIPath, cfg.GroupVersion = "/apis", new(v1alpha2.SchemeGroupVersion)
	cfg.NegotiatedSerializer = clientgoscheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	table := &metav1.Table{}
	data, err := c.Get().Resource(resource).SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").DoRaw(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, table); err != nil {
		s.t.Fatal(err)
	}
	if len(table.Rows) == 0 {
		s.t.Errorf("there are no %s", resource)
	}
	return table
}

// checkEvents: kubectl describe shows the events.
func (s *story) checkEvents() {
	s.t.Helper()
	want := []string{"Bucket", "BucketAccess", "BucketClaim"}
	var got []string
	harness.Until(s.t, "every object has an event", func(ctx context.Context) (bool, error) {
		events := &corev1.EventList{}
		if err := s.client.List(ctx, events, client.InNamespace(metav1.NamespaceAll)); err != nil {
			return false, err
		}
		got = nil
		for _, event := range events.Items {
			if strings.HasPrefix(event.InvolvedObject.APIVersion, v1alpha2.GroupName+"/") {
				got = append(got, event.InvolvedObject.Kind)
			}
		}
		slices.Sort(got)
		got = slices.Compact(got)
		return slices.Equal(want, got), nil
	})
}
