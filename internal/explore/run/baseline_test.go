package run

import (
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestBaseline: a finding is known by oracle, object and kind of message.
func TestBaseline(t *testing.T) {
	var b Baseline
	known := []checks.Finding{
		{Oracle: vocabulary.Leak, Subject: "account ba-1", Message: `account "ba-1" is left after 3s`},
		{Oracle: OracleSteps, Message: `life.yaml:14:3: expect: BucketAccess/app: condition not met after 5s`},
	}
	const last = `the last was create events explore/photos.18ebfe96985fd0ca`
	known = append(known, checks.Finding{Oracle: vocabulary.Silence, Message: last})
	if !b.Add(known) || b.Add(known) {
		t.Error("Add() does not tell whether a finding is new")
	}
	leak := func(subject, message string) checks.Finding {
		return checks.Finding{Oracle: vocabulary.Leak, Subject: subject, Message: message}
	}
	step := func(message string) checks.Finding {
		return checks.Finding{Oracle: OracleSteps, Subject: "BucketAccess/app", Message: message}
	}
	for name, tc := range map[string]struct {
		reason string
		f      checks.Finding
		want   bool
	}{
		"Again":   {"Only times differ.", leak("account ba-1", `account "ba-1" is left after 9s`), true},
		"Object":  {"Another account is another leak.", leak("account ba-2", `account "ba-2" is left after 3s`), false},
		"Message": {"It leaks in another way.", leak("account ba-1", `account "ba-1" has no owner`), false},
		"Oracle": {
			"It is about another promise.",
			checks.Finding{Oracle: vocabulary.Loss, Subject: "account ba-1", Message: `account "ba-1" is left after 3s`}, false,
		},
		"Silence": {
			"Which operation is the last depends on the time.",
			checks.Finding{Oracle: vocabulary.Silence, Message: `the last was patch buckets bc-1`}, true,
		},
		"StepElse": {
			"The step that fails without faults fails with them, too, and tells more.",
			step(`life.yaml:14:3: expect: BucketAccess/app: no such object`), true,
		},
		"StepAnother": {"An earlier step fails.", step(`life.yaml:9:3: expect: BucketClaim/photos: condition not met after 5s`), false},
	} {
		if got := b.Has(tc.f); got != tc.want {
			t.Errorf("%s: %s Has() = %t, want %t", name, tc.reason, got, tc.want)
		}
	}
	if none := (*Baseline)(nil); none.Has(known[0]) {
		t.Error("without a baseline nothing is known")
	}
}
