package migrate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Outcome is the consequence of a case for an object.
type Outcome string

// The outcomes.
const (
	// Omitted: v1alpha2 has no such object.
	Omitted Outcome = "omitted"
	// Changed: the v1alpha2 object has another meaning.
	Changed Outcome = "changed"
	// Check: the v1alpha2 object is correct only if the message holds.
	Check Outcome = "check"
)

// Code identifies a kind of decision. The list is closed.
type Code string

// The codes.
const (
	AccessNotGranted       Code = "AccessNotGranted"
	AuthenticationUnknown  Code = "AuthenticationUnknown"
	BeingDeleted           Code = "BeingDeleted"
	BridgeRequired         Code = "BridgeRequired"
	BucketIDEncoded        Code = "BucketIDEncoded"
	BucketIDInvalid        Code = "BucketIDInvalid"
	BucketIDMissing        Code = "BucketIDMissing"
	BucketIDShared         Code = "BucketIDShared"
	BucketNotFound         Code = "BucketNotFound"
	BucketNotReady         Code = "BucketNotReady"
	ClaimNotBound          Code = "ClaimNotBound"
	ClaimNotFound          Code = "ClaimNotFound"
	ClassNotFound          Code = "ClassNotFound"
	BucketIsNew            Code = "BucketIsNew"
	DependsOnOmitted       Code = "DependsOnOmitted"
	DriverMismatch         Code = "DriverMismatch"
	DriverNameInvalid      Code = "DriverNameInvalid"
	NameInvalid            Code = "NameInvalid"
	OwnersRemoved          Code = "OwnersRemoved"
	PolicyBecomesRetain    Code = "PolicyBecomesRetain"
	PolicyUnknown          Code = "PolicyUnknown"
	ProtocolMissing        Code = "ProtocolMissing"
	ProtocolUnknown        Code = "ProtocolUnknown"
	ProtocolUnsupported    Code = "ProtocolUnsupported"
	SecretChanges          Code = "SecretChanges"
	SecretNameTaken        Code = "SecretNameTaken"
	SecretShared           Code = "SecretShared"
	AccountShared          Code = "AccountShared"
	ServiceAccountRequired Code = "ServiceAccountRequired"
	StaticBucket           Code = "StaticBucket"
	ValueInvalid           Code = "ValueInvalid"
)

// Codes are all codes.
func Codes() []Code {
	return []Code{
		AccessNotGranted, AccountShared, AuthenticationUnknown, BeingDeleted, BridgeRequired, BucketIDEncoded, BucketIDInvalid,
		BucketIDMissing, BucketIDShared, BucketIsNew, BucketNotFound, BucketNotReady, ClaimNotBound, ClaimNotFound, ClassNotFound,
		DependsOnOmitted,
		DriverMismatch, DriverNameInvalid, NameInvalid, OwnersRemoved, PolicyBecomesRetain, PolicyUnknown, ProtocolMissing,
		ProtocolUnknown, ProtocolUnsupported, SecretChanges, SecretNameTaken, SecretShared, ServiceAccountRequired, StaticBucket, ValueInvalid,
	}
}

// Reference names an object. The kind "Driver" has only a name.
type Reference struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String is "Kind namespace/name".
func (r Reference) String() string { return describe(r.Kind, r.Namespace, r.Name) }

// Decision is a case that a user must decide.
type Decision struct {
	Outcome Outcome   `json:"outcome"`
	Code    Code      `json:"code"`
	Object  Reference `json:"object"`
	// Message describes the case, and the solution.
	Message string `json:"message"`
}

const kindDriver = "Driver"

// rank sorts decisions by kind.
func rank(kind string) int {
	if kind == kindDriver {
		return -1
	}
	return slices.IndexFunc(kinds, func(k kindInfo) bool { return k.kind == kind })
}

func compareDecisions(a, b Decision) int {
	order := []Outcome{Omitted, Changed, Check}
	return cmp.Or(
		cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome)),
		cmp.Compare(rank(a.Object.Kind), rank(b.Object.Kind)),
		cmp.Compare(a.Object.Namespace, b.Object.Namespace), cmp.Compare(a.Object.Name, b.Object.Name),
		cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
	)
}

// decisions collects the decisions about one object.
type decisions struct {
	plan   *Plan
	object Reference
	// omitted is set once no v1alpha2 object is possible.
	omitted bool
}

func (d *decisions) add(outcome Outcome, code Code, format string, args ...any) {
	d.omitted = d.omitted || outcome == Omitted
	d.plan.Decisions = append(d.plan.Decisions, Decision{outcome, code, d.object, fmt.Sprintf(format, args...)})
}

func (d *decisions) omit(code Code, format string, args ...any) {
	d.add(Omitted, code, format, args...)
}

func (d *decisions) change(code Code, format string, args ...any) {
	d.add(Changed, code, format, args...)
}

func (d *decisions) check(code Code, format string, args ...any) { d.add(Check, code, format, args...) }

func (d *decisions) checkDriverName(name string) {
	if !driverName.MatchString(name) {
		d.omit(DriverNameInvalid, "the driver is called %q, and v1alpha2 requires %s: give the driver another name, and edit the input",
			name, v1alpha2.DriverNamePattern)
		return
	}
	if err := v1alpha2.CheckDriverName(name); err != nil {
		d.check(DriverNameInvalid, "the driver is called %q: %v. The sidecar of v1alpha2 rejects such a driver: give it another name, "+
			"and edit the input", name, err)
	}
}
