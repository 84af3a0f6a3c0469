package checks

import (
	"cmp"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

const (
	sayServiceAccount = "The Provisioner should configure the system such that Pods using the given ServiceAccount authenticate " +
		"to the backend object store automatically."
	sayKeyless = "When authentication_type is not ServiceAccount, the COSI sidecar will always set serviceAccountName to an empty string " +
		"in the gRPC call. This helps steer driver implementation by ensuring the drivers supporting Key type do not rely on the optional input."
)

// defaultServiceAccount is the ServiceAccount of the checks, if the author names none.
const defaultServiceAccount = "conformance"

// keylessRequest returns a request for an access that a ServiceAccount authenticates, if the driver
// supports it.
func (c *C) keylessRequest(bucket string) port.AccessRequest {
	request := c.namedAccess(c.accessName(), bucket)
	request.Authentication = serviceAccount
	if c.speaks(v1alpha2) { // v1alpha1 does not tell the driver
		request.ServiceAccount = cmp.Or(c.env.Parameters.ServiceAccount, defaultServiceAccount)
	}
	id, err := c.Driver.AccountKey(c.Context, request)
	c.keylessSupported(err)
	c.setup("DriverGenerateBucketAccessId", err)
	c.require("DriverGenerateBucketAccessId", id)
	request.Key = id
	return request
}

func (c *C) keylessSupported(err error) {
	if isCode(err, codes.InvalidArgument) || isCode(err, codes.Unimplemented) {
		c.notSupported("authentication by ServiceAccounts", err)
	}
}

// keyless grants an access that a ServiceAccount authenticates, if the driver supports it.
func (c *C) keyless() (port.AccessRequest, *port.Access) {
	request := c.keylessRequest(c.bucket().ID)
	access, err := c.grant(request)
	c.keylessSupported(err)
	c.setup("DriverGrantBucketAccess", err)
	return request, access
}

// serviceAccounts has the checks of authentication by ServiceAccounts. Using such an access
// requires a Pod, as in the profile End-to-End.
func serviceAccounts() []*Check {
	check := func(id, title, level string, rule Rule, about dialects.Range, run func(*C), classes ...string) *Check {
		return &Check{
			ID: id, Title: title, Profile: ServiceAccount, Level: level, Rule: rule, Classes: classes,
			Dialects: about, run: run,
		}
	}
	return []*Check{
		check("SV-01", "DriverGrantBucketAccess for a ServiceAccount succeeds, or returns INVALID_ARGUMENT or UNIMPLEMENTED", Must,
			sourceGrant.says(sayAuth), dialects.Range{}, func(c *C) {
				c.mustGrant()
				request := c.keylessRequest(c.bucket().ID)
				_, err := c.grant(request)
				c.keylessSupported(err)
				if err != nil {
					c.fail("DriverGrantBucketAccess for a ServiceAccount returns OK, INVALID_ARGUMENT or UNIMPLEMENTED", "%s", explain(err))
				}
			}, "D12", "D13"),
		check("SV-02", "A repeated DriverGrantBucketAccess for a ServiceAccount returns the same account", Must,
			sourceGrant.says(sayIdempotent), dialects.Range{}, func(c *C) {
				request, first := c.keyless()
				again, err := c.grant(request)
				c.wantOK("a repeated DriverGrantBucketAccess", err)
				c.wantSame("account", first.AccountID, again.AccountID)
			}, "D03"),
		check("SV-03", "DriverGrantBucketAccess for a ServiceAccount rejects an empty name of it", Should,
			sourceMessages.says(sayServiceAccount), v1alpha2,
			func(c *C) {
				request := c.keylessRequest(c.bucket().ID)
				request.ServiceAccount = ""
				_, err := c.grant(request)
				c.wantError("DriverGrantBucketAccess without service_account_name", err)
			}, "D10"),
		check("SV-04", "DriverGrantBucketAccess for a ServiceAccount returns no secret key", Should,
			sourceMessages.says(sayServiceAccount), v1alpha2, func(c *C) {
				_, access := c.keyless()
				if access.S3.GetAccessSecretKey() != "" || access.GCS.GetAccessSecret() != "" || access.Azure.GetAccessToken() != "" {
					c.fail("no secret key: the token of the ServiceAccount is the credential", "a secret key")
				}
			}, "D16"),
		check("SV-05", "DriverGrantBucketAccess rejects another ServiceAccount for an existing account", Should,
			sourceGrant.says(sayIncompat), v1alpha2,
			func(c *C) {
				request, _ := c.keyless()
				request.ServiceAccount += "-other"
				_, err := c.grant(request)
				c.wantError("DriverGrantBucketAccess with another ServiceAccount", err)
			}, "D02"),
		check("SV-06", "DriverRevokeBucketAccess revokes an access of a ServiceAccount, and can be repeated", Must,
			sourceGrant.says(sayRevoked), dialects.Range{}, func(c *C) {
				c.mustRevoke()
				request, access := c.keyless()
				c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				c.wantOK("a repeated DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			}, "D04"),
		check("SV-07", "DriverGrantBucketAccess for a ServiceAccount returns how to find the bucket", Must,
			sourceGrant.says(sayComplete), v1alpha2,
			func(c *C) {
				_, access := c.keyless()
				if len(access.Buckets) == 0 {
					c.fail("information about the bucket", "none")
				}
				if b := access.Buckets[0]; c.protocol == s3 && (b.S3.GetEndpoint() == "" || b.S3.GetBucketId() == "") {
					c.fail("endpoint and bucket name", "one is empty")
				}
			}, "D25"),
		check("SV-08", "An access with a key does not require a ServiceAccount", Must,
			sourceGrant.says(sayKeyless), v1alpha2, func(c *C) {
				_, _ = c.keyless() // the driver supports both
				_, err := c.grant(c.accessRequest(c.bucket().ID))
				c.wantOK("DriverGrantBucketAccess with a key, without service_account_name", err)
			}),
	}
}
