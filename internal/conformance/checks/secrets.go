package checks

import (
	"context"
	"crypto/md5"  //nolint:gosec // what a driver may have derived a secret with
	"crypto/sha1" //nolint:gosec // the same
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/conformance/dataplane"
	"github.com/cosi-emu/cosi-emu/internal/conformance/port"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// secrets has the checks of credentials, most of them with requests to S3.
func secrets() []*Check { return slices.Concat(credentials(), unguessable(), isolation()) }

func credentials() []*Check {
	return []*Check{
		{
			ID: "SA-01", Title: "The credentials of an access work at once", Profile: S3, Level: Must, Classes: []string{"D08", "D14"},
			Rule: sourceGrant.says(sayAccess), Needs: []Need{needsS3},
			run: (*C).credentialsWork,
		},
		{
			ID: "SA-02", Title: "The credentials of an access stop working when it is revoked", Profile: S3, Level: Must,
			Classes: []string{"D15"}, Rule: sourceRevoke.says(sayRevokes), Needs: []Need{needsS3},
			run: (*C).credentialsEnd,
		},
		{
			ID: "SA-05", Title: "The credentials of a repeated DriverGrantBucketAccess work", Profile: S3, Level: Must, Classes: []string{"D03"},
			Rule: sourceGrant.says(sayIdempotent), Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				c.working(access)
				again, err := c.grant(request)
				c.setup("a repeated DriverGrantBucketAccess", err)
				c.works("the new credential", c.use(again, 0))
			},
		},
		{
			ID: "SA-06", Title: "The first credentials work after a repeated DriverGrantBucketAccess", Profile: S3, Level: Should,
			Classes: []string{"D03"}, Rule: sourceGrant.says(sayIdempotent), Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				client := c.working(access)
				_, err := c.grant(request)
				c.setup("a repeated DriverGrantBucketAccess", err)
				c.works("the first credential", client)
			},
		},
	}
}

func (c *C) secretOf(access *port.Access) string {
	secret := access.S3.GetAccessSecretKey()
	if secret == "" {
		c.notReached("DriverGrantBucketAccess", errors.New("the response has no secret key"))
	}
	return secret
}

const minSecretKey = 16

func unguessable() []*Check {
	return []*Check{
		{
			ID: "SA-03", Title: "Two accesses have different credentials", Profile: S3, Level: Must, Classes: []string{"D16"},
			Rule: sourceGranting.says(sayOwnKeys), Needs: []Need{needsS3},
			run: func(c *C) {
				_, first := c.granted()
				_, second := c.granted()
				if c.secretOf(first) == c.secretOf(second) {
					c.fail("different secret keys", "both accesses have the same")
				}
			},
		},
		{
			ID: "SA-04", Title: "A secret key has at least 16 characters, and no part of it is a name or an ID", Profile: S3, Level: Should,
			Classes: []string{"D16"}, Rule: sourceGrant.says(sayAccess), Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				secret := c.secretOf(access)
				if len(secret) < minSecretKey {
					c.fail("a secret that cannot be guessed", "%d characters", len(secret))
				}
				for _, text := range []string{request.Key, access.AccountID, request.Buckets[0].ID, access.S3.GetAccessKeyId()} {
					if how := derivedFrom(secret, text); how != "" {
						c.fail("a secret that cannot be guessed", "%s is in it", how)
					}
				}
			},
		},
		{
			ID: "SA-10", Title: "Two accesses have different access keys", Profile: S3, Level: Should, Classes: []string{"D16"},
			Rule: sourceGranting.says(sayOwnKeys), Needs: []Need{needsS3},
			run: func(c *C) {
				_, first := c.granted()
				_, second := c.granted()
				c.secretOf(first)
				if first.S3.GetAccessKeyId() == "" {
					c.notReached("DriverGrantBucketAccess", errors.New("the response has no access key"))
				}
				if first.S3.GetAccessKeyId() == second.S3.GetAccessKeyId() {
					c.fail("different access keys", "both accesses have the same")
				}
			},
		},
		{
			ID: "SA-11", Title: "An access that is granted again after it was revoked has another secret key", Profile: S3, Level: Should,
			Classes: []string{"D16"}, Rule: sourceGranting.says(sayOwnKeys), Needs: []Need{needsS3},
			run: func(c *C) {
				request, access := c.granted()
				secret := c.secretOf(access)
				c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
				again, err := c.grant(request)
				c.setup("DriverGrantBucketAccess after DriverRevokeBucketAccess", err)
				if secret == c.secretOf(again) {
					c.fail("another secret key", "the secret key that was revoked")
				}
			},
		},
		{
			ID: "SA-12", Title: "Secret keys have no part in common", Profile: S3, Level: Should, Classes: []string{"D16"},
			Rule: sourceGranting.says(sayOwnKeys), Needs: []Need{needsS3},
			run: func(c *C) {
				id := c.bucket().ID
				first := c.secretOf(c.access(c.accessRequest(id)))
				second := c.secretOf(c.access(c.accessRequest(id)))
				if first == second {
					c.notReached("DriverGrantBucketAccess", errors.New("both secret keys are the same"))
				}
				if n := inCommon(first, second); n > len(first)/2 {
					c.fail("secret keys that are random", "%d of %d characters are the same in both", n, len(first))
				}
			},
		},
	}
}

