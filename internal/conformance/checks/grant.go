package checks

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

func (c *C) granted() (port.AccessRequest, *port.Access) {
	request := c.accessRequest(c.bucket().ID)
	return request, c.access(request)
}

func (c *C) grantChanged(change func(*port.AccessRequest)) error {
	c.mustGrant()
	request := c.accessRequest(c.bucket().ID)
	change(&request)
	_, err := c.grant(request)
	return err
}

func grants() []*Check {
	return []*Check{
		{
			ID: "GR-01", Title: "DriverGrantBucketAccess grants an access", Profile: Core, Level: Must, Rule: sourceGrant.says(sayAccess),
			run: func(c *C) {
				_, err := c.grant(c.accessRequest(c.bucket().ID))
				c.wantOK("DriverGrantBucketAccess", err)
			},
		},
		{
			ID: "GR-02", Title: "DriverGrantBucketAccess returns a valid account ID", Profile: Core, Level: Must, Classes: []string{"D20"},
			Rule: sourceOlder.says(sayAccount), Dialects: chosenAccounts,
			run: func(c *C) {
				access, err := c.grant(c.accessRequest(c.bucket().ID))
				c.setup("DriverGrantBucketAccess", err)
				c.wantChosenID(access.AccountID, "account ID")
			},
		},
		{
			ID: "GR-03", Title: "DriverGrantBucketAccess returns credentials for one protocol, the requested one", Profile: Core, Level: Must,
			Classes: []string{"D25"}, Rule: sourceGrant.says(sayMatch),
			run: func(c *C) {
				_, access := c.granted()
				if !slices.Equal(access.Protocols, []port.Protocol{c.protocol}) {
					c.fail("credentials for "+c.protocol.String(), "%v %v", access.Protocols, access.UnknownKeys)
				}
			},
		},
		{
			ID: "GR-04", Title: "DriverGrantBucketAccess returns all that a client of S3 requires", Profile: S3, Level: Must,
			Classes: []string{"D25"}, Rule: sourceGrant.says(sayComplete), Needs: []Need{needsS3},
			run: func(c *C) {
				_, access := c.granted()
				for _, b := range access.Buckets {
					c.wantS3Values(access, b)
				}
			},
		},
		{
			ID: "GR-05", Title: "DriverGrantBucketAccess returns information for the requested buckets only", Profile: Core, Level: Must,
			Rule: sourceMessages.says(sayEach), Dialects: v1alpha2,
			run: func(c *C) {
				request, access := c.granted()
				if len(access.Buckets) != 1 || access.Buckets[0].ID != request.Buckets[0].ID {
					c.fail("bucket "+request.Buckets[0].ID, "%v", bucketNames(access.Buckets))
				}
			},
		},
		{
			ID: "GR-06", Title: "A repeated DriverGrantBucketAccess returns OK", Profile: Core, Level: Must, Classes: []string{"D03"},
			Rule: sourceGrant.says(sayIdempotent),
			run: func(c *C) {
				request, _ := c.granted()
				for range 3 {
					_, err := c.grant(request)
					c.wantOK("a repeated DriverGrantBucketAccess", err)
				}
			},
		},
		{
			ID: "GR-07", Title: "A repeated DriverGrantBucketAccess returns the same account", Profile: Core, Level: Must,
			Classes: []string{"D03"}, Rule: sourceGrant.says(sayIdempotent), Dialects: chosenAccounts,
			run: func(c *C) {
				request, first := c.granted()
				second, err := c.grant(request)
				c.setup("a repeated DriverGrantBucketAccess", err)
				c.wantSame("account", first.AccountID, second.AccountID)
			},
		},
		{
			ID: "GR-08", Title: "Two accesses have different accounts", Profile: Core, Level: Must, Classes: []string{"D16", "D20"},
			Rule: sourceOlder.says(sayLaterAccount), Dialects: chosenAccounts,
			run: func(c *C) {
				_, first := c.granted()
				if _, second := c.granted(); first.AccountID == second.AccountID {
					c.fail("different account IDs", "%q for both", first.AccountID)
				}
			},
		},
		{
			ID: "GR-09", Title: "DriverGrantBucketAccess rejects another bucket for an existing account", Profile: Core, Level: Should,
			Rule: sourceGrant.says(sayIncompat), Dialects: v1alpha2, Classes: []string{"D02"},
			run: func(c *C) {
				request, _ := c.granted()
				request.Buckets = c.namedAccess("", c.bucket().ID).Buckets
				_, err := c.grant(request)
				c.wantError("DriverGrantBucketAccess with another bucket", err)
			},
		},
	}
}

