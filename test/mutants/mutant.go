package mutants

import (
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/explore"
)

// Mutant is an implementation of a component with one bug.
type Mutant struct {
	// Name is a few words with hyphens between them.
	Name string
	// Bug says what it does wrong, and what comes of it.
	Bug string
	// Oracles are those that may find it.
	Oracles []string
	// Kinds and At are effects that show it, and where. It shows by itself, without
	// any fault, if there are none.
	Kinds []explore.Kind
	At    string
	// Scenario is the name of the file of testdata that shows it; it is the lifecycle of
	// the exploration's own if it is empty.
	Scenario string
	// Implementations have the one component replaced.
	Implementations emulator.Implementations
}

// All returns the mutants, those of the controller first, then those of the
// sidecar and of the driver.
func All() []Mutant {
	return append(append(controllers(), sidecars()...), drivers()...)
}

// at is the mutant with what shows its bug.
func (d Mutant) at(at string, kinds ...explore.Kind) Mutant {
	d.At, d.Kinds = at, kinds
	return d
}

// in is the mutant in a scenario of its own.
func (d Mutant) in(scenario string) Mutant {
	d.Scenario = scenario
	return d
}

// ByName returns one of them.
func ByName(name string) (Mutant, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Mutant{}, false
}

func controllers() []Mutant {
	return []Mutant{
		ofController("claim-finalizer-late",
			"The finalizer is put on the BucketClaim after its Bucket has been made: a crash between leaves a Bucket that nobody deletes.",
			mutations{held: []held{{write: "patch bucketclaims", with: finalizers, until: "create buckets"}}}, oracle.Order, oracle.Leak),
		ofController("access-handoff-errors-ignored",
			"An error of the write that hands a BucketAccess to the sidecar is not looked at: it counts as made.",
			mutations{ignored: []string{"patch bucketaccesses/status"}, abandons: `"driverName"`},
			oracle.Convergence, explore.OracleSteps, oracle.Order).
			at("controller api patch bucketaccesses/status *", explore.Fail),
	}
}

func sidecars() []Mutant {
	return []Mutant{
		ofSidecar("create-before-id",
			"The bucket is created before its ID is in the status of the Bucket.",
			mutations{held: []held{{write: "patch buckets/status", with: `"bucketID"`, until: "DriverCreateBucket"}}}, oracle.Order, oracle.Leak),
		ofSidecar("bucket-finalizer-late",
			"The finalizer is put on the Bucket after the bucket has been created.",
			mutations{held: []held{{write: "patch buckets", with: finalizers, until: "DriverCreateBucket"}}}, oracle.Order, oracle.Leak),
		ofSidecar("grant-before-id",
			"Access is granted before the ID of the account is in the status of the BucketAccess.",
			mutations{held: []held{{write: "patch bucketaccesses/status", with: `"accountID"`, until: "DriverGrantBucketAccess"}}},
			oracle.Order, oracle.Leak),
		ofSidecar("revoke-before-secret-gone",
			"Access is revoked while its Secret is still there, and an app may still be given it.",
			mutations{held: []held{{write: "delete secrets", until: "DriverRevokeBucketAccess"}}}, oracle.Order),
		ofSidecar("bucket-deleted-in-background",
			"The finalizer is taken off the Bucket when the deletion has been begun, and not when it is done.",
			mutations{background: map[string]string{"DriverDeleteBucket": "patch buckets"}}, oracle.Order, oracle.Leak),
		ofSidecar("access-revoked-in-background",
			"The BucketAccess is released when the revocation has been begun, and not when it is done.",
			mutations{background: map[string]string{"DriverRevokeBucketAccess": "patch bucketaccesses"}}, oracle.Order, oracle.Leak),
		ofSidecar("create-errors-ignored",
			"Any answer of the driver to DriverCreateBucket is taken for success.",
			mutations{ignored: []string{"DriverCreateBucket"}}, oracle.Loss, oracle.Convergence, explore.OracleSteps, oracle.Order).
			at("sidecar rpc DriverCreateBucket *", explore.Fail),
		ofSidecar("delete-errors-ignored",
			"Any answer of the driver to DriverDeleteBucket is taken for success.",
			mutations{ignored: []string{"DriverDeleteBucket"}}, oracle.Leak, oracle.Order).
			at("sidecar rpc DriverDeleteBucket *", explore.Fail),
		ofSidecar("revoke-errors-ignored",
			"Any answer of the driver to DriverRevokeBucketAccess is taken for success.",
			mutations{ignored: []string{"DriverRevokeBucketAccess"}}, oracle.Leak, oracle.Order).
			at("sidecar rpc DriverRevokeBucketAccess *", explore.Fail),
		ofSidecar("status-errors-ignored",
			"An error of a write to the status of a Bucket is not looked at: it is never ready, or has no ID.",
			mutations{ignored: []string{"patch buckets/status"}}, oracle.Convergence, explore.OracleSteps, oracle.Order, oracle.Leak).
			at("sidecar api patch buckets/status *", explore.Fail),
		ofSidecar("secret-in-status",
			"The secret key is written into an annotation of the BucketAccess, for people to look at.",
			mutations{betrays: true}, oracle.Secret),
		ofSidecar("foreign-buckets-touched",
			"Whenever it writes to a Bucket, it annotates those of other drivers, too.",
			mutations{extra: []extra{{after: "patch buckets/status", write: annotateForeign}}}, oracle.Foreign).in("drivers.yaml"),
	}
}

func drivers() []Mutant {
	return []Mutant{
		ofDriver("random-names",
			"The driver gives each bucket a name of its own, and remembers it only in memory: what is created twice is there twice.",
			randomNames, oracle.Leak, oracle.Loss).
			at("sidecar rpc DriverCreateBucket *", explore.LoseReply),
		ofDriver("create-not-idempotent", "A bucket that is there already is refused with AlreadyExists, also to the one who has created it.",
			rejectRepeated("DriverCreateBucket", errAlreadyExists), oracle.Convergence, explore.OracleSteps).
			at("sidecar rpc DriverCreateBucket *", explore.LoseReply),
		ofDriver("grant-not-idempotent", "An account that is there already is refused with AlreadyExists.",
			rejectRepeated("DriverGrantBucketAccess", errAlreadyExists), oracle.Convergence, explore.OracleSteps).
			at("sidecar rpc DriverGrantBucketAccess *", explore.LoseReply),
		ofDriver("delete-not-idempotent", "The deletion of a bucket that is gone already fails.",
			rejectRepeated("DriverDeleteBucket", errNotFound), oracle.Convergence, explore.OracleSteps).
			at("sidecar rpc DriverDeleteBucket *", explore.LoseReply),
		ofDriver("revoke-not-idempotent", "The revocation of an account that is gone already fails.",
			rejectRepeated("DriverRevokeBucketAccess", errNotFound), oracle.Convergence, explore.OracleSteps).
			at("sidecar rpc DriverRevokeBucketAccess *", explore.LoseReply),
		ofDriver("delete-forgotten", "The deletion of a bucket is answered first, and done later: after a crash it never is.",
			answerFirst("DriverDeleteBucket"), oracle.Leak).
			at("driver store AdminDeleteBucket *", explore.CrashBefore).in("settled.yaml"),
		ofDriver("revoke-forgotten", "A revocation is answered first, and done later: after a crash it never is.",
			answerFirst("DriverRevokeBucketAccess"), oracle.Leak).
			at("driver store AdminDeleteAccount *", explore.CrashBefore).in("settled.yaml"),
	}
}
