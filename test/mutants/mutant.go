package mutants

import (
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Mutant is an implementation of a component with one bug.
type Mutant struct {
	// Name is a few words with hyphens.
	Name string
	// Bug describes the bug and its consequence.
	Bug string
	// Oracles are the oracles that may find the bug.
	Oracles []string
	// Culprits are parts of explanations, of which one is given: which component, or the
	// driver, did what. A bug that shows in two ways has two.
	Culprits []string
	// Kinds and At select the faults that show the bug. If they are empty, every run
	// shows it.
	Kinds []plan.Kind
	At    string
	// Scenario is a file of testdata that shows the bug. It defaults to the lifecycle in
	// the testdata of package explore.
	Scenario string
	// Implementations have the one component replaced.
	Implementations emulator.Implementations
}

// All returns the mutants of the controller, of the sidecar and of the driver.
func All() []Mutant {
	return append(append(controllers(), sidecars()...), drivers()...)
}

// at sets the faults that show the bug.
func (m Mutant) at(at string, kinds ...plan.Kind) Mutant {
	m.At, m.Kinds = at, kinds
	return m
}

// by sets a part of the explanation.
func (m Mutant) by(culprits ...string) Mutant {
	m.Culprits = culprits
	return m
}

// in sets the scenario that shows the bug.
func (m Mutant) in(scenario string) Mutant {
	m.Scenario = scenario
	return m
}

// ByName returns the mutant with a name.
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
			"The controller adds the finalizer to the BucketClaim after it creates the Bucket. A crash in between leaks the Bucket.",
			mutations{held: []held{{write: "patch bucketclaims", with: finalizers, until: "create buckets"}}}, vocabulary.Order, vocabulary.Leak).
			by("controller created Bucket "),
		ofController("access-handoff-errors-ignored",
			"The controller ignores an error of the write that hands a BucketAccess over to the sidecar.",
			mutations{ignored: []string{"patch bucketaccesses/status"}, drops: `"driverName"`},
			vocabulary.Convergence, run.OracleSteps, vocabulary.Order).
			at("controller api patch bucketaccesses/status *", plan.Fail).
			by("controller did not repeat patch bucketaccesses/status"),
	}
}

func sidecars() []Mutant {
	return []Mutant{
		ofSidecar("create-before-id",
			"The sidecar creates the bucket before it writes the bucket ID to the status of the Bucket.",
			mutations{held: []held{{write: "patch buckets/status", with: `"bucketID"`, until: "DriverCreateBucket"}}},
			vocabulary.Order, vocabulary.Leak).
			by("sidecar called DriverCreateBucket"),
		ofSidecar("bucket-finalizer-late",
			"The sidecar adds the finalizer to the Bucket after it creates the bucket.",
			mutations{held: []held{{write: "patch buckets", with: finalizers, until: "DriverCreateBucket"}}}, vocabulary.Order, vocabulary.Leak).
			by("sidecar called DriverCreateBucket"),
		ofSidecar("grant-before-id",
			"The sidecar grants access before it writes the account ID to the status of the BucketAccess.",
			mutations{held: []held{{write: "patch bucketaccesses/status", with: `"accountID"`, until: "DriverGrantBucketAccess"}}},
			vocabulary.Order, vocabulary.Leak).
			by("sidecar called DriverGrantBucketAccess"),
		ofSidecar("revoke-before-secret-gone",
			"The sidecar revokes access while the Secret still exists, so an app can still mount it.",
			mutations{held: []held{{write: "delete secrets", until: "DriverRevokeBucketAccess"}}}, vocabulary.Order).
			by("sidecar called DriverRevokeBucketAccess"),
		ofSidecar("bucket-deleted-in-background",
			"The sidecar releases the finalizer of the Bucket when the deletion starts, not when it completes.",
			mutations{background: map[string]string{"DriverDeleteBucket": "patch buckets"}}, vocabulary.Order, vocabulary.Leak).
			by("sidecar patched Bucket "),
		ofSidecar("access-revoked-in-background",
			"The sidecar releases the finalizer of the BucketAccess when the revocation starts, not when it completes.",
			mutations{background: map[string]string{"DriverRevokeBucketAccess": "patch bucketaccesses"}}, vocabulary.Order, vocabulary.Leak).
			by("sidecar patched BucketAccess ", "then sidecar called DriverDeleteBucket"),
		ofSidecar("create-errors-ignored",
			"The sidecar treats every response to DriverCreateBucket as success.",
			mutations{ignored: []string{"DriverCreateBucket"}}, vocabulary.Loss, vocabulary.Convergence, run.OracleSteps, vocabulary.Order).
			at("sidecar rpc DriverCreateBucket *", plan.Fail).
			by("sidecar did not repeat DriverCreateBucket"),
		ofSidecar("delete-errors-ignored",
			"The sidecar treats every response to DriverDeleteBucket as success.",
			mutations{ignored: []string{"DriverDeleteBucket"}}, vocabulary.Leak, vocabulary.Order).
			at("sidecar rpc DriverDeleteBucket *", plan.Fail).
			by("sidecar did not repeat DriverDeleteBucket"),
		ofSidecar("revoke-errors-ignored",
			"The sidecar treats every response to DriverRevokeBucketAccess as success.",
			mutations{ignored: []string{"DriverRevokeBucketAccess"}}, vocabulary.Leak, vocabulary.Order).
			at("sidecar rpc DriverRevokeBucketAccess *", plan.Fail).
			by("sidecar did not repeat DriverRevokeBucketAccess"),
		ofSidecar("status-errors-ignored",
			"The sidecar ignores an error of a write to the status of a Bucket. The Bucket never becomes ready, or has no ID.",
			mutations{ignored: []string{"patch buckets/status"}}, vocabulary.Convergence, run.OracleSteps, vocabulary.Order, vocabulary.Leak).
			at("sidecar api patch buckets/status *", plan.Fail).
			by("sidecar did not repeat patch buckets/status"),
		ofSidecar("secret-in-status",
			"The sidecar writes the secret key into a condition message of the BucketAccess.",
			mutations{leaksSecret: true}, vocabulary.Secret).
			by("sidecar patched the status of BucketAccess"),
		ofSidecar("foreign-buckets-touched",
			"After each write to a Bucket, the sidecar annotates the Buckets of other drivers.",
			mutations{extra: []extra{{after: "patch buckets/status", write: annotateForeign}}}, vocabulary.Foreign).in("drivers.yaml").
			by("patched Bucket "),
	}
}

