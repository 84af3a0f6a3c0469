package monitoring_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	prometheusclient "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

const dir = "../../deploy/monitoring/"

var promql = parser.NewParser(parser.Options{})

// rules returns the rules, which Prometheus has loaded, by their names.
func rules(t *testing.T) map[string]rulefmt.Rule {
	t.Helper()
	file, errs := rulefmt.ParseFile(dir+"alerts.yaml", false, model.UTF8Validation, promql, slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	all := map[string]rulefmt.Rule{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			all[rule.Alert] = rule
		}
	}
	return all
}

// expressions returns the expressions of the rules and of the dashboard, by the names of alerts and panels.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, rule := range rules(t) {
		all[name] = rule.Expr
	}
	text, err := os.ReadFile(dir + "dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			all[panel.Title] = strings.NewReplacer("$__rate_interval", "5m", "$driver", ".*").Replace(target.Expr)
		}
	}
	return all
}

var description = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

// registered returns the labels of the metrics that the components serve, by their names.
func registered(t *testing.T) map[string][]string {
	t.Helper()
	if err := cosimetrics.RegisterOperations(); err != nil {
		t.Fatal(err)
	}
	if err := cosimetrics.Register(connection.Metrics()...); err != nil {
		t.Fatal(err)
	}
	registry, ok := metrics.Registry.(prometheusclient.Collector)
	if !ok {
		t.Fatalf("%T does not describe its metrics", metrics.Registry)
	}
	descriptions := make(chan *prometheusclient.Desc)
	go func() {
		defer close(descriptions)
		registry.Describe(descriptions)
	}()
	all := map[string][]string{}
	for desc := range descriptions {
		if match := description.FindStringSubmatch(desc.String()); match != nil {
			all[match[1]] = strings.Split(match[2], ",")
		}
	}
	return all
}

// TestMetrics: each expression uses metrics that the components serve, with labels that these have.
func TestMetrics(t *testing.T) {
	served, used := registered(t), map[string]bool{}
	for name, text := range expressions(t) {
		expression, err := promql.ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		parser.Inspect(expression, func(node parser.Node, path []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				metric := nameOf(selector, served)
				used[metric] = true
				checkSelector(t, name, labelsOf(selector, path), metric, served)
			}
			return nil
		})
	}
	for metric := range served {
		if strings.HasPrefix(metric, "cosi_") && !used[metric] {
			t.Errorf("no alert and no panel uses %s", metric)
		}
	}
}

// nameOf returns the name of the metric that a selector selects: histograms have series with suffixes.
func nameOf(selector *parser.VectorSelector, served map[string][]string) string {
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if base, found := strings.CutSuffix(selector.Name, suffix); found && served[selector.Name] == nil {
			return base
		}
	}
	return selector.Name
}

// checkSelector expects that a metric is served with the labels.
func checkSelector(t *testing.T, name string, used []string, metric string, served map[string][]string) {
	t.Helper()
	if served[metric] == nil {
		t.Errorf("%s: no component serves %s", name, metric)
		return
	}
	allowed := append([]string{model.MetricNameLabel, "le"}, served[metric]...)
	for _, label := range used {
		if !slices.Contains(allowed, label) {
			t.Errorf("%s: %s has no label %s", name, metric, label)
		}
	}
}

// labelsOf returns the labels that a selector matches, and by which the aggregations around it group.
func labelsOf(selector *parser.VectorSelector, path []parser.Node) []string {
	var all []string
	for _, matcher := range selector.LabelMatchers {
		all = append(all, matcher.Name)
	}
	for _, node := range path {
		if aggregation, ok := node.(*parser.AggregateExpr); ok {
			all = append(all, aggregation.Grouping...)
		}
	}
	return all
}

