package mutants

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Patches returns the bugs that are patches.
func Patches() []Patch {
	return slices.Concat(controllerPatches(), handOffPatches(), sidecarPatches(), secretPatches(), driverPatches(), planePatches(),
		v1alpha1Controller(), v1alpha1Sidecar(), v1alpha1Secrets(), bridgePatches())
}

// controllerPatches are the bugs of the controller, and of the code that it shares with the sidecar.
func controllerPatches() []Patch { //nolint:funlen // a table
	return []Patch{
		{
			Name:    "vanished-claim-unnoticed",
			Bug:     "The controller does not notice that a BucketClaim vanishes without its finalizer. Its Bucket cannot be deleted.",
			Net:     interfering(oneAccess, "force-delete", "controller api patch bucketclaims/status*"),
			Oracles: []string{run.OracleDeletable, vocabulary.Convergence}, Took: "over 420 s", Lines: 11,
		},
		{
			Name:    "vanished-claim-ends-retain",
			Bug:     "For a BucketClaim that vanished, the controller changes the policy of the Bucket to Delete, and deletes it with its data.",
			Net:     interfering(existing, "force-delete", "controller api patch bucketclaims/status*"),
			Oracles: []string{vocabulary.Foreign, vocabulary.Loss}, Took: "163 s", Lines: 15,
		},
		{
			Name:    "status-of-an-earlier-claim",
			Bug:     "The controller writes the status of a BucketClaim to another one that has its name by now.",
			Net:     onPrograms(interfering(oneAccess, "force-recreate", "controller api create *")),
			Oracles: []string{vocabulary.Convergence}, Took: "103 s", Lines: 10,
		},
		{
			Name:    "status-without-uid",
			Bug:     "Controller and sidecar write a status by name alone. Another object that has the name by now inherits it.",
			Net:     interfering(oneAccess, "force-recreate", "sidecar api patch bucketaccesses/status*"),
			Oracles: []string{vocabulary.Order, vocabulary.Foreign}, Took: "134 s", Lines: 18,
		},
		{
			Name:    "claim-unbound-in-cache",
			Bug:     "The controller asks its cache whether a Bucket is bound. A claim that is deleted then goes without announcement.",
			Net:     onPrograms(pairs(existing, "delete", "controller api * buckets old-*")),
			Oracles: []string{vocabulary.Order}, Took: "413 s", Lines: 25,
		},
		{
			Name:    "condemned-claim-ready",
			Bug:     "A BucketClaim stays ready although its Bucket is being deleted.",
			Net:     interfering(oneAccess, "delete", "sidecar rpc DriverGrant*"),
			Oracles: []string{vocabulary.Convergence}, Took: "71 s", Lines: 11,
		},
		{
			Name:    "claim-waits-for-its-bucket",
			Bug:     "The controller keeps a BucketClaim until its Bucket is gone. A driver that fails keeps a namespace from ending.",
			Net:     suite("deletion"),
			Oracles: []string{vocabulary.Convergence}, Took: "225 s",
		},
		{
			Name: "recreated-bucket-of-another-claim",
			Bug: "The controller takes a Bucket that a person has made again for one of an earlier claim, and does not notice that the " +
				"claim gets it.",
			Net:     interfering(existing, "force-recreate", "controller api patch bucketclaims*"),
			Oracles: []string{run.OracleWakeUp}, Took: "147 s", Lines: 25,
		},
		{
			Name:    "class-parameters-dropped",
			Bug:     "The controller creates Buckets without the parameters of their class.",
			Net:     suite("provisioning"),
			Oracles: []string{vocabulary.Request}, Took: "80 s",
		},
		{
			Name:    "default-policy-delete",
			Bug:     "The controller creates every Bucket with the policy Delete, also those of a class with Retain.",
			Net:     suite("deletion"),
			Oracles: []string{vocabulary.Request, run.OracleSteps}, Took: "28 s",
		},
		{
			Name:    "ready-before-provisioned",
			Bug:     "Controller and sidecar set readyToUse as soon as nothing is wrong, before Provisioned is True.",
			Net:     []string{"run", lifecycle},
			Oracles: []string{run.OracleSteps, vocabulary.Status, vocabulary.Order}, Took: "10 s",
		},
		{
			Name:    "generation-not-observed",
			Bug:     "Conditions keep the generation that they were first written for.",
			Net:     interfering(oneAccess, "flip-policy", "sidecar rpc DriverGrant*"),
			Oracles: []string{vocabulary.Status}, Took: "73 s", Lines: 18,
		},
		{
			Name:    "failure-not-cleared",
			Bug:     "ProvisionFailed stays True after a call has succeeded.",
			Net:     faults(oneAccess, "fail", "sidecar rpc *"),
			Oracles: []string{vocabulary.Status}, Took: "85 s", Lines: 3,
		},
		{
			Name:    "no-back-off",
			Bug:     "Retries come after a fixed delay.",
			Net:     onPrograms(suite("deletion")),
			Oracles: []string{vocabulary.Pace}, Took: "27 s",
		},
		{
			Name:    "event-storm",
			Bug:     "Each reconcile writes an Event that names the attempt, so the recorder cannot count repetitions in one Event.",
			Net:     suite("failure"),
			Oracles: []string{vocabulary.Pace, run.OracleSteps}, Took: "23 s",
		},
		{
			Name:    "protocols-of-the-claim",
			Bug:     "The status of a BucketClaim has the protocols that it requests, and not those of its Bucket.",
			Net:     suite("protocols"),
			Oracles: []string{run.OracleSteps, vocabulary.Status}, Took: "14 s",
		},
		{
			Name:    "lost-bucket-created-again",
			Bug:     "The controller creates the Bucket of a bound BucketClaim again when it is lost. The claim gets an empty bucket.",
			Net:     suite("failure"),
			Oracles: []string{run.OracleSteps}, Took: "76 s",
		},
		{
			Name:    "claim-released-while-used",
			Bug:     "A BucketClaim is deleted although an access uses its bucket.",
			Net:     suite("deletion"),
			Oracles: []string{vocabulary.Order, run.OracleSteps}, Took: "97 s",
		},
	}
}

