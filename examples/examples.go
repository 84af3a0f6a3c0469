// Package examples embeds the manifests of this folder, for programs and tests that print or apply
// them.
package examples

import (
	_ "embed"
	"strings"
)

// Quickstart is quickstart.yaml: a namespace demo with BucketClaim photos and
// BucketAccess photos-rw, whose Secret is photos-credentials.
//
//go:embed quickstart.yaml
var Quickstart []byte

// WithProtocol returns a quickstart whose claim and access are for another protocol than S3,
// such as Azure.
func WithProtocol(quickstart []byte, protocol string) []byte {
	return []byte(strings.NewReplacer("protocols: [S3]", "protocols: ["+protocol+"]", "protocol: S3", "protocol: "+protocol).
		Replace(string(quickstart)))
}

// Classes is classes.yaml: the classes that `cosi-emu up` creates.
//
//go:embed classes.yaml
var Classes []byte

// QuickstartV1alpha1 is quickstart-v1alpha1.yaml, and ClassesV1alpha1 classes-v1alpha1.yaml: the same
// for the kinds of v1alpha1.
//
//go:embed quickstart-v1alpha1.yaml
var QuickstartV1alpha1 []byte

// ClassesV1alpha1 is classes-v1alpha1.yaml.
//
//go:embed classes-v1alpha1.yaml
var ClassesV1alpha1 []byte

// Static is static.yaml: the Secret, the class and the Bucket that an administrator creates for an existing bucket of a
// provider without a driver, and a claim and an access of it. docs/recipes.md explains it.
//
//go:embed static.yaml
var Static []byte
