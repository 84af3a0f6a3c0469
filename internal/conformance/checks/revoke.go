package checks

import (
	"google.golang.org/grpc/codes"
)

func revocation() []*Check {
	return []*Check{
		{
			ID: "RV-01", Title: "DriverRevokeBucketAccess revokes an access", Profile: Core, Level: Must, Rule: sourceRevoke.says(sayRevokes),
			run: func(c *C) {
				request, access := c.granted()
				unseen := c.unseen(access)
				c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				if unseen != nil {
					c.notProved("DriverRevokeBucketAccess returns OK, and no request shows that the credentials have stopped working: %v; "+
						"have the driver return an endpoint that the suite reaches, or set s3Endpoint, azureEndpoint or gcsEndpoint in --params",
						unseen)
				}
			},
		},
		{
			ID: "RV-02", Title: "A repeated DriverRevokeBucketAccess returns OK", Profile: Core, Level: Must, Classes: []string{"D04"},
			Rule: sourceRevoke.says(sayRevoked),
			run: func(c *C) {
				request, access := c.granted()
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				c.wantOK("a repeated DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			},
		},
		{
			ID: "RV-03", Title: "DriverRevokeBucketAccess returns OK for an account that never existed", Profile: Core, Level: Must,
			Classes: []string{"D04"}, Rule: sourceRevoke.says(sayRevoked),
			run: func(c *C) {
				c.mustRevoke()
				request := c.accessRequest(c.bucket().ID)
				request.Key = c.unknownAccount(request)
				c.wantOK("DriverRevokeBucketAccess for an unknown account", c.Driver.Revoke(c.Context, request))
			},
		},
		{
			ID: "RV-04", Title: "DriverRevokeBucketAccess rejects an empty account ID", Profile: Core, Level: Must, Classes: []string{"D10"},
			Rule: sourceFields.says(sayRequired), Needs: []Need{needsPermission},
			run: func(c *C) {
				c.mustRevoke()
				c.wantError("DriverRevokeBucketAccess without account_id", c.Driver.Revoke(c.Context, c.namedAccess("", c.bucket().ID)))
			},
		},
		{
			ID: "RV-05", Title: "DriverRevokeBucketAccess returns OK after the bucket was deleted", Profile: Core, Level: Should,
			Classes: []string{"D24"}, Rule: sourceRevoke.says(sayRevoked),
			run: func(c *C) {
				c.mustRevoke()
				request, access := c.granted()
				if err := c.Driver.DeleteBucket(c.Context, request.Buckets[0].ID, c.env.Parameters.Bucket); err != nil {
					c.notSupported("DriverDeleteBucket of a bucket with an access", err)
				}
				c.wantOK("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
			},
		},
		{
			ID: "RV-06", Title: "A revoked access can be granted again", Profile: Core, Level: Should, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				request, access := c.granted()
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				_, err := c.grant(request)
				c.wantOK("DriverGrantBucketAccess after DriverRevokeBucketAccess", err)
			},
		},
		{
			ID: "RV-07", Title: "DriverRevokeBucketAccess returns INVALID_ARGUMENT for an empty account ID", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Needs: []Need{needsPermission},
			run: func(c *C) {
				c.mustRevoke()
				err := c.Driver.Revoke(c.Context, c.namedAccess("", c.bucket().ID))
				c.wantCode("DriverRevokeBucketAccess without account_id", err, codes.InvalidArgument)
			},
		},
		{
			ID: "RV-08", Title: "DriverRevokeBucketAccess leaves the bucket", Profile: Core, Level: Must, Classes: []string{"D10"},
			Rule: sourceRevoke.says(sayRevokes),
			run: func(c *C) {
				request, access := c.granted()
				c.setup("look the bucket up", c.observe(request.Buckets[0].ID))
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				c.stays(request.Buckets[0].ID, "DriverRevokeBucketAccess")
			},
		},
	}
}
