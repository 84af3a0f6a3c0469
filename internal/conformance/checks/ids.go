package checks

import (
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// validID matches the IDs that COSI accepts, and validChosenID the IDs of earlier dialects.
var (
	validID       = regexp.MustCompile(`^[a-zA-Z0-9._/-]+$`)
	validChosenID = regexp.MustCompile(`^[a-zA-Z0-9.-]+$`)
)

const (
	maxID     = 2048
	maxName   = 253
	maxString = 128 // of v1alpha1
)

// checkID ends the check unless an ID is valid.
func (c *C) checkID(id string) {
	if len(id) > maxID || !validID.MatchString(id) {
		c.fail("an ID of 1 to 2048 characters of a-z, A-Z, 0-9, '-', '.', '_' and '/'", "ID %s", quoted(id))
	}
}

// shownName is how much of a name or ID a message has.
const shownName = 80

// quoted quotes the beginning of a name or ID.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > shownName {
		return strconv.Quote(string(runes[:shownName]) + "…")
	}
	return strconv.Quote(name)
}

// generator is a call that generates IDs of buckets, or of accounts.
type generator struct {
	prefix, call string
	source       Source
	dialects     dialects.Range // dialects with the call
	generate     func(c *C, name string) (string, error)
	name         func(c *C) string
}

func (g generator) of(c *C, name string) string {
	id, err := g.generate(c, name)
	c.wantOK(g.call, err)
	return id
}

// must ends the check as not reached if the call does not work at all: a driver without it would seem
// to reject everything that it should.
func (g generator) must(c *C) {
	_, err := g.generate(c, g.name(c))
	c.setup(g.call, err)
}

func bucketIDs() []*Check {
	g := generator{
		prefix: "GB", call: "DriverGenerateBucketId", source: sourceGenerate, dialects: generatedBuckets, name: (*C).bucketName,
		generate: func(c *C, name string) (string, error) { return c.Driver.BucketKey(c.Context, c.namedBucket(name)) },
	}
	return append(g.checks(), &Check{
		ID: "GB-07", Title: "DriverGenerateBucketId creates no bucket", Profile: Core, Level: Should, Dialects: generatedBuckets,
		Rule: sourceGenerate.says("COSI recommends that each driver use a deterministic rule for generating the bucket_id without " +
			"provisioning " +
			"backend resources."),
		run: func(c *C) {
			_, err := c.Driver.GetBucket(c.Context, c.bucketRequest())
			if isCode(err, codes.Unimplemented) {
				c.notSupported("DriverGetBucket", err)
			}
			if err == nil {
				c.fail("DriverGetBucket returns NOT_FOUND for an ID that was only generated", "OK")
			}
		},
	})
}

func accountIDs() []*Check {
	g := generator{
		prefix: "GA", call: "DriverGenerateBucketAccessId", source: sourceAccount, dialects: generatedAccounts,
		name: (*C).accessName,
		generate: func(c *C, name string) (string, error) {
			return c.Driver.AccountKey(c.Context, c.namedAccess(name, c.anyBucket()))
		},
	}
	return g.checks()
}

// checks has the checks of both calls.
func (g generator) checks() []*Check {
	return []*Check{
		{
			ID: g.prefix + "-01", Title: g.call + " returns a valid ID", Profile: Core, Level: Must, Classes: []string{"D19", "D20"},
			Rule: sourceMessages.says(sayID), Dialects: g.dialects,
			run: func(c *C) { c.checkID(g.of(c, g.name(c))) },
		},
		{
			ID: g.prefix + "-02", Title: g.call + " returns the same ID for the same name", Profile: Core, Level: Should,
			Classes: []string{"D19"}, Rule: g.source.says(sayIdempotent), Dialects: g.dialects,
			run: func(c *C) {
				name := g.name(c)
				if first, second := g.of(c, name), g.of(c, name); first != second {
					c.fail("ID "+first+" again", "ID %s", second)
				}
			},
		},
		{
			ID: g.prefix + "-03", Title: g.call + " returns different IDs for different names", Profile: Core, Level: Must,
			Classes: []string{"D19"}, Rule: g.source.says(sayUnique), Dialects: g.dialects,
			run: func(c *C) {
				if first, second := g.of(c, g.name(c)), g.of(c, g.name(c)); first == second {
					c.fail("different IDs", "ID %q for both names", first)
				}
			},
		},
		{
			ID: g.prefix + "-04", Title: g.call + " returns different IDs for long names with a common prefix", Profile: Core, Level: Must,
			Classes: []string{"D19"}, Rule: g.source.says(sayUnique), Dialects: g.dialects,
			run: func(c *C) {
				long := longName(g.name(c), maxName-1)
				first, err := g.generate(c, long+"1")
				if isCode(err, codes.InvalidArgument) {
					c.notSupported("long names", err) // COSI's own names are short
				}
				c.setup(g.call, err)
				second, err := g.generate(c, long+"2")
				c.wantOK(g.call+" for another name with the same 251 characters at the beginning", err)
				if first == second {
					c.fail("different IDs", "ID %q for both names", first)
				}
			},
		},
		{
			ID: g.prefix + "-05", Title: g.call + " rejects an empty name", Profile: Core, Level: Must, Classes: []string{"D10"},
			Rule: sourceFields.says(sayRequired), Dialects: g.dialects,
			run: func(c *C) {
				g.must(c)
				_, err := g.generate(c, "")
				c.wantError(g.call+" without a name", err)
			},
		},
		{
			ID: g.prefix + "-06", Title: g.call + " returns INVALID_ARGUMENT for an empty name", Profile: Core, Level: Must,
			Classes: []string{"D13"}, Rule: sourceErrors.says(sayInvalid), Dialects: g.dialects,
			run: func(c *C) {
				g.must(c)
				_, err := g.generate(c, "")
				c.wantCode(g.call+" without a name", err, codes.InvalidArgument)
			},
		},
		{
			ID: g.prefix + "-08", Title: g.call + " returns a valid ID for every name that it accepts", Profile: Core, Level: Must,
			Classes: []string{"D19", "D20"}, Rule: sourceMessages.says(sayID), Dialects: g.dialects,
			run: func(c *C) {
				g.must(c)
				seen := map[string]string{}
				for _, name := range append(c.oddNames(), c.pathNames()...) {
					id, err := g.generate(c, name)
					if err != nil {
						continue
					}
					c.checkID(id)
					if other, twice := seen[id]; twice && !strings.EqualFold(name, other) {
						c.fail("different IDs", "ID %q for names %q and %q", id, other, name)
					}
					seen[id] = name
				}
			},
		},
		{
			ID: g.prefix + "-09", Title: g.call + " returns no ID that leads elsewhere as a path", Profile: Core, Level: Should,
			Classes: []string{"D10"}, Rule: sourceMessages.says(saySubdomain), Dialects: g.dialects,
			run: func(c *C) {
				g.must(c)
				for _, name := range c.pathNames() {
					if id, err := g.generate(c, name); err == nil && isPath(id) {
						c.fail("a rejection, or an ID without the elements '', '.' and '..'", "ID %q for name %q", id, name)
					}
				}
			},
		},
	}
}

// longName returns a DNS subdomain of a length that begins with a name.
func longName(name string, length int) string {
	const label = ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	for len(name) < length {
		name += label
	}
	return strings.TrimRight(name[:length-1], ".-") + "a"
}