// derivedFrom describes how a secret was derived from a text, if this is obvious.
func derivedFrom(secret, text string) string {
	const enough = 16 // characters of a digest
	if len(text) == 0 {
		return ""
	}
	m, s1, s2 := md5.Sum([]byte(text)), sha1.Sum([]byte(text)), sha256.Sum256([]byte(text)) //nolint:gosec // as above
	for how, part := range map[string]string{
		"an ID or a name":                         text,
		"an ID or a name without '-'":             strings.ReplaceAll(text, "-", ""),
		"the Base64 of an ID":                     base64.RawStdEncoding.EncodeToString([]byte(text)),
		"the MD5 digest of an ID":                 hex.EncodeToString(m[:])[:enough],
		"the SHA-1 digest of an ID":               hex.EncodeToString(s1[:])[:enough],
		"the SHA-256 digest of an ID":             hex.EncodeToString(s2[:])[:enough],
		"the SHA-1 digest of an ID, in Base64":    base64.RawStdEncoding.EncodeToString(s1[:])[:enough],
		"the SHA-256 digest of an ID, in Base64":  base64.RawStdEncoding.EncodeToString(s2[:])[:enough],
		"the SHA-256 digest of an ID, in Base64 ": base64.RawURLEncoding.EncodeToString(s2[:])[:enough],
	} {
		if strings.Contains(secret, part) || strings.Contains(strings.ToLower(secret), part) {
			return how
		}
	}
	return ""
}

// inCommon returns the length of the common beginning or end of two texts.
func inCommon(a, b string) int {
	n := min(len(a), len(b))
	prefix, suffix := 0, 0
	for prefix < n && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < n && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return max(prefix, suffix)
}

func isolation() []*Check {
	return []*Check{
		{
			ID: "SA-07", Title: "An access does not reach the bucket of another", Profile: S3, Level: Must, Classes: []string{"D16"},
			Rule: sourceGrant.says(sayAccess), Needs: []Need{needsS3},
			run: (*C).otherBucketDenied,
		},
		{
			ID: "SA-08", Title: "Revoking one access leaves another to the same bucket", Profile: S3, Level: Must, Classes: []string{"D08", "D16"},
			Rule: sourceRevoke.says(sayRevokes), Needs: []Need{needsS3},
			run: (*C).otherAccessStays,
		},
		{
			ID: "SA-09", Title: "Objects outlive the access that wrote them", Profile: S3, Level: Must,
			Rule: sourceRevoke.says(sayRevokes), Needs: []Need{needsS3},
			run: (*C).objectsStay,
		},
		{
			ID: "SA-13", Title: "DriverRevokeBucketAccess for another ID revokes no other access", Profile: S3, Level: Must,
			Classes: []string{"D10"}, Rule: sourceRevoke.says(sayRevokes), Needs: []Need{needsS3, needsPermission},
			run: func(c *C) {
				request, access := c.granted()
				client := c.working(access)
				other := revocationOf(request, access)
				for _, id := range similarIDs(other.Key) {
					other.Key = id
					_ = c.Driver.Revoke(c.Context, other) // only the other access counts
					c.works("an access after DriverRevokeBucketAccess for account "+id, client)
				}
			},
		},
		{
			ID: "SA-14", Title: "An access cannot list the objects in the bucket of another", Profile: S3, Level: Must,
			Classes: []string{"D16"}, Rule: sourceGrant.says(sayAccess), Needs: []Need{needsS3},
			run: func(c *C) {
				_, mine := c.granted()
				_, other := c.granted()
				c.working(mine)
				c.working(other)
				if err := c.across(mine, other, 0).List(c.Context); err == nil {
					c.fail("ListObjectsV2 in the other bucket is denied", "it succeeds")
				}
			},
		},
		{
			ID: "SA-15", Title: "A wrong secret key is denied", Profile: S3, Level: Must, Classes: []string{"D16"},
			Rule: sourceGrant.says(sayAccess), Needs: []Need{needsS3},
			run: func(c *C) {
				_, access := c.granted()
				c.working(access)
				wrong := *access
				wrong.S3 = wrongSecret(access.S3)
				if _, err := c.use(&wrong, 0).Get(c.Context, ownedObject); err == nil {
					c.fail("GetObject with a wrong secret key is denied", "it succeeds")
				}
			},
		},
	}
}

