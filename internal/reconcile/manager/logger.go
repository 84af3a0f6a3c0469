package manager

import "github.com/go-logr/logr"

// maxVerbosity is the most detailed that the log may be. From 8 on, client-go
// logs the bodies of requests and answers, and with them what is in Secrets.
const maxVerbosity = 7

// discreet keeps a logger from logging what it must not, however detailed it is
// meant to be.
func discreet(logger logr.Logger) logr.Logger {
	return logger.WithSink(discreetSink{logger.GetSink()})
}

type discreetSink struct{ logr.LogSink }

// Enabled implements logr.LogSink.
func (s discreetSink) Enabled(level int) bool {
	return level <= maxVerbosity && s.LogSink.Enabled(level)
}

// WithValues implements logr.LogSink.
func (s discreetSink) WithValues(keysAndValues ...any) logr.LogSink {
	return discreetSink{s.LogSink.WithValues(keysAndValues...)}
}

// WithName implements logr.LogSink.
func (s discreetSink) WithName(name string) logr.LogSink {
	return discreetSink{s.LogSink.WithName(name)}
}

// WithCallDepth implements logr.CallDepthLogSink.
func (s discreetSink) WithCallDepth(depth int) logr.LogSink {
	if deeper, ok := s.LogSink.(logr.CallDepthLogSink); ok {
		return discreetSink{deeper.WithCallDepth(depth)}
	}
	return s
}
