package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/suggest"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// DNSLabel is the regular expression of names.
const DNSLabel = `^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`

var (
	dnsLabel   = regexp.MustCompile(DNSLabel)
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Variables are the variables in the expressions of every scenario. CEL reserves the word
// namespace.
var Variables = []string{"accessClass", "accessClasses", "class", "classes", "driver", "drivers", "index", "ns", "scope", "seed"}

// selfName is the variable for the value that a condition in a pattern checks.
const selfName = "self"

func (d *decoder) fail(at document.Position, format string, arguments ...any) {
	d.failed = append(d.failed, &document.Problem{Position: at, Message: fmt.Sprintf(format, arguments...)})
}

// validate finds mistakes in the readable parts. It does not check references to unreadable parts,
// which would be reported as missing. Many are, if an included file is unreadable.
func (d *decoder) validate(n *yaml.Node, s *Scenario, unreadInclude bool) {
	if (s.Name != "" || !s.Broken) && !dnsLabel.MatchString(s.Name) {
		d.problem(n, "name is %q, must be a DNS label: at most 63 of a-z, 0-9 and -", s.Name)
	}
	if len(s.Steps) == 0 && !s.Broken {
		d.problem(n, "the scenario has no steps")
	}
	if !s.Setup.Broken {
		d.validateSetup(&s.Setup)
		d.validateGeneration(s)
	}
	d.validateExceptions(s)
	v := validation{
		decoder: d, setup: &s.Setup, api: s.API(), allMarks: marksOf(s.Steps), allFaults: Faults(s.Steps),
		incomplete: s.Broken || unreadInclude, unreadInclude: unreadInclude,
	}
	v.steps(s.Steps, scopeOf(Variables), map[string]bool{})
	if !unreadInclude {
		v.limits(s.Steps)
	}
}

// DefaultClass is the name of the class of a setup with drivers and without classes.
const DefaultClass = "standard"

// names returns the names that the variables for classes and drivers have.
func (s *Setup) names() map[string][]string {
	var drivers, classes, access []string
	for _, driver := range s.Drivers {
		drivers = append(drivers, driver.Name)
	}
	for _, class := range s.Classes {
		classes = append(classes, class.Name)
	}
	for _, class := range s.AccessClasses {
		access = append(access, class.Name)
	}
	if len(drivers) > 0 && len(classes) == 0 {
		classes = []string{DefaultClass}
	}
	if len(drivers) > 0 && len(access) == 0 {
		access = []string{DefaultClass}
	}
	return map[string][]string{"drivers": drivers, "classes": classes, "accessClasses": access}
}

func (d *decoder) validateExceptions(s *Scenario) {
	for _, exception := range s.Allow {
		if exception.Broken {
			continue
		}
		if exception.Oracle == "" || strings.TrimSpace(exception.Reason) == "" {
			d.fail(exception.Position, "an exception in allow requires an oracle and a reason")
			continue
		}
		d.oneOf(exception.Position, "oracle", []string{exception.Oracle}, vocabulary.OracleNames()...)
	}
}

func (d *decoder) validateSetup(s *Setup) {
	for _, name := range s.Stopped {
		d.component(s.Position, name)
	}
	drivers := map[string]bool{}
	for _, driver := range s.Drivers {
		d.unique("driver", driver.Name, driver.Position, drivers)
		d.joined(&driver)
		d.oneOf(driver.Position, "protocol", driver.Protocols, "S3", "GCS", "Azure")
		d.oneOf(driver.Position, "access mode", driver.AccessModes, "ReadWrite", "ReadOnly", "WriteOnly")
	}
	classes := map[string]bool{}
	for _, class := range s.Classes {
		d.unique("class", class.Name, class.Position, classes)
		d.oneOf(class.Position, "deletionPolicy", []string{class.DeletionPolicy}, "", "Delete", "Retain")
		d.knownDriver(class.Position, class.Driver, drivers)
	}
	access := map[string]bool{}
	for _, class := range s.AccessClasses {
		d.unique("access class", class.Name, class.Position, access)
		d.oneOf(class.Position, "authenticationType", []string{class.AuthenticationType}, "", "Key", "ServiceAccount", "IAM")
		d.oneOf(class.Position, "multiBucketAccess", []string{class.MultiBucketAccess}, "", "SingleBucket", "MultipleBuckets")
		if modes := class.DisallowedModes; modes != nil {
			all := slices.Concat(modes.ObjectData, modes.ObjectMetadata, modes.BucketMetadata)
			d.oneOf(class.Position, "access mode", all, "ReadWrite", "ReadOnly", "WriteOnly")
		}
		d.knownDriver(class.Position, class.Driver, drivers)
	}
}

// joined rejects fields that would configure a driver that already runs.
func (d *decoder) joined(driver *Driver) {
	if driver.Socket != "" && !strings.HasPrefix(driver.Socket, "unix:") {
		d.fail(driver.Position, "the socket of driver %q is %q, must have the form unix:///path/to/driver.sock", driver.Name, driver.Socket)
	}
	asked := len(driver.Protocols) > 0 || len(driver.AccessModes) > 0 || driver.MultiBucket != nil || len(driver.Parameters) > 0
	if driver.Socket != "" && asked {
		d.fail(driver.Position, "driver %q already runs at its socket: remove what only a fake driver can have: "+
			"protocols, accessModes, multiBucket and parameters", driver.Name)
	}
}

func (d *decoder) unique(what, name string, at document.Position, seen map[string]bool) {
	switch {
	case !dnsLabel.MatchString(name):
		d.fail(at, "the name %q of the %s must be a DNS label: at most 63 of a-z, 0-9 and -", name, what)
	case seen[name]:
		d.fail(at, "duplicate %s name %q", what, name)
	}
	seen[name] = true
}

func (d *decoder) knownDriver(at document.Position, name string, drivers map[string]bool) {
	if name != "" && !drivers[name] {
		d.fail(at, "driver %q not found in setup.drivers: %s", name, suggest.From(name, slices.Sorted(maps.Keys(drivers))))
	}
}

func (d *decoder) oneOf(at document.Position, what string, values []string, known ...string) {
	for _, value := range values {
		if !slices.Contains(known, value) {
			d.fail(at, "%s %q: %s", what, value, suggest.From(value, slices.DeleteFunc(known, func(k string) bool { return k == "" })))
		}
	}
}
