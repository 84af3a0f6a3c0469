// Package skew tests the upgrade from one build of controller and sidecar to another: `make test-skew`.
package skew
