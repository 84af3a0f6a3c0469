package checks

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
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

// lostByPlane finds objects with COSI's finalizer that do not exist any more after a process of the control plane has
// ended, although no request has deleted them.
func lostByPlane(e *evidence.Evidence) []Finding {
	var found []Finding
	for _, resource := range []string{evidence.Claims, evidence.Buckets, evidence.Accesses} {
		judged := map[types.UID]bool{}
		versions := e.Of(resource)
		for _, v := range versions {
			if v.Got == nil || v.Replaced || judged[v.Got.Metadata.UID] || !v.Got.Protected() {
				continue
			}
			uid, end := v.Got.Metadata.UID, endAfter(e, v.Seq)
			judged[uid] = true
			m := lookWithout(e, resource, uid, end)
			if end == 0 || m == nil || deletedBy(e, versions, resource, v.Key, uid) {
				continue
			}
			found = append(found, Finding{
				Subject: evidence.KindOf(resource) + "/" + v.Got.Metadata.Name, Events: []uint64{v.Seq, end},
				Message: fmt.Sprintf("kube-apiserver has lost %s %q after a process of the control plane ended: it does not exist %s, "+
					"although no request has deleted it", evidence.KindOf(resource), v.Key, m.Name),
			})
		}
	}
	return found
}

// endAfter returns the number of the event after another one with which a process of the control plane ended, or 0.
func endAfter(e *evidence.Evidence, seq uint64) uint64 {
	at := slices.IndexFunc(e.Events, func(event journal.Event) bool {
		plane := event.Component == vocabulary.APIServer || event.Component == vocabulary.Etcd
		return event.Seq > seq && plane && event.Seam == journal.SeamProcess && event.Operation.Name != journal.StepReady
	})
	if at < 0 {
		return 0
	}
	return e.Events[at].Seq
}

// lookWithout returns the first observation after an event in which an object does not exist, or nil.
func lookWithout(e *evidence.Evidence, resource string, uid types.UID, after uint64) *observed.Observation {
	for i := range e.Observations {
		if m := &e.Observations[i]; m.After >= after && !slices.Contains(m.Objects.UIDs(evidence.KindOf(resource)), uid) {
			return m
		}
	}
	return nil
}

// deletedBy reports whether a request may have deleted an object: its finalizer may be gone, or a request asks for its
// deletion.
func deletedBy(e *evidence.Evidence, versions []evidence.Version, resource, key string, uid types.UID) bool {
	ends := func(v evidence.Version) bool {
		releases := v.Key == key && v.Releases && !v.Asks((*evidence.Object).Protected)
		return releases || v.Got != nil && v.Got.Metadata.UID == uid && v.Got.Deleting()
	}
	asks := func(event journal.Event) bool { return asksToDelete(event, resource, key) }
	return e.Unprotected[uid] || slices.ContainsFunc(versions, ends) ||
		slices.ContainsFunc(e.Events, asks) || slices.ContainsFunc(e.Requests, asks)
}

// asksToDelete reports whether a request asks for the deletion of an object, alone or with others.
func asksToDelete(event journal.Event, resource, key string) bool {
	verb, of, _ := strings.Cut(event.Operation.Name, " ")
	one := of == resource && (event.Operation.Subject == key || verb != "delete")
	return event.Seam == journal.SeamAPI && strings.HasPrefix(verb, "delete") && (one || of == "namespaces")
}