// wantS3Values ends the check unless a response has all that a client of S3 requires.
func (c *C) wantS3Values(access *port.Access, b port.Bucket) {
	names := []string{"access_key_id", "access_secret_key", "endpoint", "bucket_id"}
	if c.speaks(v1alpha1) {
		names = []string{cosiv1alpha1.S3AccessKeyID, cosiv1alpha1.S3AccessSecretKey, cosiv1alpha1.S3Endpoint, "bucket_id"}
	}
	var missing []string
	for i, value := range []string{
		access.S3.GetAccessKeyId(), access.S3.GetAccessSecretKey(), b.S3.GetEndpoint(), b.S3.GetBucketId(),
	} {
		if value == "" {
			missing = append(missing, names[i])
		}
	}
	switch {
	case len(missing) == 0:
	case len(access.UnknownKeys) > 0:
		c.fail("values of "+strings.Join(names, ", "), "no %s; COSI's sidecar does not read the keys %q",
			strings.Join(missing, ", "), access.UnknownKeys)
	default:
		c.fail("values of "+strings.Join(names, ", "), "no %s", strings.Join(missing, ", "))
	}
}

func (c *C) repeatedWith(change func(*port.AccessRequest)) error {
	request, _ := c.granted()
	request.Buckets = slices.Clone(request.Buckets)
	change(&request)
	_, err := c.grant(request)
	return err
}

// incompatibleGrants has the checks of a repeated call with a different request.
func incompatibleGrants() []*Check {
	check := func(id, title string, about dialects.Range, run func(*C), needs ...Need) *Check {
		return &Check{
			ID: id, Title: title, Profile: Core, Level: Should, Classes: []string{"D02"}, Rule: sourceGrant.says(sayIncompat),
			Dialects: about, Needs: needs, run: run,
		}
	}
	return []*Check{
		check("GR-10", "DriverGrantBucketAccess returns ALREADY_EXISTS for another bucket", v1alpha2, func(c *C) {
			other := c.bucket().ID
			err := c.repeatedWith(func(r *port.AccessRequest) { r.Buckets[0].ID = other })
			c.wantCode("DriverGrantBucketAccess with another bucket", err, codes.AlreadyExists)
		}),
		check("GR-11", "DriverGrantBucketAccess rejects another protocol for an existing account", v1alpha2, func(c *C) {
			for _, protocol := range c.env.Info.Protocols {
				if protocol != c.protocol {
					err := c.repeatedWith(func(r *port.AccessRequest) { r.Protocol = protocol })
					c.wantError("DriverGrantBucketAccess with protocol "+protocol.String(), err)
				}
			}
		}, needsTwoProtocols),
		check("GR-12", "DriverGrantBucketAccess rejects another authentication type for an existing account", v1alpha2, func(c *C) {
			err := c.repeatedWith(func(r *port.AccessRequest) {
				r.Authentication, r.ServiceAccount = serviceAccount, defaultServiceAccount
			})
			c.wantError("DriverGrantBucketAccess with another authentication type", err)
		}),
		check("GR-13", "DriverGrantBucketAccess rejects other parameters for an existing account", v1alpha2, func(c *C) {
			err := c.repeatedWith(func(r *port.AccessRequest) { r.Parameters = c.env.Parameters.IncompatibleAccess })
			c.wantError("DriverGrantBucketAccess with other parameters", err)
		}, needsIncompatibleAccess),
		check("GR-14", "DriverGrantBucketAccess rejects other access modes for an existing account", accessModes, func(c *C) {
			err := c.repeatedWith(func(r *port.AccessRequest) { r.Buckets[0].Modes.ObjectData = readOnly })
			c.wantError("DriverGrantBucketAccess with other access modes", err)
		}),
	}
}

func bucketNames(buckets []port.Bucket) []string {
	var names []string
	for _, b := range buckets {
		names = append(names, b.ID)
	}
	return names
}

// unknownBucketRequest returns a request for an access to a bucket that does not exist. Its key is
// the key that the driver generated for another bucket.
func (c *C) unknownBucketRequest() port.AccessRequest {
	c.mustGrant()
	request := c.accessRequest(c.anyBucket())
	request.Buckets[0].ID = c.unknownBucket()
	return request
}