// handOffPatches are the bugs of the controller up to the hand-off of an access.
func handOffPatches() []Patch {
	return []Patch{
		{
			Name:    "claim-of-the-first-bucket",
			Bug:     "The controller hands an access off with the first BucketClaim for each bucket.",
			Net:     suite("multibucket"),
			Oracles: []string{run.OracleSteps}, Took: "7 s",
		},
		{
			Name:    "access-without-parameters",
			Bug:     "The controller hands an access off without the parameters of its class.",
			Net:     suite("access"),
			Oracles: []string{vocabulary.Request, run.OracleSteps}, Took: "21 s",
		},
		{
			Name:    "always-by-key",
			Bug:     "The controller hands each access off with the authentication Key, also those of a class with ServiceAccount.",
			Net:     suite("access"),
			Oracles: []string{vocabulary.Request, run.OracleSteps}, Took: "20 s",
		},
		{
			Name:    "modes-of-metadata-unchecked",
			Bug:     "The controller does not check the access modes of metadata that a class disallows.",
			Net:     suite("modes"),
			Oracles: []string{run.OracleSteps}, Took: "15 s",
		},
		{
			Name:    "any-number-of-buckets",
			Bug:     "The controller accepts several buckets in an access of a class that allows one.",
			Net:     suite("multibucket"),
			Oracles: []string{run.OracleSteps}, Took: "12 s",
		},
		{
			Name:    "claim-never-protected",
			Bug:     "The controller does not annotate a BucketClaim that accesses use.",
			Net:     []string{"run", oneAccess},
			Oracles: []string{vocabulary.Status}, Took: "4 s",
		},
	}
}

