package checks

import (
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// granted creates a bucket and grants an access to it.
func (c *C) granted() (port.AccessRequest, *port.Access) {
	request := c.accessRequest(c.bucket().ID)
	return request, c.access(request)
}

// grantChanged grants an access to a new bucket with a request that was changed.
func (c *C) grantChanged(change func(*port.AccessRequest)) error {
	request := c.accessRequest(c.bucket().ID)
	change(&request)
	_, err := c.grant(request)
	return err
}

func grants() []*Check {
	return []*Check{
		{
			ID: "GR-01", Title: "DriverGrantBucketAccess grants an access", Profile: Core, Level: Must, Sentence: sayAccess, Source: sourceGrant,
			run: func(c *C) {
				_, err := c.grant(c.accessRequest(c.bucket().ID))
				c.wantOK("DriverGrantBucketAccess", err)
			},
		},
		{
			ID: "GR-02", Title: "DriverGrantBucketAccess returns an account ID", Profile: Core, Level: Must, Classes: []string{"D20"},
			Sentence: "This field is REQUIRED. This is the account_id that is being provided access.",
			Source:   sourceGrant, Generation: port.V1alpha1,
			run: func(c *C) {
				access, err := c.grant(c.accessRequest(c.bucket().ID))
				c.setup("DriverGrantBucketAccess", err)
				if access.AccountID == "" || len(access.AccountID) > 128 {
					c.fail("1 to 128 bytes", "account ID %q", access.AccountID)
				}
			},
		},
		{
			ID: "GR-03", Title: "DriverGrantBucketAccess returns credentials for one protocol, the requested one", Profile: Core, Level: Must,
			Classes: []string{"D25"}, Sentence: "Credentials must match input protocol. Provisioning failure if required fields are missing.",
			Source: sourceGrant,
			run: func(c *C) {
				_, access := c.granted()
				if !slices.Equal(access.Protocols, []port.Protocol{c.env.Protocol}) {
					c.fail("credentials for "+c.env.Protocol.String(), "%v %v", access.Protocols, access.UnknownKeys)
				}
			},
		},
		{
			ID: "GR-04", Title: "DriverGrantBucketAccess returns all that a client of S3 requires", Profile: S3, Level: Must,
			Classes: []string{"D25"}, Source: sourceGrant, Needs: []Need{needsS3},
			Sentence: "Unlike DriverCreateBucket, required fields are not optional since this info is used by workloads to gain access to buckets.",
			run: func(c *C) {
				_, access := c.granted()
				for _, b := range access.Buckets {
					if access.S3.GetAccessKeyId() == "" || access.S3.GetAccessSecretKey() == "" || b.S3.GetEndpoint() == "" || b.S3.GetBucketId() == "" {
						c.fail("access key, secret key, endpoint and bucket name", "one is empty; unknown keys: %q", access.UnknownKeys)
					}
				}
			},
		},
		{
			ID: "GR-05", Title: "DriverGrantBucketAccess returns information for the requested buckets only", Profile: Core, Level: Must,
			Sentence: "buckets: one for each requested bucket, and no other.", Source: sourceGrant, Generation: port.V1alpha2,
			run: func(c *C) {
				request, access := c.granted()
				if len(access.Buckets) != 1 || access.Buckets[0].ID != request.Buckets[0].ID {
					c.fail("bucket "+request.Buckets[0].ID, "%v", bucketNames(access.Buckets))
				}
			},
		},
		{
			ID: "GR-06", Title: "A repeated DriverGrantBucketAccess returns OK", Profile: Core, Level: Must, Classes: []string{"D03"},
			Sentence: sayIdempotent, Source: sourceGrant,
			run: func(c *C) {
				request, _ := c.granted()
				for range 3 {
					_, err := c.Driver.Grant(c.Context, request)
					c.wantOK("a repeated DriverGrantBucketAccess", err)
				}
			},
		},
		{
			ID: "GR-07", Title: "A repeated DriverGrantBucketAccess returns the same account", Profile: Core, Level: Must,
			Classes: []string{"D03"}, Sentence: sayIdempotent, Source: sourceGrant, Generation: port.V1alpha1,
			run: func(c *C) {
				request, first := c.granted()
				second, err := c.grant(request)
				c.setup("a repeated DriverGrantBucketAccess", err)
				if first.AccountID != second.AccountID {
					c.fail("account "+first.AccountID, "account %s", second.AccountID)
				}
			},
		},
		{
			ID: "GR-08", Title: "Two accesses have different accounts", Profile: Core, Level: Must, Classes: []string{"D16", "D20"},
			Sentence: "This is the account_id that is being provided access. This will be required later to revoke access.",
			Source:   sourceGrant, Generation: port.V1alpha1,
			run: func(c *C) {
				_, first := c.granted()
				if _, second := c.granted(); first.AccountID == second.AccountID {
					c.fail("different account IDs", "%q for both", first.AccountID)
				}
			},
		},
		{
			ID: "GR-09", Title: "DriverGrantBucketAccess rejects another bucket for an existing account", Profile: Core, Level: Should,
			Sentence: "ALREADY_EXISTS (not retryable): same identity, other parameters.", Source: sourceGrant, Generation: port.V1alpha2,
			run: func(c *C) {
				request, _ := c.granted()
				request.Buckets = c.namedAccess("", c.bucket().ID).Buckets
				_, err := c.Driver.Grant(c.Context, request)
				c.wantError("DriverGrantBucketAccess with another bucket", err)
			},
		},
	}
}

func bucketNames(buckets []port.Bucket) []string {
	var names []string
	for _, b := range buckets {
		names = append(names, b.ID)
	}
	return names
}

func grantValidation() []*Check {
	unknownBucket := func(c *C) (string, error) {
		id := c.bucketRequest().Key
		_, err := c.grant(c.namedAccess(c.accessName(), id))
		return id, err
	}
	authentication := func(c *C, value port.Authentication) error {
		return c.grantChanged(func(r *port.AccessRequest) { r.Authentication = value })
	}
	return []*Check{
		{
			ID: "GR-20", Title: "DriverGrantBucketAccess rejects a bucket that does not exist", Profile: Core, Level: Must,
			Classes: []string{"D11"}, Sentence: sayAccess, Source: sourceGrant,
			run: func(c *C) {
				_, err := unknownBucket(c)
				c.wantError("DriverGrantBucketAccess for an unknown bucket", err)
			},
		},
		{
			ID: "GR-21", Title: "DriverGrantBucketAccess does not create the bucket", Profile: Core, Level: Must, Classes: []string{"D11"},
			Sentence: sayAccess, Source: sourceGrant, Generation: port.V1alpha2,
			run: func(c *C) {
				id, _ := unknownBucket(c)
				if b, err := c.get(id); err == nil {
					c.removeBucket(port.BucketRequest{Key: id}, b)
					c.fail("the bucket does not exist afterwards", "DriverGetBucket finds it")
				}
			},
		},
		{
			ID: "GR-22", Title: "DriverGrantBucketAccess rejects unknown authentication types", Profile: Core, Level: Must,
			Classes: []string{"D12"}, Sentence: sayAuth, Source: sourceGrant,
			run: func(c *C) {
				for _, value := range []port.Authentication{cosiv1alpha2.AuthenticationType_UNKNOWN, badEnum} {
					c.wantError("DriverGrantBucketAccess with authentication type "+value.String(), authentication(c, value))
				}
			},
		},
		{
			ID: "GR-23", Title: "DriverGrantBucketAccess returns INVALID_ARGUMENT for unknown authentication types", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Sentence: sayAuth, Source: sourceGrant,
			run: func(c *C) {
				c.wantCode("DriverGrantBucketAccess with an unknown authentication type", authentication(c, badEnum), codes.InvalidArgument)
			},
		},
		{
			ID: "GR-24", Title: "DriverGrantBucketAccess rejects unknown protocols", Profile: Core, Level: Must, Classes: []string{"D12"},
			Sentence: sayInvalid, Source: sourceErrors, Generation: port.V1alpha2,
			run: func(c *C) {
				for _, value := range []port.Protocol{cosiv1alpha2.ObjectProtocol_UNKNOWN, badEnum} {
					err := c.grantChanged(func(r *port.AccessRequest) { r.Protocol = value })
					c.wantError("DriverGrantBucketAccess with protocol "+value.String(), err)
				}
			},
		},
		{
			ID: "GR-25", Title: "DriverGrantBucketAccess rejects unknown access modes", Profile: Core, Level: Must, Classes: []string{"D12"},
			Sentence: sayUnknown, Source: "spec, AccessMode", Generation: port.V1alpha2,
			run: func(c *C) {
				for _, value := range []port.Mode{cosiv1alpha2.AccessMode_UNKNOWN, badEnum} {
					err := c.grantChanged(func(r *port.AccessRequest) { r.Buckets[0].Modes.ObjectData = value })
					c.wantError(fmt.Sprintf("DriverGrantBucketAccess with access mode %s", value), err)
				}
			},
		},
		{
			ID: "GR-26", Title: "DriverGrantBucketAccess rejects an empty name or account ID", Profile: Core, Level: Must,
			Classes: []string{"D10"}, Sentence: sayRequired, Source: sourceFields,
			run: func(c *C) {
				c.wantError("DriverGrantBucketAccess without a name or ID", c.grantChanged(func(r *port.AccessRequest) { r.Key = "" }))
			},
		},
		{
			ID: "GR-27", Title: "DriverGrantBucketAccess returns INVALID_ARGUMENT for an empty name or account ID", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Sentence: sayInvalid, Source: sourceErrors,
			run: func(c *C) {
				err := c.grantChanged(func(r *port.AccessRequest) { r.Key = "" })
				c.wantCode("DriverGrantBucketAccess without a name or ID", err, codes.InvalidArgument)
			},
		},
		{
			ID: "GR-28", Title: "DriverGrantBucketAccess rejects a request without a bucket", Profile: Core, Level: Must,
			Classes: []string{"D10"}, Sentence: sayRequired, Source: sourceFields,
			run: func(c *C) {
				_, err := c.grant(c.namedAccess(c.accessName()))
				c.wantError("DriverGrantBucketAccess without a bucket", err)
			},
		},
	}
}

func revocation() []*Check {
	return []*Check{
		{
			ID: "RV-01", Title: "DriverRevokeBucketAccess revokes an access", Profile: Core, Level: Must, Sentence: sayRevokes, Source: sourceRevoke,
			run: func(c *C) {
				request, access := c.granted()
				c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			},
		},
		{
			ID: "RV-02", Title: "A repeated DriverRevokeBucketAccess returns OK", Profile: Core, Level: Must, Classes: []string{"D04"},
			Sentence: sayRevoked, Source: sourceRevoke,
			run: func(c *C) {
				request, access := c.granted()
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				c.wantOK("a repeated DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			},
		},
		{
			ID: "RV-03", Title: "DriverRevokeBucketAccess returns OK for an account that never existed", Profile: Core, Level: Must,
			Classes: []string{"D04"}, Sentence: sayRevoked, Source: sourceRevoke,
			run: func(c *C) {
				request := c.accessRequest(c.bucket().ID)
				c.wantOK("DriverRevokeBucketAccess for an unknown account", c.Driver.Revoke(c.Context, request))
			},
		},
		{
			ID: "RV-04", Title: "DriverRevokeBucketAccess rejects an empty account ID", Profile: Core, Level: Must, Classes: []string{"D10"},
			Sentence: sayDestructive, Source: sourceFields, Needs: []Need{needsPermission},
			run: func(c *C) {
				c.wantError("DriverRevokeBucketAccess without account_id", c.Driver.Revoke(c.Context, c.namedAccess("", c.bucket().ID)))
			},
		},
		{
			ID: "RV-05", Title: "DriverRevokeBucketAccess returns OK after the bucket was deleted", Profile: Core, Level: Should,
			Classes: []string{"D24"}, Sentence: sayRevoked, Source: sourceRevoke,
			run: func(c *C) {
				request, access := c.granted()
				if err := c.Driver.DeleteBucket(c.Context, request.Buckets[0].ID, c.env.Parameters.Bucket); err != nil {
					c.notSupported("DriverDeleteBucket of a bucket with an access", err)
				}
				c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			},
		},
		{
			ID: "RV-06", Title: "A revoked access can be granted again", Profile: Core, Level: Should, Sentence: sayRetry, Source: sourceTimeouts,
			run: func(c *C) {
				request, access := c.granted()
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				_, err := c.grant(request)
				c.wantOK("DriverGrantBucketAccess after DriverRevokeBucketAccess", err)
			},
		},
	}
}