func grantValidation() []*Check {
	unknownBucket := func(c *C) (string, error) {
		request := c.unknownBucketRequest()
		_, err := c.grant(request)
		return request.Buckets[0].ID, err
	}
	authentication := func(c *C, value port.Authentication) error {
		return c.grantChanged(func(r *port.AccessRequest) { r.Authentication = value })
	}
	return []*Check{
		{
			ID: "GR-20", Title: "DriverGrantBucketAccess rejects a bucket that does not exist", Profile: Core, Level: Must,
			Classes: []string{"D11"}, Rule: sourceGrant.says(sayAccess),
			run: func(c *C) {
				_, err := unknownBucket(c)
				c.wantError("DriverGrantBucketAccess for an unknown bucket", err)
			},
		},
		{
			ID: "GR-21", Title: "DriverGrantBucketAccess does not create the bucket", Profile: Core, Level: Must, Classes: []string{"D11"},
			Rule: sourceGrant.says(sayAccess), Dialects: v1alpha2,
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
			Classes: []string{"D12"}, Rule: sourceGrant.says(sayAuth),
			run: func(c *C) {
				for _, value := range []port.Authentication{cosiv1alpha2.AuthenticationType_UNKNOWN, badEnum} {
					c.wantError("DriverGrantBucketAccess with authentication type "+value.String(), authentication(c, value))
				}
			},
		},
		{
			ID: "GR-23", Title: "DriverGrantBucketAccess returns INVALID_ARGUMENT for unknown authentication types", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceGrant.says(sayAuth),
			run: func(c *C) {
				c.wantCode("DriverGrantBucketAccess with an unknown authentication type", authentication(c, badEnum), codes.InvalidArgument)
			},
		},
		{
			ID: "GR-24", Title: "DriverGrantBucketAccess rejects unknown protocols", Profile: Core, Level: Must, Classes: []string{"D12"},
			Rule: sourceErrors.says(sayInvalid), Dialects: v1alpha2,
			run: func(c *C) {
				for _, value := range []port.Protocol{cosiv1alpha2.ObjectProtocol_UNKNOWN, badEnum} {
					err := c.grantChanged(func(r *port.AccessRequest) { r.Protocol = value })
					c.wantError("DriverGrantBucketAccess with protocol "+value.String(), err)
				}
			},
		},
		{
			ID: "GR-25", Title: "DriverGrantBucketAccess rejects unknown access modes", Profile: Core, Level: Must, Classes: []string{"D12"},
			Rule: sourceMessages.says(sayMode), Dialects: accessModes,
			run: func(c *C) {
				for _, value := range []port.Mode{cosiv1alpha2.AccessMode_UNKNOWN, badEnum} {
					err := c.grantChanged(func(r *port.AccessRequest) { r.Buckets[0].Modes.ObjectData = value })
					c.wantError(fmt.Sprintf("DriverGrantBucketAccess with access mode %s", value), err)
				}
			},
		},
		{
			ID: "GR-26", Title: "DriverGrantBucketAccess rejects an empty name or account ID", Profile: Core, Level: Must,
			Classes: []string{"D10"}, Rule: sourceFields.says(sayRequired),
			run: func(c *C) {
				c.wantError("DriverGrantBucketAccess without a name or ID", c.grantChanged(func(r *port.AccessRequest) { r.Key = "" }))
			},
		},
		{
			ID: "GR-27", Title: "DriverGrantBucketAccess returns INVALID_ARGUMENT for an empty name or account ID", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid),
			run: func(c *C) {
				err := c.grantChanged(func(r *port.AccessRequest) { r.Key = "" })
				c.wantCode("DriverGrantBucketAccess without a name or ID", err, codes.InvalidArgument)
			},
		},
		{
			ID: "GR-28", Title: "DriverGrantBucketAccess rejects a request without a bucket", Profile: Core, Level: Must,
			Classes: []string{"D10"}, Rule: sourceFields.says(sayRequired),
			run: func(c *C) {
				c.mustGrant()
				_, err := c.grant(c.namedAccess(c.accessName()))
				c.wantError("DriverGrantBucketAccess without a bucket", err)
			},
		},
	}
}

