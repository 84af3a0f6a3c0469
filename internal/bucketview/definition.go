// Package bucketview serves the Buckets of v1alpha2 in v1alpha1, too, for reading only: many drivers of v1alpha1 read the
// Bucket of a call from the API server. It is a conversion webhook.
package bucketview

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
)

// definitionName is the name of the CustomResourceDefinition of Buckets.
const definitionName = "buckets.objectstorage.k8s.io"

// definition returns the definition of Buckets with both versions. The API server stores v1alpha2, and calls the
// webhook at the URL for v1alpha1.
func definition(url string, authority []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	stored, err := find(objectstorage.V1alpha2)
	if err != nil {
		return nil, err
	}
	older, err := find(objectstorage.V1alpha1)
	if err != nil {
		return nil, err
	}
	view := older.Spec.Versions[0]
	view.Storage = false
	stored.Spec.Versions = append(stored.Spec.Versions, view)
	stored.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: authority},
			ConversionReviewVersions: []string{apiextensionsv1.SchemeGroupVersion.Version},
		},
	}
	return stored, nil
}

func find(version objectstorage.Version) (*apiextensionsv1.CustomResourceDefinition, error) {
	all, err := crds.For(version)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Name == definitionName })
	if i < 0 {
		return nil, fmt.Errorf("%s has no definition %s", version, definitionName)
	}
	return all[i], nil
}