// TestAlerts: each alert fires for series that show its problem, and not for healthy ones.
func TestAlerts(t *testing.T) {
	const (
		leader  = `leader_election_master_status{name="cosi-controller-leader",pod="a"} 0x120` + "\n"
		claims  = `cosi_operation_total_seconds_%s{driver_name="d",resource_kind="BucketClaim",operation=%q%s} 0+%dx120` + "\n"
		calls   = `cosi_sidecar_operation_duration_seconds_count{driver_name="d",method_name="M",grpc_status_code=%q} 0+%dx120` + "\n"
		failing = `cosi_sidecar_operation_errors_total{driver_name="d",method_name="M"} 0+%dx120` + "\n"
	)
	operations := func(operation, le string, inTime, all int) string {
		return fmt.Sprintf(claims, "bucket", operation, `,le="`+le+`"`, inTime) + fmt.Sprintf(claims, "count", operation, "", all)
	}
	ofDriver := []string{`{driver_name="d", method_name="M"}`}
	ofKind := []string{`{driver_name="d", resource_kind="BucketClaim"}`}
	for _, tc := range []struct {
		alert, name, series string
		want                []string
	}{
		{"CosiControllerWithoutLeader", "nothing is scraped", "", []string{"{}"}},
		{"CosiControllerWithoutLeader", "only standbys", leader, []string{"{}"}},
		{"CosiControllerWithoutLeader", "one leads", leader + strings.NewReplacer(`"a"`, `"b"`, "0x", "1x").Replace(leader), nil},
		{
			"CosiSidecarWithoutLeader", "only standbys", strings.ReplaceAll(leader, "cosi-controller-leader", "cosi-sidecar-leader-d"),
			[]string{`{name="cosi-sidecar-leader-d"}`},
		},
		{"CosiSidecarWithoutLeader", "the controller's Lease", leader, nil},
		{"CosiProvisioningSlow", "a fifth is late", operations("Create", "60", 8, 10), ofKind},
		{"CosiProvisioningSlow", "a fifth is late, in Prometheus 3", operations("Create", "60.0", 8, 10), ofKind},
		{"CosiProvisioningSlow", "a tenth is late", operations("Create", "60", 9, 10), nil},
		{"CosiProvisioningSlow", "late deletions", operations("Delete", "60", 8, 10), nil},
		{"CosiProvisioningSlow", "no operations", operations("Create", "60", 0, 0), nil},
		{"CosiDeletionSlow", "late deletions", operations("Delete", "60", 8, 10), ofKind},
		{
			"CosiDriverFailing", "most calls fail",
			fmt.Sprintf(calls, "OK", 1) + fmt.Sprintf(calls, "Internal", 2) + fmt.Sprintf(failing, 2), ofDriver,
		},
		{"CosiDriverFailing", "few calls fail", fmt.Sprintf(calls, "OK", 9) + fmt.Sprintf(calls, "Internal", 1) + fmt.Sprintf(failing, 1), nil},
		{"CosiDriverHangs", "calls time out", fmt.Sprintf(calls, "OK", 9) + fmt.Sprintf(calls, "DeadlineExceeded", 1), ofDriver},
		{"CosiDriverHangs", "no call times out", fmt.Sprintf(calls, "OK", 9), nil},
	} {
		t.Run(tc.alert+"/"+tc.name, func(t *testing.T) {
			rule, exists := rules(t)[tc.alert]
			if !exists {
				t.Fatal("there is no such alert")
			}
			if diff := cmp.Diff(tc.want, evaluate(t, tc.series, rule.Expr)); diff != "" {
				t.Errorf("series that fire (-want +got):\n%s", diff)
			}
		})
	}
}

// evaluate returns the labels of the result of an expression after two hours of series.
func evaluate(t *testing.T, series, expression string) []string {
	t.Helper()
	storage := promqltest.LoadedStorage(t, "load 1m\n  "+strings.ReplaceAll(strings.TrimSpace(series), "\n", "\n  ")+"\n")
	defer storage.Close() //nolint:errcheck // the test ends
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	query, err := engine.NewInstantQuery(t.Context(), storage, nil, expression, time.Unix(0, 0).Add(2*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	vector, err := query.Exec(t.Context()).Vector()
	if err != nil {
		t.Fatal(err)
	}
	var firing []string
	for _, sample := range vector {
		firing = append(firing, sample.Metric.String())
	}
	return firing
}

// TestEveryAlert: each alert has a row in TestAlerts, a severity, and texts.
func TestEveryAlert(t *testing.T) {
	source, err := os.ReadFile("monitoring_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, rule := range rules(t) {
		if !strings.Contains(string(source), `"`+name+`", "`) {
			t.Errorf("TestAlerts has no row for %s", name)
		}
		if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" || rule.For == 0 {
			t.Errorf("%s lacks a severity, a text or a duration: %+v", name, rule)
		}
	}
}
