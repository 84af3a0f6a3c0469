package checks

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
)

// rolledBack finds objects that are older than a write that kube-apiserver had acknowledged before the object was
// requested: the write is lost. Kubernetes promises that a read from etcd returns the latest acknowledged write.
func rolledBack(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, resource := range []string{evidence.Claims, evidence.Buckets, evidence.Accesses} {
		versions := slices.DeleteFunc(e.Of(resource), func(v evidence.Version) bool {
			return v.Got == nil || v.Replaced || v.Got.Gone() // the response to the write that ends an object has the version before
		})
		for _, v := range versions {
			at := slices.IndexFunc(versions, func(w evidence.Version) bool { return acknowledgedBefore(w, v) && v.Got.OlderThan(w.Got) })
			if at < 0 {
				continue
			}
			w := versions[at]
			found = append(found, Finding{
				Subject: evidence.KindOf(resource) + "/" + v.Got.Metadata.Name, Events: []uint64{w.Seq},
				Message: fmt.Sprintf("kube-apiserver returned %s %q of resource version %s after it had acknowledged version %s to %s: "+
					"it has lost a write",
					evidence.KindOf(resource), v.Key, v.Got.Metadata.ResourceVersion, w.Got.Metadata.ResourceVersion, w.Component),
			})
		}
	}
	return found
}

// acknowledgedBefore reports whether a write to an object was answered before a version of it was requested. An
// observation has no time: it follows all events before it.
func acknowledgedBefore(write, v evidence.Version) bool {
	if !write.Write() || write.Result != evidence.Done || write.Got.Metadata.UID != v.Got.Metadata.UID {
		return false
	}
	if v.Began.IsZero() {
		return write.Seq <= v.Seq
	}
	return v.Began.After(write.Ended)
}
