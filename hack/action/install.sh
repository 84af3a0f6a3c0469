#!/usr/bin/env bash
# Installs cosi-emu of COSI_EMU_VERSION, unless the job has installed one.
set -euo pipefail

if command -v cosi-emu >/dev/null; then
  cosi-emu version
  exit
fi
if ! command -v go >/dev/null; then
  echo '::error::Go is required to install cosi-emu: use actions/setup-go before this action' >&2
  exit 2
fi
GOBIN="$RUNNER_TEMP/cosi-emu-bin" go install "github.com/cosi-emu/cosi-emu/cmd/cosi-emu@$COSI_EMU_VERSION"
echo "$RUNNER_TEMP/cosi-emu-bin" >>"$GITHUB_PATH"
