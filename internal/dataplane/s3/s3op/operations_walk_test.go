package s3op_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/test/s3test"
)

// grants are all possible grants: four modes in three categories.
func grants() (all []fakedriver.Grant) {
	modes := []fakedriver.AccessMode{fakedriver.NoAccess, fakedriver.ReadOnly, fakedriver.WriteOnly, fakedriver.ReadWrite}
	for _, data := range modes {
		for _, object := range modes {
			for _, bucket := range modes {
				all = append(all, fakedriver.Grant{ObjectData: data, ObjectMetadata: object, BucketMetadata: bucket})
			}
		}
	}
	return all
}

// theatre is a stage with an administrator, and accounts with all grants.
type theatre struct {
	*stage

	key  fakedriver.Credentials // the administrator's
	keys map[fakedriver.Grant]fakedriver.Credentials
}

func open(t *testing.T) *theatre {
	t.Helper()
	s := s3test.Serve(t, s3test.Options{})
	key := s.Admin(t)
	o := &theatre{stage: furnish(t, s, s.Client(t, key), "photos"), key: key, keys: map[fakedriver.Grant]fakedriver.Credentials{}}
	for i, grant := range grants() {
		to := grant
		to.Bucket = o.bucket
		o.keys[grant] = s.Account(t, fmt.Sprint("app-", i), to)
	}
	return o
}

// TestOperationsWalk sends the request of every row of docs/s3.md with every grant: the response is
// as documented, and rejected requests change nothing.
func TestOperationsWalk(t *testing.T) {
	o := open(t)
	before := o.snapshot(t)
	for _, row := range documentation(t) {
		for grant, key := range o.keys {
			switch want := row.expected(grant); {
			case want != let:
				o.expect(t, row, grant, key, want)
			case row.Method == http.MethodGet || row.Method == http.MethodHead:
				o.expect(t, row, grant, key, let)
			default:
				o.perform(t, row, grant)
			}
		}
		if diff := cmp.Diff(before, o.snapshot(t)); diff != "" {
			t.Fatalf("%s has changed something where it was rejected: -before, +after:\n%s", row.Name, diff)
		}
	}
}

func (d documented) expected(g fakedriver.Grant) answerKind {
	switch {
	case d.Needs == rejected:
		return unimplemented
	case d.allows(g):
		return let
	default:
		return denial
	}
}

func (g *stage) expect(t *testing.T, row documented, who any, key fakedriver.Credentials, want answerKind) {
	t.Helper()
	if got := g.ask(t, row, key); got != want {
		t.Errorf("%s with %+v: %s, want %s", row.Name, who, got, want)
	}
}

// perform performs an allowed change in a bucket of its own.
func (o *theatre) perform(t *testing.T, row documented, grant fakedriver.Grant) {
	t.Helper()
	g := furnish(t, o.Server, o.admin, "elsewhere")
	grant.Bucket = g.bucket
	g.expect(t, row, grant, g.Account(t, "there", grant), let)
	g.Revoke(t, "there")
	if err := g.DeleteBucket(t.Context(), s3test.Owner, g.bucket); err != nil {
		t.Fatal(err)
	}
}

// TestOperationsElsewhere sends every request with a key with all permissions, in another bucket.
func TestOperationsElsewhere(t *testing.T) {
	o := open(t)
	o.Server.Bucket(t, "other")
	key := o.Account(t, "other", fakedriver.Grant{
		Bucket: "other", ObjectData: fakedriver.ReadWrite, ObjectMetadata: fakedriver.ReadWrite, BucketMetadata: fakedriver.ReadWrite,
	})
	before := o.snapshot(t)
	for _, row := range documentation(t) {
		if row.Level != s3op.Service && row.Needs != noKey {
			o.expect(t, row, "another bucket's key", key, denial)
		}
	}
	if diff := cmp.Diff(before, o.snapshot(t)); diff != "" {
		t.Errorf("another bucket's key has changed something: -before, +after:\n%s", diff)
	}
}

// TestOperationsAdministrator sends every request with an administrator's key, which may do
// everything, except create or delete a driver's bucket.
func TestOperationsAdministrator(t *testing.T) {
	o := open(t)
	for _, row := range documentation(t) {
		want := let
		switch {
		case row.Needs == rejected:
			want = unimplemented
		case row.Name == "CreateBucket" || row.Name == "DeleteBucket":
			want = denial
		}
		g := furnish(t, o.Server, o.admin, "elsewhere")
		g.expect(t, row, "an administrator's key", o.key, want)
		if err := g.DeleteBucket(t.Context(), s3test.Owner, g.bucket); err != nil {
			t.Fatal(err)
		}
	}
}
