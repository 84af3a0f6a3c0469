package checks

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// unusual are values of parameters that a driver must handle.
func unusual() map[string]string {
	const long = 1000 // together with the author's, less than 4 KiB
	return map[string]string{
		"empty": "", "Unicode": "日本語 ü ß \u200f\u202e 🪣", "long": strings.Repeat("é", long), "control characters": "a\tb\nc\x01",
		"quotes": `'";--</Note>{{.}}$(id)%s%n`,
	}
}

// maxVaried is the number of the author's parameters that get unusual values.
const maxVaried = 3

// withUnusual calls with unusual values of the author's parameters, and of one that the driver does
// not know.
func (c *C) withUnusual(call string, parameters map[string]string, do func(parameters map[string]string) error) {
	names := slices.Sorted(maps.Keys(parameters))
	names = append(names[:min(len(names), maxVaried)], "conformance.cosi-emu/unknown")
	values := unusual()
	for _, name := range names {
		for _, kind := range slices.Sorted(maps.Keys(values)) {
			changed := maps.Clone(parameters)
			if changed == nil {
				changed = map[string]string{}
			}
			changed[name] = values[kind]
			if err := do(changed); err != nil && !slices.Contains(c.rejections(), status.Code(err)) {
				c.fail(fmt.Sprintf("%s with parameter %s %s returns OK, or one of %v", call, name, kind, c.rejections()), "%s", explain(err))
			}
		}
	}
}

// rejections are the codes for a value that a driver does not allow.
func (c *C) rejections() []codes.Code {
	if c.speaks(v1alpha1) {
		return []codes.Code{codes.InvalidArgument, codes.OutOfRange} // "the value requested cannot be used"
	}
	return []codes.Code{codes.InvalidArgument}
}

// oddNames are names that are no DNS subdomains, so that COSI does not send them. None of them is a
// path.
func (c *C) oddNames() []string {
	return []string{
		c.bucketName() + "-日本語", c.bucketName() + "-ü", strings.ToUpper(c.bucketName()), c.bucketName() + " a", c.bucketName() + "\x01",
		"-" + c.bucketName() + "-", "日本語", c.bucketName() + strings.Repeat("a", maxName),
	}
}

// pathNames are names that lead elsewhere in a driver that treats them as paths.
func (c *C) pathNames() []string {
	return []string{".", "..", "../" + c.bucketName(), c.bucketName() + "/../" + c.bucketName(), "/" + c.bucketName(), c.bucketName() + "/."}
}

// isPath returns whether an ID has an element that leads elsewhere. The suite never deletes such an
// ID, which might be anything.
func isPath(id string) bool {
	return slices.ContainsFunc(strings.Split(id, "/"), func(part string) bool { return part == "" || part == "." || part == ".." })
}

var errPath = errors.New("its ID has an element '', '.' or '..', so that it is not deleted")

func values() []*Check {
	return []*Check{
		{
			ID: "CB-20", Title: "DriverCreateBucket with Unicode, long and empty parameters returns OK or INVALID_ARGUMENT", Profile: Core,
			Level: Must, Classes: []string{"D10", "D13"}, Rule: sourceOlder.says(sayOpaque),
			run: func(c *C) {
				c.mustCreate()
				c.withUnusual("DriverCreateBucket", c.env.Parameters.Bucket, func(parameters map[string]string) error {
					request := c.namedBucket(c.bucketName())
					request.Parameters = parameters
					id, err := c.Driver.BucketKey(c.Context, request)
					if err != nil {
						return err
					}
					c.require("DriverGenerateBucketId", id)
					request.Key = id
					_, err = c.create(request)
					return err
				})
			},
		},
		{
			ID: "GR-30", Title: "DriverGrantBucketAccess with Unicode, long and empty parameters returns OK or INVALID_ARGUMENT", Profile: Core,
			Level: Must, Classes: []string{"D10", "D13"}, Rule: sourceOlder.says(sayOpaque),
			run: func(c *C) {
				c.mustGrant()
				id := c.anyBucket()
				c.withUnusual("DriverGrantBucketAccess", c.env.Parameters.Access, func(parameters map[string]string) error {
					request := c.namedAccess(c.accessName(), id)
					request.Parameters = parameters
					account, err := c.Driver.AccountKey(c.Context, request)
					if err != nil {
						return err
					}
					c.require("DriverGenerateBucketAccessId", account)
					request.Key = account
					_, err = c.grant(request)
					return err
				})
			},
		},
		{
			ID: "CB-22", Title: "Names that are no DNS subdomains are rejected, or get buckets of their own", Profile: Core, Level: Must,
			Classes: []string{"D19", "D20"}, Rule: sourceOlder.says(sayGlobal), Dialects: chosenBuckets,
			run: func(c *C) {
				seen := map[string]string{}
				for _, name := range c.oddNames() {
					b, err := c.create(c.namedBucket(name))
					if err != nil {
						continue
					}
					c.wantChosenID(b.ID, fmt.Sprintf("for name %s, bucket ID", quoted(name)))
					if other, twice := seen[b.ID]; twice {
						c.fail("different bucket IDs", "%q for names %q and %q", b.ID, other, name)
					}
					seen[b.ID] = name
				}
			},
		},
		{
			ID: "CB-25", Title: "DriverCreateBucket with a name of 253 characters returns OK or INVALID_ARGUMENT", Profile: Core,
			Level: Must, Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Dialects: chosenBuckets,
			run: func(c *C) {
				c.mustCreate()
				// The controllers of v1alpha1 put the name of the class before the UID.
				if _, err := c.create(c.namedBucket(longName(c.bucketName(), maxName))); err != nil {
					c.wantCode("DriverCreateBucket with a name of 253 characters", err, codes.InvalidArgument)
				}
			},
		},
		{
			ID: "CB-23", Title: "DriverCreateBucket rejects names that lead elsewhere as a path", Profile: Core, Level: Should,
			Classes: []string{"D10"}, Rule: sourceErrors.says(sayInvalid), Dialects: chosenBuckets, Needs: []Need{needsPermission},
			run: func(c *C) {
				for _, name := range c.pathNames() {
					_, err := c.create(c.namedBucket(name))
					c.wantError(fmt.Sprintf("DriverCreateBucket for name %q", name), err)
				}
			},
		},
		{
			ID: "CB-24", Title: "DriverCreateBucket rejects IDs that lead elsewhere as a path", Profile: Core, Level: Should,
			Classes: []string{"D10"}, Rule: sourceErrors.says(sayInvalid), Dialects: generatedBuckets, Needs: []Need{needsPermission},
			run: func(c *C) {
				for _, id := range c.pathNames() {
					_, err := c.create(c.namedBucket(id))
					c.wantError(fmt.Sprintf("DriverCreateBucket for bucket_id %q", id), err)
				}
			},
		},
	}
}
