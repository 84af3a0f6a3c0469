// Package denial names the rights that a component lacks, from the API server's answers to its
// requests.
package denial

import (
	"fmt"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Denial is a right that a component has needed, and does not have.
type Denial struct {
	Component string
	// User is the name by which the API server knows the component.
	User string
	// Verb, Resource and Group are the words of a rule of RBAC. Namespace is empty for the whole
	// cluster.
	Verb, Resource, Group, Namespace string
}

// denied is the text of an API server whose authorizer has rejected a request.
var denied = regexp.MustCompile(
	`User "([^"]*)" cannot (\S+) resource "([^"]*)" in API group "([^"]*)"(?: at the cluster scope| in the namespace "([^"]*)")`)

// Of returns the right that the component of an event lacks. An error that a fault has injected
// is not the API server's, and admission rejects requests of components that have the right.
func Of(e journal.Event) (Denial, bool) {
	if e.Seam != journal.SeamAPI || e.Fault != "" || e.Outcome != string(metav1.StatusReasonForbidden) {
		return Denial{}, false
	}
	words := denied.FindStringSubmatch(e.Message)
	if words == nil {
		return Denial{}, false
	}
	return Denial{Component: e.Component, User: words[1], Verb: words[2], Resource: words[3], Group: words[4], Namespace: words[5]}, true
}

// String tells a user which right is missing, and the rule that gives it.
func (d Denial) String() string {
	kind, where := "a ClusterRole", "in the whole cluster"
	if d.Namespace != "" {
		kind, where = "a Role", fmt.Sprintf("in namespace %q", d.Namespace)
	}
	account := strings.TrimPrefix(d.User, "system:serviceaccount:")
	if account != d.User {
		account = "ServiceAccount " + strings.Replace(account, ":", "/", 1)
	}
	resource := d.Resource
	if d.Group != "" {
		resource += "." + d.Group
	}
	return fmt.Sprintf("%s may not %s %s %s, and will not work without: give %s %s with the rule "+
		"{apiGroups: [%q], resources: [%q], verbs: [%q]}", d.Component, d.Verb, resource, where, account, kind, d.Group, d.Resource, d.Verb)
}
