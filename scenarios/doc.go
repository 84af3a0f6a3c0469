// Package scenarios runs scenarios under go test, from YAML files or built in code. The author of a
// driver needs no other package:
//
//	func TestScenarios(t *testing.T) {
//		scenarios.Run(t, "testdata/*.yaml", scenarios.Driver("unix:///run/my-driver.sock"))
//	}
//
//	func TestClaim(t *testing.T) {
//		scenarios.New("claim").
//			Apply(claim).
//			Expect("BucketClaim/photos", scenarios.Fields{"status": scenarios.Fields{"readyToUse": true}}).
//			Crash("sidecar").
//			Run(t)
//	}
//
// Every scenario is a test of its name, and runs in parallel unless it disturbs shared components.
// All tests of a binary share one control plane, which starts when it is first needed and ends with
// the binary, however that ends: no TestMain is needed. Tests that run with the same [Option]
// values share an emulator, too.
//
// The file format is described in docs/scenarios.md, and by schema.json for editors. Scenarios that
// are built in code go through the same validation, and their positions are the caller's file and
// line.
package scenarios
