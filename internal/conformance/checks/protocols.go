package checks

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const (
	sayProtocol = "Input protocols is an optional list of protocols that the provisioned bucket must support."
	sayComplete = "unlike DriverCreateBucket, required fields are not optional since this info is used by workloads to gain access to buckets"
	sayMatch    = "must match input protocol. provisioning failure if required fields are missing"
	saySAS      = "Azure access token. Note that the Azure spec includes the resource URI as well as token in its definition."
	sayExpiry   = "Empty if unset. Otherwise, date+time in ISO 8601 format."
	sayAzureOne = "An Azure driver could not create a single credential that could access all Buckets (blobs). In this case, the Azure " +
		"driver should return gRPC code OutOfRange to indicate that it cannot support the multi-bucket request."
)

func of(p port.Protocol, profile string, all ...*Check) []*Check {
	for _, one := range all {
		one.protocol, one.Profile, one.Needs = p, profile, append([]Need{needsProtocol(p)}, one.Needs...)
	}
	return all
}

// exchanged has the checks for every protocol of the response and its use.
func exchanged(p port.Protocol, prefix, profile string) []*Check {
	name := p.String()
	return of(p, profile, []*Check{
		{
			ID: prefix + "-01", Title: "DriverCreateBucket for " + name + " returns information for " + name, Level: Must,
			Classes: []string{"D12"}, Rule: sourceCreate.says(sayProtocol), Dialects: v1alpha2,
			run: func(c *C) {
				if b := c.bucket(); !slices.Contains(b.Protocols, p) {
					c.fail("information for "+name, "%v", b.Protocols)
				}
			},
		},
		{
			ID: prefix + "-02", Title: "DriverGrantBucketAccess for " + name + " returns credentials for " + name + " alone", Level: Must,
			Classes: []string{"D25"}, Rule: sourceGrant.says(sayMatch),
			run: func(c *C) {
				_, access := c.granted()
				if !slices.Equal(access.Protocols, []port.Protocol{p}) {
					c.fail("credentials for "+name, "%v %v", access.Protocols, access.UnknownKeys)
				}
				for _, b := range access.Buckets {
					if c.speaks(v1alpha2) && !slices.Equal(b.Protocols, []port.Protocol{p}) {
						c.fail("information about the bucket for "+name, "%v", b.Protocols)
					}
				}
			},
		},
		{
			ID: prefix + "-03", Title: "A repeated DriverGrantBucketAccess for " + name + " returns OK", Level: Must,
			Classes: []string{"D03"}, Rule: sourceGrant.says(sayIdempotent),
			run: func(c *C) {
				request, _ := c.granted()
				_, err := c.grant(request)
				c.wantOK("a repeated DriverGrantBucketAccess", err)
			},
		},
		{
			ID: prefix + "-04", Title: "Two accesses by " + name + " have different credentials", Level: Must,
			Classes: []string{"D16"}, Rule: sourceGranting.says(sayOwnKeys),
			run: func(c *C) {
				id := c.bucket().ID
				first := c.anySecret(c.access(c.accessRequest(id)))
				if second := c.anySecret(c.access(c.accessRequest(id))); first == second {
					c.fail("different credentials", "both accesses have the same")
				}
			},
		},
		{
			ID: prefix + "-05", Title: "A repeated DriverRevokeBucketAccess for " + name + " returns OK", Level: Must,
			Classes: []string{"D04"}, Rule: sourceRevoke.says(sayRevoked),
			run: func(c *C) {
				c.mustRevoke()
				request, access := c.granted()
				for range 2 {
					c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				}
			},
		},
	}...)
}

func (c *C) anySecret(access *port.Access) string {
	secret := access.S3.GetAccessSecretKey() + access.Azure.GetAccessToken() + access.GCS.GetAccessSecret() + access.GCS.GetServiceAccount()
	if secret == "" {
		c.notReached("DriverGrantBucketAccess", errors.New("the response has no secret"))
	}
	return secret
}

// stored has the checks that use the credentials of a protocol. They apply to drivers with an
// object store.
func stored(p port.Protocol, prefix, profile string) []*Check {
	check := func(number, title string, rule Rule, class string, about dialects.Range, run func(*C)) *Check {
		return &Check{
			ID: prefix + "-" + number, Title: title, Level: Must, Classes: []string{class}, Rule: rule,
			Dialects: about, run: run,
		}
	}
	name := p.String()
	return of(p, profile,
		check("20", "The credentials of an access by "+name+" work at once", sourceGrant.says(sayAccess), "D14", dialects.Range{},
			(*C).credentialsWork),
		check("21", "The credentials of an access by "+name+" stop working when it is revoked", sourceRevoke.says(sayRevokes), "D15",
			dialects.Range{}, (*C).credentialsEnd),
		check("22", "An access by "+name+" does not reach the bucket of another",
			sourceGrant.says(sayAccess), "D16", dialects.Range{}, (*C).otherBucketDenied),
		check("23", "Revoking one access by "+name+" leaves another to the same bucket", sourceRevoke.says(sayRevokes), "D16", dialects.Range{},
			(*C).otherAccessStays),
		check("24", "A read-only access by "+name+" cannot write", sourceMode.says(sayModes), "D17", accessModes, (*C).cannotWrite),
		check("25", "A write-only access by "+name+" cannot read", sourceMode.says(sayModes), "D17", accessModes, (*C).cannotRead),
	)
}

// storageAccount matches the names of storage accounts that Azure accepts.
var storageAccount = regexp.MustCompile(`^[a-z0-9]{3,24}$`)

// minSignature is the least length of a signature.
const minSignature = 16

