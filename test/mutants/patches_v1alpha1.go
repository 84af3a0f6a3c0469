package mutants

import (
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// v1alpha1Controller are bugs of the controller of v1alpha1. Nearly all are failures of
// implementations in the field, and rows of docs/known-failures.md.
func v1alpha1Controller() []Patch {
	return []Patch{
		{
			Name:    "v1alpha1-readiness-unnoticed",
			Bug:     "The controller does not watch whether a Bucket becomes ready. Its BucketClaim waits without end (E60, E61).",
			Net:     cleanRun(v1alpha1Lifecycle),
			Oracles: []string{vocabulary.Convergence, run.OracleSteps}, Took: "100 s", Lines: 1,
		},
		{
			Name:    "v1alpha1-bucket-awaited-unwatched",
			Bug:     "A BucketClaim that comes before its existing Bucket is not reconciled when the Bucket comes (E57).",
			Net:     cleanRun(v1alpha1("static/existing-claim-first")),
			Written: true,
			Oracles: []string{vocabulary.Convergence, run.OracleSteps}, Took: "129 s", Lines: 7,
		},
		{
			Name:    "v1alpha1-bound-twice",
			Bug:     "A second BucketClaim takes over the existing Bucket of the first (E50).",
			Net:     cleanRun(v1alpha1("static/bucket-is-bound-once")),
			Written: true,
			Oracles: []string{vocabulary.Foreign, vocabulary.Convergence, run.OracleSteps}, Took: "165 s", Lines: 7,
		},
		{
			Name:    "v1alpha1-second-failure-unreported",
			Bug:     "The Event of a second failure counts as a repetition of the first, so that its cause is not reported.",
			Net:     interfering(v1alpha1("steady/two-accesses"), "delete", "controller api patch bucketclaims/status*"),
			Oracles: []string{run.OracleWakeUp}, Took: "60 s", Lines: 5,
		},
		{
			Name:    "v1alpha1-class-in-bucket-name",
			Bug:     "The name of a Bucket begins with that of its class, so that it can be longer than a backend allows (E69).",
			Net:     []string{"run", v1alpha1("failures/long-class-name")},
			Written: true,
			Oracles: []string{run.OracleSteps}, Took: "65 s",
		},
	}
}

// v1alpha1Sidecar are bugs of the sidecar of v1alpha1.
func v1alpha1Sidecar() []Patch { //nolint:funlen // a table
	return []Patch{
		{
			Name:    "v1alpha1-retain-ignored",
			Bug:     "The sidecar has a bucket deleted although the policy of its Bucket is Retain.",
			Net:     cleanRun(v1alpha1("deletion/retained-data")),
			Oracles: []string{vocabulary.Loss}, Took: "116 s", Lines: 1,
		},
		{
			Name:    "v1alpha1-bucket-of-another-driver-released",
			Bug:     "Every sidecar releases the finalizer of a Bucket that is being deleted. The bucket of another driver leaks (E71).",
			Net:     []string{"run", v1alpha1("failures/two-drivers")},
			Written: true,
			Oracles: []string{vocabulary.Foreign, vocabulary.Order, run.OracleSteps}, Took: "11 s",
		},
		{
			Name:    "v1alpha1-access-of-another-driver-revoked",
			Bug:     "Every sidecar revokes a BucketAccess that is being deleted, with its own driver (E53).",
			Net:     []string{"run", v1alpha1("failures/two-drivers")},
			Written: true,
			Oracles: []string{vocabulary.Foreign, run.OracleSteps}, Took: "17 s",
		},
		{
			Name:    "v1alpha1-failed-bucket-kept",
			Bug:     "A Bucket that its driver has never created cannot be deleted, and its BucketClaim cannot either (E51, E54).",
			Net:     []string{"run", v1alpha1("failures/failing-bucket-is-deleted")},
			Written: true,
			Oracles: []string{run.OracleSteps, vocabulary.Convergence}, Took: "110 s",
		},
		{
			Name:    "v1alpha1-missing-answer-used",
			Bug:     "ALREADY_EXISTS of a Grant counts as success. There is no response then, and the reconcile panics (E70).",
			Net:     []string{"run", v1alpha1("failures/grant-already-exists")},
			Written: true,
			Oracles: []string{run.OracleSteps}, Took: "68 s",
		},
		{
			Name:    "v1alpha1-account-named-at-random",
			Bug:     "The name of an account differs in each Grant. After a crash the driver creates a second one (E80).",
			Net:     cleanRun(v1alpha1Lifecycle),
			Oracles: []string{vocabulary.Request, vocabulary.Leak}, Took: "15 s", Lines: 5,
		},
		{
			Name:    "v1alpha1-unsaved-account-not-revoked",
			Bug:     "An account whose ID was not saved is revoked with an empty ID. Its key stays valid (E02).",
			Net:     []string{"run", v1alpha1("failures/account-not-recorded")},
			Written: true,
			Oracles: []string{run.OracleSteps, vocabulary.Leak}, Took: "217 s",
		},
		{
			Name:    "v1alpha1-vanished-account-not-revoked",
			Bug:     "An access that an administrator deletes by force during its Grant leaves its account.",
			Net:     interfering(v1alpha1("steady/existing"), "force-delete", "sidecar rpc DriverGrantBucketAccess *"),
			Oracles: []string{vocabulary.Leak}, Took: "162 s", Lines: 27,
		},
		{
			Name:    "v1alpha1-bucket-not-released",
			Bug:     "A BucketAccess that was never granted does not release the finalizer that it has added to its Bucket (E52).",
			Net:     []string{"run", v1alpha1("failures/access-never-granted")},
			Written: true,
			Oracles: []string{run.OracleSteps, vocabulary.Convergence, vocabulary.Leak}, Took: "193 s",
		},
		{
			Name:    "v1alpha1-lost-bucket-blocks-access",
			Bug:     "A BucketAccess cannot be deleted after its Bucket was removed by force (E73).",
			Net:     []string{"run", v1alpha1("failures/access-of-a-lost-claim")},
			Written: true,
			Oracles: []string{run.OracleSteps, vocabulary.Leak}, Took: "137 s",
		},
		{
			Name:    "v1alpha1-retained-bucket-forgotten",
			Bug:     "A Bucket with the policy Retain that is deleted while its bucket is created records no ID. The bucket is orphaned.",
			Net:     lived(),
			Oracles: []string{vocabulary.Leak}, Took: "220 s", Lines: 16,
		},
		{
			Name:    "v1alpha1-bucket-not-kept",
			Bug:     "The sidecar asks for an account that was never saved, to revoke it, although its Bucket may vanish meanwhile.",
			Net:     lived(),
			Oracles: []string{vocabulary.Order}, Took: "285 s", Lines: 55,
		},
	}
}

// v1alpha1Secrets are bugs of the sidecar of v1alpha1 with the Secrets of accesses.
func v1alpha1Secrets() []Patch {
	return []Patch{
		{
			Name:    "v1alpha1-bucketinfo-of-the-claim",
			Bug:     "The BucketInfo names the BucketClaim as the bucket.",
			Net:     cleanRun(v1alpha1Lifecycle),
			Oracles: []string{run.OracleSteps}, Took: "21 s", Lines: 7,
		},
		{
			Name:    "v1alpha1-secret-not-rewritten",
			Bug:     "The sidecar writes only a new Secret. One that was edited stays so, and the access is granted (E74).",
			Net:     cleanRun(v1alpha1("access/secret-is-restored")),
			Oracles: []string{vocabulary.Loss, run.OracleSteps}, Took: "137 s", Lines: 10,
		},
		{
			Name:    "v1alpha1-missing-secret-blocks",
			Bug:     "An access whose Secret is gone already cannot be deleted (E56).",
			Net:     faults(v1alpha1Lifecycle, "crash-after", "sidecar api delete secrets*"),
			Oracles: []string{vocabulary.Convergence, run.OracleSteps}, Took: "320 s", Lines: 9,
		},
		{
			Name:    "v1alpha1-secret-deletion-errors-ignored",
			Bug:     "An error of the deletion of a Secret counts as success. The access keeps its finalizer (E72).",
			Net:     []string{"run", v1alpha1("failures/secret-cannot-be-deleted")},
			Written: true,
			Oracles: []string{vocabulary.Convergence, run.OracleSteps}, Took: "77 s",
		},
	}
}

// bridgePatches are bugs of the bridge to drivers of v1alpha1.
func bridgePatches() []Patch {
	return []Patch{
		{
			Name:    "bridge-announcement-kept",
			Bug:     "The bridge keeps the record of a call whose answer it has. It goes on as if the answer were lost, and grants nothing.",
			Net:     bridged([]string{"run", lifecycle}),
			Oracles: []string{run.OracleSteps, vocabulary.Leak}, Took: "69 s",
		},
		{
			Name:    "bridge-revocation-errors-ignored",
			Bug:     "The bridge answers a revocation with success while the driver is unavailable. The key stays valid.",
			Net:     bridged(faults(lifecycle, "fail", "bridge rpc DriverRevoke*")),
			Oracles: []string{vocabulary.Leak}, Took: "174 s", Lines: 12,
		},
		{
			Name:    "bridge-deletion-errors-ignored",
			Bug:     "The bridge answers a deletion with success while the driver is unavailable. The bucket leaks.",
			Net:     bridged(faults(lifecycle, "fail", "bridge rpc DriverDelete*")),
			Oracles: []string{vocabulary.Leak}, Took: "157 s", Lines: 5,
		},
	}
}
