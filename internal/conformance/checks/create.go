package checks

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func (c *C) createTwice() (first, second *port.Bucket, err error) {
	request := c.bucketRequest()
	first, err = c.create(request)
	c.setup("DriverCreateBucket", err)
	second, err = c.create(request)
	return first, second, err
}

// infoField returns the field of DriverCreateBucketResponse that has the information for clients.
func (c *C) infoField() string {
	if c.speaks(v1alpha1) {
		return "bucket_info"
	}
	return "protocols"
}

func protocolNames(protocols []port.Protocol) string {
	var names []string
	for _, protocol := range protocols {
		names = append(names, protocol.String())
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// incompatible creates a bucket, and repeats the call with other parameters.
func (c *C) incompatible() error {
	request := c.bucketRequest()
	_, err := c.create(request)
	c.setup("DriverCreateBucket", err)
	other := request
	other.Parameters = c.env.Parameters.Incompatible
	_, err = c.create(other)
	return err
}

func (c *C) createWithout() error {
	c.mustCreate()
	_, err := c.create(c.namedBucket(""))
	return err
}

func (c *C) createWith(protocol port.Protocol) error {
	c.mustCreate()
	request := c.bucketRequest()
	request.Protocols = []port.Protocol{protocol}
	_, err := c.create(request)
	return err
}

func creation() []*Check { return slices.Concat(creationCalls(), creationValidation(), values()) }

func creationCalls() []*Check {
	return []*Check{
		{
			ID: "CB-01", Title: "DriverCreateBucket creates a bucket", Profile: Core, Level: Must,
			Rule: sourceCreate.says(sayCreates),
			run: func(c *C) {
				_, err := c.create(c.bucketRequest())
				c.wantOK("DriverCreateBucket", err)
			},
		},
		{
			ID: "CB-02", Title: "DriverCreateBucket returns the protocols of the bucket", Profile: Core, Level: Must,
			Rule:     sourceCreate.says(sayOneProtocol),
			Dialects: v1alpha2, Classes: []string{"D01"},
			run: func(c *C) {
				b := c.bucket()
				if len(b.Protocols) == 0 {
					c.fail("information for at least one protocol", "none")
				}
				if !slices.Contains(b.Protocols, c.protocol) {
					c.fail("information for the requested protocol "+c.protocol.String(), "%v", b.Protocols)
				}
			},
		},
		{
			ID: "CB-08", Title: "DriverCreateBucket returns the protocol of the bucket", Profile: Core, Level: Should,
			Rule: sourceOlder.says("bucket_info returned here stores the data specific to the bucket required by the object storage provider " +
				"to connect to the bucket."),
			Dialects: v1alpha1, Classes: []string{"D01"},
			run: func(c *C) {
				if b := c.bucket(); len(b.Protocols) == 0 {
					c.fail(c.infoField(), "none")
				}
			},
		},
		{
			ID: "CB-03", Title: "DriverCreateBucket returns a valid bucket ID", Profile: Core, Level: Must,
			Classes: []string{"D19", "D20"}, Dialects: chosenBuckets,
			Rule: sourceSizes.says(sayShort),
			run: func(c *C) {
				b, err := c.create(c.bucketRequest())
				c.setup("DriverCreateBucket", err)
				c.wantChosenID(b.ID, "bucket ID")
			},
		},
		{
			ID: "CB-04", Title: "A repeated DriverCreateBucket returns OK", Profile: Core, Level: Must, Classes: []string{"D01"},
			Rule: sourceMessages.says(sayMatching),
			run: func(c *C) {
				_, _, err := c.createTwice()
				c.wantOK("a repeated DriverCreateBucket", err)
			},
		},
		{
			ID: "CB-05", Title: "A repeated DriverCreateBucket returns the same bucket", Profile: Core, Level: Must, Classes: []string{"D01"},
			Rule: sourceCreate.says(sayIdempotent),
			run: func(c *C) {
				first, second, err := c.createTwice()
				c.setup("a repeated DriverCreateBucket", err)
				if first.ID != second.ID {
					c.fail("bucket ID "+first.ID+" again", "bucket ID %s", second.ID)
				}
				if !slices.Equal(first.Protocols, second.Protocols) {
					c.fail(c.infoField()+" for "+protocolNames(first.Protocols)+" again", "%s", protocolNames(second.Protocols))
				}
			},
		},
		{
			ID: "CB-06", Title: "Two buckets have different IDs", Profile: Core, Level: Must, Classes: []string{"D19", "D20"},
			Rule: sourceOlder.says(sayGlobal), Dialects: chosenBuckets,
			run: func(c *C) {
				if first, second := c.bucket(), c.bucket(); first.ID == second.ID {
					c.fail("different bucket IDs", "%q for both names", first.ID)
				}
			},
		},
		{
			ID: "CB-07", Title: "Long names with a common prefix get different buckets", Profile: Core, Level: Must, Classes: []string{"D19"},
			Rule: sourceOlder.says(sayGlobal), Dialects: chosenBuckets,
			run: func(c *C) {
				name := longName(c.bucketName(), 120)
				first, err := c.create(c.namedBucket(name + "1"))
				if isCode(err, codes.InvalidArgument) {
					c.notSupported("long names", err)
				}
				c.setup("DriverCreateBucket", err)
				c.require("DriverCreateBucket", first.ID)
				second, err := c.create(c.namedBucket(name + "2"))
				c.wantOK("DriverCreateBucket for another name with the same 120 characters at the beginning", err)
				if first.ID == second.ID {
					c.fail("different bucket IDs", "%q for both names", first.ID)
				}
			},
		},
	}
}

func creationValidation() []*Check {
	return []*Check{
		{
			ID: "CB-10", Title: "DriverCreateBucket rejects other parameters for an existing bucket", Profile: Core, Level: Must,
			Classes: []string{"D02"}, Rule: sourceCreate.says(sayIncompat), Needs: []Need{needsIncompatible},
			run: func(c *C) {
				c.wantError("DriverCreateBucket with other parameters", c.incompatible())
			},
		},
		{
			ID: "CB-11", Title: "DriverCreateBucket returns ALREADY_EXISTS for other parameters", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceCreate.says(sayIncompat), Needs: []Need{needsIncompatible},
			run: func(c *C) {
				c.wantCode("DriverCreateBucket with other parameters", c.incompatible(), codes.AlreadyExists)
			},
		},
		{
			ID: "CB-12", Title: "A rejected DriverCreateBucket does not change the bucket", Profile: Core, Level: Must, Classes: []string{"D02"},
			Rule: sourceCreate.says(sayIdempotent), Needs: []Need{needsIncompatible},
			run: func(c *C) {
				request := c.bucketRequest()
				_, err := c.create(request)
				c.setup("DriverCreateBucket", err)
				_, err = c.create(request)
				c.setup("a repeated DriverCreateBucket", err)
				other := request
				other.Parameters = c.env.Parameters.Incompatible
				if _, err := c.create(other); err == nil {
					c.notReached("DriverCreateBucket with other parameters", errAccepted)
				}
				_, err = c.create(request)
				if isCode(err, codes.AlreadyExists) {
					c.fail("the first parameters still describe the bucket", "%s", explain(err))
				}
				c.setup("a repeated DriverCreateBucket", err)
			},
		},
		{
			ID: "CB-13", Title: "DriverCreateBucket rejects an empty name or ID", Profile: Core, Level: Must, Classes: []string{"D10"},
			Rule: sourceFields.says(sayRequired),
			run:  func(c *C) { c.wantError("DriverCreateBucket without a name or ID", c.createWithout()) },
		},
		{
			ID: "CB-14", Title: "DriverCreateBucket returns INVALID_ARGUMENT for an empty name or ID", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid),
			run: func(c *C) {
				c.wantCode("DriverCreateBucket without a name or ID", c.createWithout(), codes.InvalidArgument)
			},
		},
		{
			ID: "CB-15", Title: "DriverCreateBucket rejects unknown protocols", Profile: Core, Level: Must, Classes: []string{"D12"},
			Rule: sourceErrors.says(sayInvalid), Dialects: v1alpha2,
			run: func(c *C) {
				for _, protocol := range []port.Protocol{cosiv1alpha2.ObjectProtocol_UNKNOWN, badEnum} {
					c.wantError("DriverCreateBucket with protocol "+protocol.String(), c.createWith(protocol))
				}
			},
		},
		{
			ID: "CB-16", Title: "DriverCreateBucket rejects protocols that the driver does not support", Profile: Core, Level: Must,
			Classes: []string{"D12"}, Rule: sourceErrors.says(sayInvalid), Dialects: v1alpha2,
			run: func(c *C) {
				for _, protocol := range []port.Protocol{s3, cosiv1alpha2.ObjectProtocol_AZURE, cosiv1alpha2.ObjectProtocol_GCS} {
					if !slices.Contains(c.env.Info.Protocols, protocol) {
						c.wantError("DriverCreateBucket with protocol "+protocol.String(), c.createWith(protocol))
					}
				}
			},
		},
		{
			ID: "CB-17", Title: "DriverCreateBucket rejects IDs that no driver may generate", Profile: Core, Level: Should,
			Classes: []string{"D10"}, Rule: sourceMessages.says(sayID), Dialects: generatedBuckets,
			run: func(c *C) {
				for _, id := range []string{c.bucketName() + "\x01", c.bucketName() + "\n", c.bucketName() + strings.Repeat("a", maxID)} {
					_, err := c.create(c.namedBucket(id))
					c.wantError("DriverCreateBucket with an invalid bucket_id", err)
				}
			},
		},
		{
			ID: "CB-18", Title: "DriverCreateBucket does not adopt a bucket that the driver did not create", Profile: Core, Level: Must,
			Classes: []string{"D18"}, Rule: sourceCreate.says(sayIncompat), Needs: []Need{needsExistingBucket},
			run: func(c *C) {
				// Nothing is removed here, because the suite does not own adopted buckets.
				_, err := c.Driver.CreateBucket(c.Context, c.namedBucket(c.env.Parameters.ExistingBucket))
				c.wantError("DriverCreateBucket for a bucket of others", err)
			},
		},
		{
			ID: "CB-19", Title: "DriverCreateBucket for another protocol adds the protocol to the bucket, or is rejected", Profile: Core,
			Level: Must, Classes: []string{"D02"}, Rule: sourceCreate.says(sayIncompat), Dialects: v1alpha2,
			Needs: []Need{needsTwoProtocols},
			run: func(c *C) {
				request := c.bucketRequest()
				_, err := c.create(request)
				c.setup("DriverCreateBucket", err)
				for _, protocol := range c.env.Info.Protocols {
					other := request
					other.Protocols = []port.Protocol{protocol}
					if b, err := c.create(other); err == nil && !slices.Contains(b.Protocols, protocol) {
						c.fail("a rejection, or a bucket of protocol "+protocol.String(), "OK, with %v", b.Protocols)
					}
				}
			},
		},
		{
			ID: "CB-21", Title: "DriverCreateBucket returns INVALID_ARGUMENT for unknown protocols", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Dialects: v1alpha2,
			run: func(c *C) {
				c.wantCode("DriverCreateBucket with an unknown protocol", c.createWith(badEnum), codes.InvalidArgument)
			},
		},
	}
}
