package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// fields are the contents of a call besides its ID, each rendered so that equal values are equal
// texts.
type fields map[string]string

// The names of the fields.
const (
	fieldParameters     = "parameters"
	fieldProtocols      = "protocols"
	fieldProtocol       = "protocol"
	fieldAuthentication = "authenticationType"
	fieldServiceAccount = "serviceAccountName"
	fieldBuckets        = "buckets"
)

// wrongRequests finds calls whose contents do not follow from the spec and status of their object.
// Users' edits are not in the journal, so a call may follow from any known version. (KEP, the
// requests of the gRPC protocol.)
func wrongRequests(e *evidence) []Finding {
	if e.IsV1alpha1() {
		return slices.Concat(e.wrongRequestsV1alpha1(), e.unknownNames(), e.wrongBuckets())
	}
	var found []Finding
	for _, c := range e.calls {
		said := c.fields()
		if said == nil {
			continue
		}
		if f, ok := e.wrongRequest(c, said); ok {
			found = append(found, f)
		}
	}
	return slices.Concat(found, e.unknownNames(), e.wrongBuckets())
}

func (e *evidence) wrongRequest(c call, said fields) (Finding, bool) {
	var nearest fields
	var key, resource string
	for _, v := range e.versions {
		if v.got == nil || v.got.Metadata.UID == "" || !c.concerns(v) || !e.servesOwn(c, v) {
			continue
		}
		wanted := fieldsOf(v.got, c.method)
		if maps.Equal(said, wanted) {
			return Finding{}, false
		}
		if nearest == nil || v.seq < c.seq {
			nearest, key, resource = wanted, v.key, v.resource
		}
	}
	for _, name := range slices.Sorted(maps.Keys(nearest)) {
		if said[name] != nearest[name] {
			return Finding{
				Subject: subjectOf(resource, key), Events: []uint64{c.seq},
				Message: fmt.Sprintf("%s was called with %s %s, but from %s %q follows %s",
					c.method, name, said[name], kinds[resource], key, nearest[name]),
			}, true
		}
	}
	return Finding{}, false
}

// servesOwn is false for objects of other drivers, whose IDs may be the same. An access of v1alpha1
// names its driver only when it is granted.
func (e *evidence) servesOwn(c call, v version) bool {
	driver, of := e.drivers[c.component], driverOf(v.resource, v.got)
	return driver == "" || of == driver || e.IsV1alpha1() && of == ""
}

func (c call) concerns(v version) bool {
	if v.resource == accesses {
		if c.is(generateAccountID) {
			return c.name == v1alpha2.AccountNameForAccess(v.got.Metadata.UID) && v.got.Status.DriverName != ""
		}
		return c.is(grantAccess, revokeAccess) && c.id != "" && c.id == v.got.Status.AccountID
	}
	return v.resource == buckets && c.concernsBucket(v.got)
}

func (c call) concernsBucket(o *object) bool {
	switch c.method {
	case generateBucketID:
		return c.name == o.Metadata.Name
	case getBucket:
		return c.id != "" && c.id == o.Spec.ExistingBucketID
	case createBucket, deleteBucket:
		return c.id != "" && c.id == o.Status.BucketID
	}
	return false
}

// fields returns the contents of a call, or nil for a method without any.
func (c call) fields() fields {
	r := &c.request
	said := fields{fieldParameters: parametersOf(r.Parameters)}
	switch c.method {
	case generateBucketID, createBucket, getBucket:
		var protocols []typed
		_ = json.Unmarshal(r.Protocols, &protocols) // unreadable means none
		var names []string
		for _, p := range protocols {
			names = append(names, p.Type)
		}
		said[fieldProtocols] = listOf(names)
	case deleteBucket:
	case generateAccountID, grantAccess, revokeAccess:
		said[fieldProtocol], said[fieldAuthentication] = quote(r.Protocol.Type), quote(r.AuthenticationType.Type)
		said[fieldServiceAccount] = quote(r.ServiceAccountName)
		var names []string
		for _, b := range r.Buckets {
			modes := ""
			if c.method != revokeAccess {
				modes = modesOf(b.ObjectData.Mode, b.ObjectMetadata.Mode, b.BucketMetadata.Mode)
			}
			names = append(names, b.BucketID+modes)
		}
		said[fieldBuckets] = listOf(names)
	default:
		return nil
	}
	return said
}

// fieldsOf returns the required contents of a call for an object.
func fieldsOf(o *object, method string) fields {
	switch method {
	case deleteBucket:
		return fields{fieldParameters: parametersOf(o.Spec.Parameters)}
	case generateBucketID, createBucket, getBucket:
		var names []string
		for _, p := range o.Spec.Protocols {
			names = append(names, wireName(string(p)))
		}
		return fields{fieldParameters: parametersOf(o.Spec.Parameters), fieldProtocols: listOf(names)}
	}
	account := ""
	if o.Status.AuthenticationType == v1alpha2.AuthenticationTypeServiceAccount {
		account = o.Spec.ServiceAccountName
	}
	return fields{
		fieldParameters: parametersOf(o.Status.Parameters), fieldProtocol: quote(wireName(string(o.Spec.Protocol))),
		fieldAuthentication: quote(wireName(string(o.Status.AuthenticationType))),
		fieldServiceAccount: quote(account), fieldBuckets: listOf(o.wantedBuckets(method != revokeAccess)),
	}
}

// wantedBuckets joins the IDs in the status of an access with the modes in its spec.
func (o *object) wantedBuckets(withModes bool) []string {
	var names []string
	for _, accessed := range o.Status.AccessedBuckets {
		modes := ""
		for _, claim := range o.Spec.BucketClaims {
			if withModes && claim.BucketClaimName == accessed.BucketClaimName {
				wanted := claim.AccessModes
				modes = modesOf(wireName(string(wanted.ObjectData)), wireName(string(wanted.ObjectMetadata)), wireName(string(wanted.BucketMetadata)))
			}
		}
		names = append(names, accessed.BucketID+modes)
	}
	return names
}

// wireNames are names of the protocol that differ from the API's in upper case.
var wireNames = map[string]string{
	string(v1alpha2.AuthenticationTypeServiceAccount): "SERVICE_ACCOUNT",
	string(v1alpha2.BucketAccessModeReadWrite):        "READ_WRITE",
	string(v1alpha2.BucketAccessModeReadOnly):         "READ_ONLY",
	string(v1alpha2.BucketAccessModeWriteOnly):        "WRITE_ONLY",
}

func wireName(name string) string {
	if wire := wireNames[name]; wire != "" {
		return wire
	}
	return strings.ToUpper(name)
}

// modesOf renders access modes. A category that the user left empty may have any value, and has
// three names in the protocol.
func modesOf(modes ...string) string {
	for i, m := range modes {
		if m == "" || m == "UNKNOWN" {
			modes[i] = "ANY"
		}
	}
	return fmt.Sprint(modes)
}

func quote(text string) string { return fmt.Sprintf("%q", text) }

// listOf renders a list whose order means nothing.
func listOf(names []string) string { return fmt.Sprintf("%q", slices.Sorted(slices.Values(names))) }

func parametersOf(parameters map[string]string) string {
	var all []string
	for key, value := range parameters {
		all = append(all, key+"="+value)
	}
	return listOf(all)
}
