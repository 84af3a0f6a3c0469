#!/usr/bin/env bash
# Lists the packages of make test-unit: those whose test binary has no API server, so that it links
# fast, and the reconcilers, whose phases run on one in the process.
set -euo pipefail
module=$(go list -m)
server=$module/internal/controlplane/embedded/apiserver
{
	go list -test -f "{{if eq .Name \"main\"}}{{.ImportPath}}{{range .Deps}}{{if eq . \"$server\"}} server{{end}}{{end}}{{end}}" ./... |
		sed -n 's/\.test$//p' | grep -v /controlplane/envtest
	go list ./internal/controller/... ./internal/sidecar/...
} | sort -u