// sidecarPatches are the bugs of the sidecar.
func sidecarPatches() []Patch { //nolint:funlen // a table
	return []Patch{
		{
			Name:    "created-by-the-cache",
			Bug:     "The sidecar creates a bucket because its cache has the Bucket. After a restart into an old list, the Bucket is gone.",
			Net:     faults(lifecycle, "time-travel", "sidecar api patch buckets bc-*"),
			Oracles: []string{vocabulary.Leak}, Took: "64 s", Lines: 8,
		},
		{
			Name: "granted-by-the-cache",
			Bug: "The sidecar grants an access because its cache has the BucketAccess. After a restart into an old list, the access " +
				"is revoked, and its account is not revoked again.",
			Net:     faults(twoAccesses, "time-travel", "sidecar api patch bucketaccesses *"),
			Oracles: []string{vocabulary.Leak}, Took: "79 s", Lines: 25,
		},
		{
			Name:    "calls-overlap",
			Bug:     "Two calls for one bucket are in flight at the same time.",
			Net:     faults(twoAccesses, "delay", "sidecar rpc DriverGrant*"),
			Oracles: []string{vocabulary.Order}, Took: "25 s", Lines: 18,
		},
		{
			Name:    "first-bucket-revoked",
			Bug:     "A revocation names only the first bucket of an access.",
			Net:     cleanRun(twoBucketsOneAccess),
			Oracles: []string{vocabulary.Request}, Took: "29 s", Lines: 11,
		},
		{
			Name:    "mode-of-another-category",
			Bug:     "The access mode of metadata defaults from that of data.",
			Net:     cleanRun(lifecycle),
			Oracles: []string{vocabulary.Request}, Took: "14 s", Lines: 8,
		},
		{
			Name:    "account-without-uid",
			Bug:     "The name of an account lacks the UID of its BucketAccess. A later access of that name gets the same account.",
			Net:     cleanRun(lifecycle),
			Oracles: []string{vocabulary.Request}, Took: "27 s", Lines: 8,
		},
		{
			Name:    "protocol-of-the-driver",
			Bug:     "A bucket is created for all protocols of the driver, not for those of the Bucket.",
			Net:     suite("protocols"),
			Oracles: []string{vocabulary.Request}, Took: "77 s",
		},
		{
			Name:    "deletion-parameters-dropped",
			Bug:     "The deletion of a bucket lacks its parameters.",
			Net:     suite("provisioning"),
			Oracles: []string{vocabulary.Request}, Took: "15 s",
		},
		{
			Name:    "revocation-given-up",
			Bug:     "A revocation that is rejected once is never repeated. The access stays, and its credentials are valid.",
			Net:     faults(lifecycle, "reject", "sidecar rpc DriverRevoke*"),
			Oracles: []string{run.OracleSteps, vocabulary.Convergence, run.OracleState}, Took: "135 s", Lines: 12,
		},
		{
			Name:    "unavailable-is-final",
			Bug:     "A call that failed with Unavailable is not repeated.",
			Net:     faults(oneAccess, "fail", "sidecar rpc DriverCreate*"),
			Oracles: []string{run.OracleSteps, vocabulary.Convergence}, Took: "124 s", Lines: 3,
		},
		{
			Name:    "unconfirmed-grant-kept",
			Bug:     "An access without the condition Provisioned is not revoked, although the driver may have granted it.",
			Net:     interfering(oneAccess, "delete", "sidecar rpc DriverGrant*"),
			Oracles: []string{vocabulary.Leak, vocabulary.Order}, Took: "136 s", Lines: 11,
		},
		{
			Name:    "static-id-remembered",
			Bug:     "A Bucket for an existing bucket gets the ID of an earlier Bucket of its name.",
			Net:     suite("static"),
			Written: true,
			Oracles: []string{run.OracleSteps}, Took: "66 s",
		},
		{
			Name:    "existing-data-deleted",
			Bug:     "The sidecar has an existing bucket deleted if the policy of its Bucket becomes Delete.",
			Net:     interfering(existing, "flip-policy", "sidecar rpc DriverGenerateBucketAccessId*"),
			Oracles: []string{vocabulary.Loss}, Took: "374 s", Lines: 30,
		},
		{
			Name:    "annotations-of-others-removed",
			Bug:     "The sidecar removes all annotations of a BucketAccess, and not just its own.",
			Net:     interfering(lifecycle, "edit-metadata", "sidecar rpc DriverGrant*"),
			Oracles: []string{vocabulary.Foreign}, Took: "80 s", Lines: 17,
		},
		{
			Name:    "decides-from-cache",
			Bug:     "Deletions and revocations are decided from the cache. Data of a Bucket whose policy has become Retain is deleted.",
			Net:     pairs(lifecycle, "flip-policy", "sidecar * *Delete*"),
			Oracles: []string{vocabulary.Loss}, Took: "142 s", Lines: 16,
		},
		{
			Name:    "access-released-before-revoked",
			Bug:     "The sidecar returns a BucketAccess to the controller before the driver has revoked it.",
			Net:     cleanRun(lifecycle),
			Oracles: []string{vocabulary.Leak, vocabulary.Order}, Took: "42 s", Lines: 10,
		},
		{
			Name:    "final-codes-retried",
			Bug:     "A call that was answered with a final code is repeated.",
			Net:     suite("failure"),
			Oracles: []string{run.OracleSteps}, Took: "48 s",
		},
		{
			Name:    "deletion-given-up",
			Bug:     "A deletion that is rejected once is never repeated. The Bucket and its bucket stay.",
			Net:     faults(lifecycle, "reject", "sidecar rpc DriverDelete*"),
			Oracles: []string{run.OracleSteps, vocabulary.Convergence, run.OracleState}, Took: "120 s", Lines: 5,
		},
		{
			Name:    "retain-ignored",
			Bug:     "The sidecar has the bucket of a deleted Bucket deleted although its policy is Retain.",
			Net:     suite("deletion"),
			Oracles: []string{vocabulary.Loss, run.OracleSteps}, Took: "58 s",
		},
		{
			Name:    "existing-bucket-created",
			Bug:     "The sidecar has an existing bucket created, and does not ask whether it exists.",
			Net:     suite("static"),
			Oracles: []string{run.OracleSteps, vocabulary.Request}, Took: "13 s",
		},
		{
			Name:    "service-account-dropped",
			Bug:     "Calls for an access of a ServiceAccount lack its name.",
			Net:     suite("access"),
			Oracles: []string{vocabulary.Request, run.OracleSteps}, Took: "9 s",
		},
	}
}

