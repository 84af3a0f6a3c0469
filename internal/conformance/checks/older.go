package checks

import (
	"cmp"
	"strings"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const (
	sayOlderAccount     = "The account_name in the request shall be used as a unique identifier to create credentials."
	sayOlderCredentials = "Credentials supplied for accessing the bucket ex: aws access key id and secret, etc."
)

// older are the sentences of the specification of v1alpha1, instead of others. All are in
// sourceOlder.
var older = map[string]string{
	sayName:       "This call is meant to retrieve the unique provisioner Identity.",
	sayCreates:    "This call is made to create the bucket in the backend.",
	sayMatching:   "If a bucket that matches both name and parameters already exists, then OK (success) must be returned.",
	sayIdempotent: "This call is idempotent",
	sayIncompat: "If a bucket by same name, but different parameters is provided, then the appropriate error code ALREADY_EXISTS must be " +
		"returned.",
	sayOneBucket: "This call is idempotent",
	sayDeletes:   "This call is made to delete the bucket in the backend.",
	sayDeleted:   "If the bucket has already been deleted, then no error should be returned.",
	sayStated:    "This call is made to delete the bucket in the backend.",
	sayPurged:    "This call is made to delete the bucket in the backend.",
	sayAccess:    "This call grants access to an account.",
	sayOneAccess: sayOlderAccount,
	sayOwnKeys:   sayOlderAccount,
	sayMatch:     sayOlderCredentials,
	sayComplete:  sayOlderCredentials,
	saySAS:       sayOlderCredentials,
	sayAuth:      "Supported authentication types are KEY or IAM.",
	sayRevokes:   "This call revokes all access to a particular bucket from a principal.",
}

// olderRule returns a rule in the words of v1alpha1. A section that both versions have is quoted
// from the older one.
func olderRule(rule Rule) Rule {
	switch {
	case rule.Sentence == sayRevoked:
		return sourceTimeouts.older().says(sayRetry)
	case rule == sourceGrant.says(sayIdempotent):
		return sourceOlder.says(sayOlderAccount)
	case older[rule.Sentence] != "", rule.Source == sourceMessages:
		return sourceOlder.says(cmp.Or(older[rule.Sentence], rule.Sentence))
	}
	return rule.Source.older().says(rule.Sentence)
}

// older returns the same section of the specification of v1alpha1.
func (s Source) older() Source {
	if section, both := strings.CutPrefix(s.Page, specPage); both {
		s.Page = olderPage + section
		s.Name = strings.Replace(s.Name, "COSI specification,", "COSI specification of "+dialects.V1alpha1.Version()+",", 1)
	}
	return s
}
