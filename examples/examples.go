// Package examples embeds the manifests of this folder, for programs and tests
// that print or apply them.
package examples

import _ "embed"

// Quickstart is quickstart.yaml: a namespace demo with BucketClaim photos and
// BucketAccess photos-rw, whose Secret is photos-credentials.
//
//go:embed quickstart.yaml
var Quickstart []byte

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