// secretPatches are the bugs of the sidecar with the Secrets of accesses.
func secretPatches() []Patch {
	return []Patch{
		{
			Name:    "second-secret-empty",
			Bug:     "The sidecar writes the first Secret of an access only, and reports that the access is ready.",
			Net:     suite("multibucket"),
			Oracles: []string{vocabulary.Loss, vocabulary.Order}, Took: "12 s",
		},
		{
			Name:    "orphaned-secret-forgotten",
			Bug:     "A Secret without its owner reference does not belong to its access any more, and keeps its finalizer.",
			Net:     interfering(oneAccess, "strip-owners", "sidecar api * */app*"),
			Oracles: []string{run.OracleDeletable, vocabulary.Leak, vocabulary.Order, vocabulary.Loss}, Took: "115 s", Lines: 18,
		},
		{
			Name:    "vanished-access-unnoticed",
			Bug:     "The sidecar does not notice that a BucketAccess vanishes without its finalizer. Its Secret keeps its own.",
			Net:     interfering(oneAccess, "force-delete", "sidecar api patch bucketaccesses/status*"),
			Oracles: []string{vocabulary.Leak, run.OracleDeletable}, Took: "139 s", Lines: 18,
		},
		{
			Name:    "secret-finalizer-kept",
			Bug:     "The sidecar revokes an access while its Secret waits for its finalizer, so applications read a key that opens nothing.",
			Net:     cleanRun(lifecycle),
			Oracles: []string{vocabulary.Order}, Took: "30 s", Lines: 8,
		},
		{
			Name:    "granted-without-a-place",
			Bug:     "The sidecar grants again although a Secret is immutable, and cannot get the new key.",
			Net:     interfering(oneAccess, "make-immutable", "sidecar rpc Driver*Access*"),
			Oracles: []string{vocabulary.Order}, Took: "370 s", Lines: 20,
		},
		{
			Name:    "edited-secret-kept",
			Bug:     "The sidecar does not restore the values of a Secret that a person has edited.",
			Net:     interfering(oneAccess, "edit-data", "sidecar api patch bucketaccesses/status*"),
			Oracles: []string{vocabulary.Loss}, Took: "52 s", Lines: 19,
		},
		{
			Name:    "key-as-numbers",
			Bug:     "A condition of the BucketAccess has the secret key, as a list of numbers.",
			Net:     cleanRun(lifecycle),
			Oracles: []string{vocabulary.Secret}, Took: "19 s", Lines: 8,
		},
		{
			Name:    "secret-of-others-overwritten",
			Bug:     "The sidecar writes the credentials into a Secret of another owner.",
			Net:     suite("failure"),
			Oracles: []string{run.OracleSteps, vocabulary.Foreign}, Took: "37 s",
		},
		{
			Name:    "secret-without-finalizer",
			Bug:     "The Secret of an access lacks the finalizer. An application can lose it before the access is revoked.",
			Net:     []string{"run", oneAccess},
			Oracles: []string{vocabulary.Status}, Took: "3 s",
		},
	}
}

// driverPatches are the bugs of the fake driver and its store.
func driverPatches() []Patch {
	return []Patch{
		{
			Name:    "key-in-base64",
			Bug:     "An error of the driver has the secret key in base64.",
			Net:     faults(oneAccess, "fail", "driver store AdminGetBucket*"),
			Oracles: []string{vocabulary.Secret}, Took: "36 s", Lines: 11,
		},
		{
			Name:    "key-outlives-its-account",
			Bug:     "The store accepts a key after its account was deleted.",
			Net:     []string{"run", twoAccesses},
			Oracles: []string{vocabulary.Keys}, Took: "8 s",
		},
		{
			Name:    "bucket-granted-by-prefix",
			Bug:     "A key opens buckets whose names begin with that of the granted one.",
			Net:     []string{"run", oneAccess},
			Oracles: []string{vocabulary.Keys}, Took: "8 s",
		},
		{
			Name:    "first-bucket-granted",
			Bug:     "The driver grants only the first bucket of an access.",
			Net:     []string{"run", twoBuckets},
			Oracles: []string{run.OracleSteps, vocabulary.Convergence}, Took: "66 s",
		},
	}
}

// planePatches are the bugs of the embedded control plane.
func planePatches() []Patch {
	return []Patch{
		{
			Name:    "acknowledged-before-written",
			Bug:     "The embedded API server writes each change into the data directory only with the next one.",
			Net:     append(faults(oneAccess, "restart-etcd", "sidecar rpc *"), "--data-dir", "/tmp"),
			Oracles: []string{vocabulary.Loss}, Took: "101 s", Lines: 4,
		},
	}
}