func drivers() []Mutant {
	return []Mutant{
		ofDriver("random-names",
			"The driver generates a new name for a bucket that already exists, so a repeated call creates a second bucket.",
			randomNames, vocabulary.Leak, vocabulary.Loss).
			at("sidecar rpc DriverCreateBucket *", plan.LoseReply).
			by("driver called AdminCreateBucket"),
		ofDriver("create-not-idempotent", "The driver rejects the creation of an existing bucket with AlreadyExists, even for the same request.",
			rejectRepeated("DriverCreateBucket", errAlreadyExists), vocabulary.Convergence, run.OracleSteps).
			at("sidecar rpc DriverCreateBucket *", plan.LoseReply).
			by("driver answered the 2nd DriverCreateBucket"),
		ofDriver("grant-not-idempotent", "The driver rejects a grant for an existing account with AlreadyExists.",
			rejectRepeated("DriverGrantBucketAccess", errAlreadyExists), vocabulary.Convergence, run.OracleSteps).
			at("sidecar rpc DriverGrantBucketAccess *", plan.LoseReply).
			by("driver answered the 2nd DriverGrantBucketAccess"),
		ofDriver("delete-not-idempotent", "The driver returns NotFound for a bucket that is already deleted.",
			rejectRepeated("DriverDeleteBucket", errNotFound), vocabulary.Convergence, run.OracleSteps).
			at("sidecar rpc DriverDeleteBucket *", plan.LoseReply).
			by("driver answered the 2nd DriverDeleteBucket"),
		ofDriver("revoke-not-idempotent", "The driver returns NotFound for an account that is already deleted.",
			rejectRepeated("DriverRevokeBucketAccess", errNotFound), vocabulary.Convergence, run.OracleSteps).
			at("sidecar rpc DriverRevokeBucketAccess *", plan.LoseReply).
			by("driver answered the 2nd DriverRevokeBucketAccess"),
		ofDriver("delete-forgotten", "The driver responds before it deletes the bucket. After a crash it never deletes the bucket.",
			answerFirst("DriverDeleteBucket"), vocabulary.Leak).
			at("driver store AdminDeleteBucket *", plan.CrashBefore).in("settled.yaml").
			by("driver had answered DriverDeleteBucket"),
		ofDriver("revoke-forgotten", "The driver responds before it revokes access. After a crash it never revokes access.",
			answerFirst("DriverRevokeBucketAccess"), vocabulary.Leak).
			at("driver store AdminDeleteAccount *", plan.CrashBefore).in("settled.yaml").
			by("driver had answered DriverRevokeBucketAccess"),
	}
}
