package component

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"go.uber.org/zap/zapcore"
)

func TestLogging(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		args   []string
		level  zapcore.Level
		err    string
	}{
		"Default":     {reason: "information only"},
		"Verbosity":   {reason: "our flag", args: []string{"-v", "2"}, level: -2},
		"Number":      {reason: "upstream's flag", args: []string{"--zap-log-level", "2"}, level: -2},
		"Name":        {reason: "upstream's flag", args: []string{"--zap-log-level", "error"}, level: zapcore.ErrorLevel},
		"Same":        {reason: "two names of one setting", args: []string{"-v", "1", "--zap-log-level", "debug"}, level: zapcore.DebugLevel},
		"Different":   {reason: "one would be ignored", args: []string{"-v", "0", "--zap-log-level", "debug"}, err: "--zap-log-level debug"},
		"TooHigh":     {reason: "it would log nothing", args: []string{"--zap-log-level", "200"}, err: "at most 127"},
		"Development": {reason: "the level that was asked for wins", args: []string{"--zap-devel", "--verbosity", "0"}, level: zapcore.InfoLevel},
	} {
		t.Run(name, func(t *testing.T) {
			flags, log := pflag.NewFlagSet("", pflag.ContinueOnError), logging{}
			log.addFlags(flags)
			log.addZapFlags(flags)
			if err := flags.Parse(tc.args); err != nil {
				t.Fatal(err)
			}
			switch err := log.validate(); {
			case tc.err != "":
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: %v, want %q", tc.reason, err, tc.err)
				}
			case err != nil || !log.options().Level.Enabled(tc.level) || log.options().Level.Enabled(tc.level-1):
				t.Errorf("%s: level %s, %v, want %s", tc.reason, log.options().Level, err, tc.level)
			}
		})
	}
}

func TestProbeAddress(t *testing.T) {
	for namespace, want := range map[string]string{"": "0", "cosi-system": ":8081"} {
		if got := probeAddress(namespace); got != want {
			t.Errorf("in namespace %q: %s, want %s", namespace, got, want)
		}
	}
}
