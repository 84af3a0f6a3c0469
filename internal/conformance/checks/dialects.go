package checks

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// The dialects of checks.
var (
	v1alpha1 = dialects.Range{Last: dialects.V1alpha1}
	v1alpha2 = dialects.Range{First: dialects.NoModes}
	// generatedBuckets and generatedAccounts have calls that return IDs before anything is created.
	// In chosenBuckets and chosenAccounts, the creating call returns the ID.
	generatedBuckets  = dialects.Range{First: dialects.BucketIDs}
	generatedAccounts = dialects.Range{First: dialects.KEP}
	chosenBuckets     = dialects.Range{Last: dialects.OneModeGet}
	chosenAccounts    = dialects.Range{Last: dialects.BucketIDs}
	// accessModes can request less than read-write access, and threeModes in each category.
	accessModes = dialects.Range{First: dialects.OneMode}
	threeModes  = dialects.Range{First: dialects.BucketIDs}
	// foundIDs have the ID in the response to the call for existing buckets.
	foundIDs = dialects.Range{First: dialects.NoModes, Last: dialects.OneModeGet}
	// bridged require a bridge to COSI's sidecar, which is for the KEP's dialect or v1alpha1.
	bridged = dialects.Range{First: dialects.NoModes, Last: dialects.BucketIDs}
)

func (c *C) speaks(of dialects.Range) bool { return of.Has(c.Raw.Dialect()) }

// wantChosenID ends the check unless an ID that the driver has chosen is valid.
func (c *C) wantChosenID(id, what string) {
	switch c.Raw.Dialect() {
	case dialects.V1alpha1:
		if id == "" || len(id) > maxString {
			c.fail(fmt.Sprintf("an ID of 1 to %d bytes", maxString), "%s %s of %s", what, quoted(id), counted.Of(len(id), "byte"))
		}
	case dialects.NoModes, dialects.OneMode:
		if len(id) > maxID || !validChosenID.MatchString(id) {
			c.fail("an ID of 1 to 2048 characters of a-z, A-Z, 0-9, '-' and '.'", "%s %s", what, quoted(id))
		}
	case dialects.OneModeGet, dialects.BucketIDs, dialects.KEP:
		c.checkID(id)
	}
}

const (
	sayBucketInfo = "At least one protocol bucket info result MUST be non-nil."
	sayAccountID  = "The unique identifier for the backend access account known to the Provisioner."
)

// drafts are the sentences of the specification of the dialects before bucket-ids, instead of
// others. All are in sourceMessages.
var drafts = map[string]string{
	sayName:         "The unique name of the driver.",
	sayCreates:      "Create the bucket in the backend.",
	sayIdempotent:   "This operation MUST be idempotent.",
	sayIncompat:     sayIncompat,
	sayOneProtocol:  sayBucketInfo,
	sayProtocol:     "A list of all object storage protocols the provisioned bucket MUST support.",
	sayShort:        sayID,
	sayGlobal:       "The unique identifier for the backend bucket known to the Provisioner.",
	sayOpaque:       "The Plugin is responsible for parsing and validating these parameters.",
	sayOneBucket:    "multiple DriverCreateBucket calls for the same name do not result in more than one Bucket being provisioned",
	sayGets:         "Get details about a statically-provisioned bucket that should already exist in the OSP backend.",
	saySameResponse: sayBucketInfo,
	sayGetNotFound:  "MUST return NOT_FOUND if a bucket with matching identity does not exist.",
	sayGetIncompat:  sayIncompat,
	sayDeletes:      "Delete the bucket in the backend.",
	sayDeleted:      "MUST return OK if the bucket has already been deleted.",
	sayAccess:       "Grant access to a bucket.",
	sayOneAccess:    "multiple DriverGrantBucketAccess calls for the same name do not result in more than one Bucket being provisioned",
	sayAccount:      sayAccountID,
	sayLaterAccount: sayAccountID,
	sayMatch:        "The object storage protocol the provisioned access MUST support.",
	sayComplete:     "The Provisioner MUST fill in all required bucket info for the requested protocol.",
	sayAuth:         sayAuth,
	sayKeyless:      "COSI WILL NOT set this when the requested authentication_type is not SERVICE_ACCOUNT.",
	sayRange:        sayRange,
	sayAzureOne:     sayRange,
	saySingle:       sayEach,
	sayRevokes:      "Revokes access to given bucket(s) from a principal.",
	sayRevoked:      "MUST return OK if access has already been removed from a principal.",
}

// RuleFor returns the rule of the check in the specification of a dialect. The text of bucket-ids
// is the KEP's, except for the IDs that a driver chooses. A sentence of v1alpha1 binds no driver of v1alpha2.
func (c *Check) RuleFor(dialect dialects.Dialect) Rule {
	if dialect == dialects.V1alpha1 {
		return olderRule(c.Rule)
	}
	sentence, differs := drafts[c.Sentence]
	switch {
	case !differs, c.Source != sourceOlder && (dialect == dialects.KEP || dialect == dialects.BucketIDs):
		return c.Rule
	default:
		return sourceMessages.says(sentence)
	}
}
