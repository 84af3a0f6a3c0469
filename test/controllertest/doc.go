// Package controllertest runs the COSI controller of any version in a test, and has what its
// tests need of an API server beyond package harness.
package controllertest