func azure() []*Check {
	return slices.Concat(exchanged(azureBlob, "AZ", Azure), of(azureBlob, Azure, azureCredentials()...), stored(azureBlob, "AZ", Azure))
}

func azureCredentials() []*Check {
	return []*Check{
		{
			ID: "AZ-06", Title: "DriverGrantBucketAccess for AZURE returns the name of a storage account", Level: Must,
			Classes: []string{"D25"}, Rule: sourceGrant.says(sayComplete), Dialects: v1alpha2,
			run: func(c *C) {
				_, access := c.granted()
				for _, b := range access.Buckets {
					if !storageAccount.MatchString(b.Azure.GetStorageAccount()) {
						c.fail("3 to 24 lower-case letters and digits", "storage account %q", b.Azure.GetStorageAccount())
					}
				}
			},
		},
		{
			ID: "AZ-07", Title: "DriverGrantBucketAccess for AZURE returns the URI of a resource with its signature", Level: Must,
			Classes: []string{"D25"}, Rule: sourceMessages.says(saySAS),
			run: func(c *C) {
				_, access := c.granted()
				if access.Azure.GetAccessToken() == "" {
					c.fail("a shared access signature", "none; unknown keys: %q", access.UnknownKeys)
				}
				if _, err := dataplane.ParseAzureToken(access.Azure.GetAccessToken()); err != nil {
					c.fail("a URI such as https://ACCOUNT.blob.core.windows.net/CONTAINER?...&sig=...", "%v", err)
				}
			},
		},
		{
			ID: "AZ-08", Title: "The end of a shared access signature is empty, or a time in the future", Level: Must,
			Classes: []string{"D25"}, Rule: sourceMessages.says(sayExpiry), Dialects: v1alpha2,
			run: func(c *C) {
				_, access := c.granted()
				text := access.Azure.GetExpiryTimestamp()
				if text == "" {
					return
				}
				expiry, err := parseISO8601(text)
				if err != nil {
					c.fail("a time such as 2026-01-02T15:04:05Z", "%q", text)
				}
				if !expiry.After(time.Now()) {
					c.fail("a time in the future", "%q", text)
				}
			},
		},
		{
			ID: "AZ-09", Title: "The signature of a shared access signature cannot be guessed", Level: Should,
			Classes: []string{"D16"}, Rule: sourceGranting.says(sayOwnKeys),
			run: func(c *C) {
				request, access := c.granted()
				uri, err := dataplane.ParseAzureToken(access.Azure.GetAccessToken())
				c.setup("the shared access signature", err)
				signature := uri.Query().Get("sig")
				if len(signature) < minSignature || derivedFrom(signature, request.Key) != "" || derivedFrom(signature, request.Buckets[0].ID) != "" {
					c.fail("a signature that cannot be guessed", "%d characters, or derived from an ID", len(signature))
				}
			},
		},
		{
			ID: "AZ-10", Title: "DriverGrantBucketAccess for AZURE and several buckets returns OUT_OF_RANGE", Level: Should,
			Rule: sourceAccount.says(sayAzureOne), Dialects: v1alpha2,
			run: func(c *C) {
				if err := c.several(); !isCode(err, codes.OutOfRange) {
					c.fail("OUT_OF_RANGE: the signature is for one container", "%s", explain(err))
				}
			},
		},
	}
}

// parseISO8601 parses the forms of ISO 8601 that Azure accepts.
func parseISO8601(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time in ISO 8601", text)
}

// gcs has the checks of Google Cloud Storage. v1alpha1 has no credentials for it.
func gcs() []*Check {
	all := slices.Concat(exchanged(googleStorage, "GC", GCS), of(googleStorage, GCS, gcsCredentials()...), stored(googleStorage, "GC", GCS))
	for _, one := range all {
		if one.Dialects == (dialects.Range{}) {
			one.Dialects = v1alpha2
		}
	}
	return all
}

func gcsCredentials() []*Check {
	return []*Check{
		{
			ID: "GC-06", Title: "DriverGrantBucketAccess for GCS returns the project and the name of the bucket", Level: Must,
			Classes: []string{"D25"}, Rule: sourceGrant.says(sayComplete),
			run: func(c *C) {
				_, access := c.granted()
				for _, b := range access.Buckets {
					if b.GCS.GetProjectId() == "" || b.GCS.GetBucketName() == "" {
						c.fail("project and bucket name", "project %q, bucket name %q", b.GCS.GetProjectId(), b.GCS.GetBucketName())
					}
				}
			},
		},
		{
			ID: "GC-07", Title: "DriverGrantBucketAccess for GCS returns an HMAC key, or the key of a service account", Level: Must,
			Classes: []string{"D25"}, Rule: sourceGrant.says(sayMatch),
			run: func(c *C) {
				_, access := c.granted()
				hmac := access.GCS.GetAccessId() != "" && access.GCS.GetAccessSecret() != ""
				account := access.GCS.GetPrivateKeyName() != "" && access.GCS.GetServiceAccount() != ""
				if !hmac && !account {
					c.fail("access_id and access_secret, or private_key_name and service_account", "neither pair")
				}
			},
		},
		{
			ID: "GC-08", Title: "The secret of an HMAC key cannot be guessed", Level: Should,
			Classes: []string{"D16"}, Rule: sourceGranting.says(sayOwnKeys),
			run: func(c *C) {
				request, access := c.granted()
				secret := access.GCS.GetAccessSecret()
				if secret == "" {
					c.notSupported("HMAC keys", errors.New("the response has none"))
				}
				if len(secret) < minSecretKey || derivedFrom(secret, request.Key) != "" || derivedFrom(secret, request.Buckets[0].ID) != "" {
					c.fail("a secret that cannot be guessed", "%d characters, or derived from an ID", len(secret))
				}
			},
		},
	}
}
