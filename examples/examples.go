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
