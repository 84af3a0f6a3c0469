package manager

import "github.com/go-logr/logr"

// maxVerbosity is the maximum log level. From 8 on, client-go logs the bodies of requests and
// responses, and with them the contents of Secrets.
const maxVerbosity = 7

// limitVerbosity keeps a logger below the level that would log secrets, whatever its configuration.
func limitVerbosity(logger logr.Logger) logr.Logger {
	return logger.WithSink(limitedSink{logger.GetSink()})
}

type limitedSink struct{ logr.LogSink }

func (s limitedSink) Enabled(level int) bool {
	return level <= maxVerbosity && s.LogSink.Enabled(level)
}

func (s limitedSink) WithValues(keysAndValues ...any) logr.LogSink {
	return limitedSink{s.LogSink.WithValues(keysAndValues...)}
}

func (s limitedSink) WithName(name string) logr.LogSink {
	return limitedSink{s.LogSink.WithName(name)}
}

func (s limitedSink) WithCallDepth(depth int) logr.LogSink {
	if deeper, ok := s.LogSink.(logr.CallDepthLogSink); ok {
		return limitedSink{deeper.WithCallDepth(depth)}
	}
	return s
}