// working returns a client for a working access. Otherwise the check is not reached.
func (c *C) working(access *port.Access) dataplane.Client {
	client := c.use(access, 0)
	c.setup("use the credentials", c.write(client, ownedObject))
	return client
}

func isRejected(err error) bool { return err != nil && dataplane.IsAnswer(err) }

func writing(client dataplane.Client, object string) func(context.Context) error {
	return func(ctx context.Context) error { return client.Put(ctx, object, nil) }
}

func wrongSecret(key *cosiv1alpha2.S3CredentialInfo) *cosiv1alpha2.S3CredentialInfo {
	return &cosiv1alpha2.S3CredentialInfo{AccessKeyId: key.GetAccessKeyId(), AccessSecretKey: "x" + key.GetAccessSecretKey()}
}

// similarIDs are IDs of nothing: a pattern, elements of paths, and the beginning of an ID.
func similarIDs(id string) []string {
	similar := []string{"*", ".", "..", id + "/.."}
	if len(id) > 1 {
		similar = append(similar, id[:len(id)-1])
	}
	return similar
}

// ownedObject is the object that working writes.
const ownedObject = "conformance/owned"

func (c *C) credentialsWork() {
	_, access := c.granted()
	c.works("the credential", c.use(access, 0))
}

// revokedObject is the object that is written before and after a revocation.
const revokedObject = "conformance/revoked"

// credentialsEnd checks that the credentials of an access stop working after its revocation.
func (c *C) credentialsEnd() {
	request, access := c.granted()
	client := c.use(access, 0)
	c.setup("use the credentials", c.write(client, revokedObject))
	c.setup("delete the object", client.Delete(c.Context, revokedObject))
	c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(request, access)))
	c.isRevoked(client)
}

// otherBucketDenied checks that an access does not reach the bucket of another.
func (c *C) otherBucketDenied() {
	_, mine := c.granted()
	_, other := c.granted()
	c.working(mine)
	c.working(other)
	crossed := c.across(mine, other, 0)
	if _, err := crossed.Get(c.Context, ownedObject); err == nil {
		c.fail("reading an object in the other bucket is denied", "it succeeds")
	}
	if err := crossed.Put(c.Context, ownedObject, nil); err == nil {
		c.fail("writing an object in the other bucket is denied", "it succeeds")
	}
}

// otherAccessStays checks that revoking one access keeps another to the same bucket.
func (c *C) otherAccessStays() {
	request, kept := c.granted()
	revoked := c.accessRequest(request.Buckets[0].ID)
	access := c.access(revoked)
	client := c.working(kept)
	c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(revoked, access)))
	c.works("the other access", client)
}

// objectsStay checks that objects outlive the access that wrote them.
func (c *C) objectsStay() {
	request, kept := c.granted()
	reader := c.working(kept)
	writer := c.accessRequest(request.Buckets[0].ID)
	access := c.access(writer)
	const object = "conformance/outlives"
	c.setup("use the credentials", c.write(c.use(access, 0), object))
	c.later(func(ctx context.Context) error { return reader.Delete(ctx, object) })
	c.setup("DriverRevokeBucketAccess", c.Driver.Revoke(c.Context, revocationOf(writer, access)))
	if content, err := reader.Get(c.Context, object); err != nil || string(content) != object {
		c.fail("the object is still there", "%q, %v", content, err)
	}
}
