// Package checks has the conformance checks, one file for each call of the protocol, and runs them.
// A check that applies to several dialects of the protocol is written once, against package port.
package checks

import (
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/conformance/description"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	"github.com/cosi-emu/cosi-emu/internal/conformance/process"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// The profiles that a driver can conform to.
const (
	Core           = "Core"
	S3             = "S3"
	S3AccessModes  = "S3-Access-Modes"
	MultiBucket    = "Multi-Bucket"
	ServiceAccount = "ServiceAccount"
	Azure          = "Azure"
	GCS            = "GCS"
	CrashSafety    = "Crash-Safety"
	EndToEnd       = "End-to-End"
)

// Profiles returns all profiles, Core first.
func Profiles() []string {
	return []string{Core, S3, S3AccessModes, MultiBucket, ServiceAccount, Azure, GCS, CrashSafety, EndToEnd}
}

// The levels of RFC 2119. Only MUST decides about a verdict.
const (
	Must   = "MUST"
	Should = "SHOULD"
)

// The states of a check that has ended.
const (
	Pass         = "pass"
	Fail         = "fail"
	NotSupported = "not supported"
	Skipped      = "skipped"
	NotReached   = "not reached"
	// NotProved: the driver's responses are right, and nothing shows that they are true.
	NotProved = "not proved"
)

// Check checks one property of a driver.
type Check struct {
	// ID never changes and is never used again.
	ID string
	// Title describes a correct driver.
	Title   string
	Profile string
	Level   string
	// Rule is the sentence that requires the property.
	Rule
	// Classes are the known failures of drivers that the check catches.
	Classes []string
	// Dialects are the dialects that the check applies to. The zero value is all of them.
	Dialects dialects.Range
	// Needs limit the check to drivers with certain features and to parameters that the author
	// supplied.
	Needs []Need

	// protocol is the protocol of the check's requests. Default: the one of the run.
	protocol port.Protocol
	// limit replaces the time limit of a check, if it is longer.
	limit time.Duration
	run   func(*C)
}

// Need is a requirement of a check. It returns why the check does not apply, or "".
type Need func(*Env) string

// Env has the driver and the settings that are the same for all checks of a run.
type Env struct {
	// Driver answers without patience; see port.Patient.
	Driver port.Driver
	Info   port.Info
	// Protocol is the one that the checks use.
	Protocol   port.Protocol
	Parameters description.Parameters
	// Restart restarts the driver, and returns when the new process serves. It may be nil.
	Restart Restart
	// Process is the driver's process, if the suite has started it, and Backend manipulates its
	// backend. Both may be nil.
	Process *process.Driver
	Backend description.Backend
	// SecretVariables is the number of variables of the process with the names of secrets.
	SecretVariables int
	// Destructive allows checks in which a faulty driver may destroy data of others.
	Destructive bool
	Seed        string
	// CallTimeout limits each call, Timeout each check, and Settle the time for the data plane to
	// follow a call.
	CallTimeout, Timeout, Settle time.Duration
	History                      *History
	// EndToEnd runs scenarios with the driver. It may be nil.
	EndToEnd Scenarios
}

// The policies for buckets with objects.
const (
	Reject = "reject"
	Purge  = "purge"
)

// Applies returns why a check does not apply, or "".
func (c *Check) Applies(env *Env) string {
	if dialect := env.Driver.Dialect(); !c.Dialects.Has(dialect) {
		return fmt.Sprintf("this is about %s, and the driver speaks %s", c.Dialects, dialect.Protocol())
	}
	for _, need := range c.Needs {
		if reason := need(env); reason != "" {
			return reason
		}
	}
	return ""
}

// DangerReason is the reason for checks that do not run without permission.
const DangerReason = "a faulty driver may destroy data of others here; allow it with destructive checks"

func needsPermission(env *Env) string {
	if env.Destructive {
		return ""
	}
	return DangerReason
}

func needsS3(env *Env) string {
	if env.Protocol == s3 {
		return ""
	}
	return "the driver does not serve S3"
}

func (e *Env) supports(p port.Protocol) bool {
	return e.Protocol == p || slices.Contains(e.Info.Protocols, p)
}

func needsProtocol(p port.Protocol) Need {
	return func(env *Env) string {
		if env.supports(p) {
			return ""
		}
		return "the driver does not serve " + p.String()
	}
}

func needsTwoProtocols(env *Env) string {
	if len(env.Info.Protocols) > 1 {
		return ""
	}
	return "the driver serves one protocol"
}

func needsIncompatibleAccess(env *Env) string {
	if len(env.Parameters.IncompatibleAccess) > 0 {
		return ""
	}
	return "the parameters file has no incompatible parameters of an access"
}

func needsRestart(env *Env) string {
	if env.Restart != nil {
		return ""
	}
	return "there is no command that restarts the driver"
}

func needsIncompatible(env *Env) string {
	if len(env.Parameters.Incompatible) > 0 {
		return ""
	}
	return "the parameters file has no incompatible parameters"
}

func needsExistingBucket(env *Env) string {
	if env.Parameters.ExistingBucket != "" {
		return ""
	}
	return "the parameters file names no existing bucket"
}

// All returns all checks in the order of their run.
func All() []*Check {
	var all []*Check
	for _, group := range [][]*Check{
		identity(), bucketIDs(), creation(), reading(), deletion(), accountIDs(), grants(), incompatibleGrants(), grantValidation(),
		grantCodes(), grantRemains(), revocation(), secrets(), modes(), multiBucket(), serviceAccounts(), azure(), gcs(), concurrency(),
		linearizability(), life(), processes(), interruptions(), lostBuckets(), failedBackend(), endToEnd(), history(), output(),
	} {
		all = append(all, group...)
	}
	return all
}