func grantCodes() []*Check {
	return []*Check{
		{
			ID: "GR-29", Title: "DriverGrantBucketAccess for several buckets succeeds, or returns OUT_OF_RANGE", Profile: Core, Level: Must,
			Classes: []string{"D13"},
			Rule:    sourceAccount.says(sayRange), Dialects: v1alpha2,
			run: func(c *C) {
				if err := c.several(); err != nil && !isCode(err, codes.OutOfRange) {
					c.fail("OK or OUT_OF_RANGE", "%s", explain(err))
				}
			},
		},
		{
			ID: "GR-31", Title: "DriverGrantBucketAccess returns NOT_FOUND for a bucket that does not exist", Profile: Core, Level: Should,
			Classes: []string{"D13"}, Rule: sourceCodes.says(sayNotFound),
			run: func(c *C) {
				_, err := c.grant(c.unknownBucketRequest())
				c.wantCode("DriverGrantBucketAccess for an unknown bucket", err, codes.NotFound, codes.FailedPrecondition, codes.InvalidArgument)
			},
		},
		{
			ID: "GR-32", Title: "DriverGrantBucketAccess returns INVALID_ARGUMENT for unknown protocols", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Dialects: v1alpha2,
			run: func(c *C) {
				err := c.grantChanged(func(r *port.AccessRequest) { r.Protocol = badEnum })
				c.wantCode("DriverGrantBucketAccess with an unknown protocol", err, codes.InvalidArgument)
			},
		},
		{
			ID: "GR-33", Title: "DriverGrantBucketAccess returns INVALID_ARGUMENT for unknown access modes", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Dialects: accessModes,
			run: func(c *C) {
				err := c.grantChanged(func(r *port.AccessRequest) { r.Buckets[0].Modes.ObjectData = badEnum })
				c.wantCode("DriverGrantBucketAccess with an unknown access mode", err, codes.InvalidArgument)
			},
		},
		{
			ID: "GR-34", Title: "DriverGrantBucketAccess returns INVALID_ARGUMENT for a request without a bucket", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid),
			run: func(c *C) {
				c.mustGrant()
				_, err := c.grant(c.namedAccess(c.accessName()))
				c.wantCode("DriverGrantBucketAccess without a bucket", err, codes.InvalidArgument)
			},
		},
		{
			ID: "GR-35", Title: "DriverGrantBucketAccess rejects unknown access modes for metadata", Profile: Core, Level: Should,
			Classes: []string{"D12"}, Rule: sourceMessages.says(sayMode), Dialects: threeModes,
			run: func(c *C) {
				for _, value := range []port.Mode{cosiv1alpha2.AccessMode_UNKNOWN, badEnum} {
					err := c.grantChanged(func(r *port.AccessRequest) { r.Buckets[0].Modes.ObjectMetadata = value })
					c.wantError(fmt.Sprintf("DriverGrantBucketAccess with access mode %s for metadata of objects", value), err)
					err = c.grantChanged(func(r *port.AccessRequest) { r.Buckets[0].Modes.BucketMetadata = value })
					c.wantError(fmt.Sprintf("DriverGrantBucketAccess with access mode %s for metadata of the bucket", value), err)
				}
			},
		},
		{
			ID: "GR-36", Title: "DriverGrantBucketAccess rejects a protocol, authentication type or access mode that is not set", Profile: Core,
			Level: Should, Classes: []string{"D12"}, Rule: sourceFields.says(sayRequired), Dialects: v1alpha2,
			run: func(c *C) {
				for what, change := range c.unsetFields() {
					c.wantError("DriverGrantBucketAccess without a "+what, c.grantChanged(change))
				}
			},
		},
	}
}

// unsetFields returns changes of a request that clear a field of the dialect, by its name.
func (c *C) unsetFields() map[string]func(*port.AccessRequest) {
	all := map[string]func(*port.AccessRequest){
		"protocol":            func(r *port.AccessRequest) { r.Protocol = port.Unset },
		"authentication type": func(r *port.AccessRequest) { r.Authentication = port.Unset },
	}
	if c.speaks(accessModes) {
		all["access mode"] = func(r *port.AccessRequest) { r.Buckets[0].Modes.ObjectData = port.Unset }
	}
	return all
}

func (c *C) several() error {
	c.mustGrant()
	request := c.namedAccess(c.accessName(), c.bucket().ID, c.bucket().ID)
	id, err := c.Driver.AccountKey(c.Context, request)
	if err != nil {
		return err
	}
	c.require("DriverGenerateBucketAccessId", id)
	request.Key = id
	_, err = c.grant(request)
	return err
}

func grantRemains() []*Check {
	return []*Check{
		{
			ID: "GR-37", Title: "DriverGrantBucketAccess rejects a bucket without an ID", Profile: Core, Level: Must, Classes: []string{"D10"},
			Rule: sourceFields.says(sayRequired), Dialects: v1alpha2,
			run: func(c *C) {
				err := c.grantChanged(func(r *port.AccessRequest) { r.Buckets[0].ID = "" })
				c.wantError("DriverGrantBucketAccess for a bucket without bucket_id", err)
			},
		},
		{
			ID: "GR-38", Title: "DriverGrantBucketAccess succeeds once the bucket exists", Profile: Core, Level: Must,
			Classes: []string{"D05", "D11"}, Rule: sourceTimeouts.says(sayRetry),
			run: func(c *C) {
				c.mustGrant()
				bucket := c.bucketRequest()
				request := c.accessRequest(c.anyBucket())
				request.Buckets[0].ID = bucket.Key
				if _, err := c.grant(request); err == nil {
					c.notReached("DriverGrantBucketAccess for an unknown bucket", errAccepted)
				}
				b, err := c.create(bucket)
				c.setup("DriverCreateBucket", err)
				request.Buckets[0].ID = b.ID
				_, err = c.grant(request)
				c.wantOK("DriverGrantBucketAccess after DriverCreateBucket", err)
			},
		},
	}
}
