package monitoring

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/kepmetrics"
)

// Severities of alerts: critical means that users suffer now.
const (
	critical = "critical"
	warning  = "warning"
)

// The service level objective: the part of the operations that end in time. Slow is the end of a bucket of the
// histogram, in seconds.
const (
	objective = 0.99
	slow      = 60
	// burnRate is the rate at which an hour uses 2% of the errors that 30 days allow.
	burnRate = 14.4
)

// alert is an alert rule.
type alert struct {
	name, severity, duration string
	// summary may have the labels of the expression, as {{ $labels.driver_name }}.
	summary string
	// meaning and action are for the documentation and the description of the alert.
	meaning, action string
	expression      string
}

func alerts() []alert {
	ofDriver := "{{ $labels." + kepmetrics.LabelDriver + " }}"
	return []alert{
		{
			name: "CosiControllerWithoutLeader", severity: critical, duration: "5m",
			summary:    "No COSI controller is the leader",
			meaning:    "no claim is bound and no access is handed to a sidecar",
			action:     "look at the Pods and the logs of the controller, and at its Lease",
			expression: `(max(leader_election_master_status{name="cosi-controller-leader"}) or vector(0)) < 1`,
		},
		{
			name: "CosiSidecarWithoutLeader", severity: critical, duration: "5m",
			summary:    "No sidecar is the leader of {{ $labels.name }}",
			meaning:    "the driver of the Lease gets no calls",
			action:     "look at the Pods of the driver and at the Lease: another group may hold the driver's name",
			expression: `max by (name) (leader_election_master_status{name=~"cosi-sidecar-leader-.+"}) < 1`,
		},
		{
			name: "CosiProvisioningSlow", severity: critical, duration: "2m",
			summary:    "Buckets or accesses of " + ofDriver + " take more than a minute",
			meaning:    fmt.Sprintf("so many claims or accesses take more than %d s that an hour uses 2%% of a month's errors", slow),
			action:     "look at the panel of the driver's calls: is a method slow, or does it fail? Then at the controller's log",
			expression: burning(kepmetrics.Create),
		},
		{
			name: "CosiDeletionSlow", severity: warning, duration: "15m",
			summary:    "Deletions of claims or accesses of " + ofDriver + " take more than a minute",
			meaning:    fmt.Sprintf("as above, for deletions: many take more than %d s", slow),
			action:     "look for Events FailedDeleteBucket and FailedRevokeAccess, and for accesses that block claims",
			expression: burning(kepmetrics.Delete),
		},
		{
			name: "CosiDriverFailing", severity: warning, duration: "15m",
			summary: "Half of the calls of {{ $labels." + kepmetrics.LabelMethod + " }} to " + ofDriver + " fail",
			meaning: "half of the calls of a method fail", action: "look at the code on the dashboard, and at the log of the driver",
			expression: fmt.Sprintf("%s / %s > 0.5", rate(kepmetrics.CallErrors, "", "10m", kepmetrics.LabelDriver, kepmetrics.LabelMethod),
				rate(kepmetrics.CallSeconds+"_count", "", "10m", kepmetrics.LabelDriver, kepmetrics.LabelMethod)),
		},
		{
			name: "CosiDriverHangs", severity: warning, duration: "15m",
			summary: "Calls of {{ $labels." + kepmetrics.LabelMethod + " }} to " + ofDriver + " time out",
			meaning: "calls reach the deadline of --rpc-timeout", action: "look at the backend of the driver. Let the kubelet probe the driver",
			expression: rate(kepmetrics.CallSeconds+"_count", kepmetrics.LabelCode+`="DeadlineExceeded"`, "10m",
				kepmetrics.LabelDriver, kepmetrics.LabelMethod) + " > 0",
		},
	}
}

// burning is true while both an hour and its last five minutes use up errors too fast, so that it ends with the cause.
func burning(operation string) string {
	return fmt.Sprintf("%s > %g and %s > %g", late(operation, "1h"), burnRate*(1-objective), late(operation, "5m"), burnRate*(1-objective))
}

// late is the part of the operations on claims and accesses that took too long.
func late(operation, window string) string {
	of := fmt.Sprintf(`%s=%q,%s=~"BucketClaim|BucketAccess"`, kepmetrics.LabelOperation, operation, kepmetrics.LabelKind)
	by := []string{kepmetrics.LabelDriver, kepmetrics.LabelKind}
	// Prometheus 2 and 3 write the label le in two ways.
	inTime := fmt.Sprintf(`%s,le=~"%d(\\.0)?"`, of, slow)
	return fmt.Sprintf("(1 - %s / %s)", rate(kepmetrics.OperationSeconds+"_bucket", inTime, window, by...),
		rate(kepmetrics.OperationSeconds+"_count", of, window, by...))
}

// rate is the sum of the rates of a metric by labels.
func rate(metric, matchers, window string, by ...string) string {
	if matchers != "" {
		matchers = "{" + matchers + "}"
	}
	return fmt.Sprintf("sum by (%s) (rate(%s%s[%s]))", strings.Join(by, ", "), metric, matchers, window)
}

// ruleFile is a file of rules of Prometheus, and the spec of a PrometheusRule.
type ruleFile struct {
	Groups []ruleGroup `json:"groups"`
}

type ruleGroup struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func ruleGroups() ruleFile {
	group := ruleGroup{Name: "cosi"}
	for _, a := range alerts() {
		group.Rules = append(group.Rules, rule{
			Alert: a.name, Expr: a.expression, For: a.duration, Labels: map[string]string{"severity": a.severity},
			Annotations: map[string]string{"summary": a.summary, "description": "Meaning: " + a.meaning + ". To do: " + a.action + "."},
		})
	}
	return ruleFile{Groups: []ruleGroup{group}}
}
