package checks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
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
func wrongRequests(e *evidence.Evidence) []Finding {
	if e.IsV1alpha1() {
		return slices.Concat(wrongRequestsV1alpha1(e), unknownNames(e), wrongBuckets(e))
	}
	var found []Finding
	for _, c := range e.Calls {
		said := fieldsIn(c)
		if said == nil {
			continue
		}
		if f, ok := wrongRequest(e, c, said); ok {
			found = append(found, f)
		}
	}
	return slices.Concat(found, unknownNames(e), wrongBuckets(e))
}

// requestOf are the rules about the contents of requests.
var requestOf = map[string]rule.Rule{
	evidence.GenerateBucketID: rule.RequestBucketID, evidence.CreateBucket: rule.RequestCreate, evidence.GetBucket: rule.RequestGet,
	evidence.DeleteBucket: rule.RequestDelete, evidence.GenerateAccountID: rule.RequestAccountID,
	evidence.GrantAccess: rule.RequestGrant, evidence.RevokeAccess: rule.RequestRevoke,
}

func wrongRequest(e *evidence.Evidence, c evidence.Call, said fields) (Finding, bool) {
	var nearest fields
	var key, resource string
	for _, v := range e.Versions {
		if v.Got == nil || v.Got.Metadata.UID == "" || !concerns(c, v) || !servesOwn(e, c, v) {
			continue
		}
		wanted := fieldsOf(v.Got, c.Method)
		if maps.Equal(said, wanted) {
			return Finding{}, false
		}
		if nearest == nil || v.Seq < c.Seq {
			nearest, key, resource = wanted, v.Key, v.Resource
		}
	}
	for _, name := range slices.Sorted(maps.Keys(nearest)) {
		if said[name] != nearest[name] {
			return Finding{
				Rule:    e.Rule(requestOf[c.Method]),
				Subject: evidence.Subject(resource, key), Events: []uint64{c.Seq},
				Message: fmt.Sprintf("%s was called with %s %s, but from %s %q follows %s",
					c.Method, name, said[name], evidence.KindOf(resource), key, nearest[name]),
			}, true
		}
	}
	return Finding{}, false
}

// servesOwn is false for objects of other drivers, whose IDs may be the same. An access of v1alpha1
// names its driver only when it is granted.
func servesOwn(e *evidence.Evidence, c evidence.Call, v evidence.Version) bool {
	driver, of := e.DriverNames[c.Component], driverOf(v.Resource, v.Got)
	return driver == "" || of == driver || e.IsV1alpha1() && of == ""
}

func concerns(c evidence.Call, v evidence.Version) bool {
	if v.Resource == evidence.Accesses {
		if c.Is(evidence.GenerateAccountID) {
			return c.Name == v1alpha2.AccountNameForAccess(v.Got.Metadata.UID) && v.Got.Status.DriverName != ""
		}
		return c.Is(evidence.GrantAccess, evidence.RevokeAccess) && c.ID != "" && c.ID == v.Got.Status.AccountID
	}
	return v.Resource == evidence.Buckets && concernsBucket(c, v.Got)
}

func concernsBucket(c evidence.Call, o *evidence.Object) bool {
	switch c.Method {
	case evidence.GenerateBucketID:
		return c.Name == o.Metadata.Name
	case evidence.GetBucket:
		return c.ID != "" && c.ID == o.Spec.ExistingBucketID
	case evidence.CreateBucket, evidence.DeleteBucket:
		return c.ID != "" && c.ID == o.Status.BucketID
	}
	return false
}

// fieldsIn returns the contents of a call, or nil for a method without any.
func fieldsIn(c evidence.Call) fields {
	r := &c.Request
	said := fields{fieldParameters: parametersOf(r.Parameters)}
	switch c.Method {
	case evidence.GenerateBucketID, evidence.CreateBucket, evidence.GetBucket:
		said[fieldProtocols] = listOf(c.Protocols())
	case evidence.DeleteBucket:
	case evidence.GenerateAccountID, evidence.GrantAccess, evidence.RevokeAccess:
		said[fieldProtocol], said[fieldAuthentication] = quote(r.Protocol.Type), quote(r.AuthenticationType.Type)
		said[fieldServiceAccount] = quote(r.ServiceAccountName)
		var names []string
		for _, b := range r.Buckets {
			modes := ""
			if c.Method != evidence.RevokeAccess {
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
func fieldsOf(o *evidence.Object, method string) fields {
	switch method {
	case evidence.DeleteBucket:
		return fields{fieldParameters: parametersOf(o.Spec.Parameters)}
	case evidence.GenerateBucketID, evidence.CreateBucket, evidence.GetBucket:
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
		fieldServiceAccount: quote(account), fieldBuckets: listOf(wantedBuckets(o, method != evidence.RevokeAccess)),
	}
}

// wantedBuckets joins the IDs in the status of an access with the modes in its spec.
func wantedBuckets(o *evidence.Object, withModes bool) []string {
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
