#!/bin/bash
# Explores upstream's controller and sidecar, which the caller has built, and writes the page with the findings.
# CONTROLLER and SIDECAR are the programs, VERSION is their release.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CONTROLLER:?path of the controller}" "${SIDECAR:?path of the sidecar}" "${VERSION:?release of both}"
suite=scenarios/suite/v1alpha1
scenarios=(
	internal/explore/testdata/v1alpha1/lifecycle.yaml
	$suite/failures/{grant-already-exists,two-drivers,secret-cannot-be-deleted,access-of-a-lost-claim,foreign-secret}.yaml
	$suite/failures/{secret-gone-before-its-access,failing-bucket-is-deleted,claim-deleted-before-its-access}.yaml
	$suite/failures/{access-never-granted,claim-of-an-absent-driver,long-class-name,retries-are-silent,bucket-with-objects}.yaml
	$suite/static/{existing-claim-first,bucket-is-bound-once}.yaml
	$suite/restarts/{deleted-while-the-controller-is-away,conflicts-everywhere,sidecar-before-its-driver,slow-driver}.yaml
	$suite/hostile/readiness-edited-by-hand.yaml
	$suite/access/protocol-without-a-place.yaml
)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
bin/cosi-emu explore "${scenarios[@]}" --components upstream-v0.2 --controller-cmd "$CONTROLLER" --sidecar-cmd "$SIDECAR" \
	--control-plane embedded --sample "${SAMPLE:-6}" --parallel 6 --shrink=false --out "$out" --report md="$out/findings.md" \
	>"$out/log" || [ $? -eq 1 ] || { tail -20 "$out/log" >&2; exit 1; }
{
	cat <<PAGE
# Findings in upstream's components

The controller and the sidecar $VERSION of the upstream repository ran in ${#scenarios[@]} scenarios, each without faults and with
at most ${SAMPLE:-6} of the faults, drawn with seed 1. \`make upstream-findings\` wrote this page on $(date -u +%F). "The run without faults shows it" means
that the finding needs no fault. The oracles follow the text of v1alpha1
([components.md](../components.md#what-v1alpha1-leaves-open)).

PAGE
	sed -e 's/^## COSI exploration: findings$/## Findings/' -e "s#$out/##g" \
		-e "s#$CONTROLLER#controller#g" -e "s#$SIDECAR#sidecar#g" \
		-e 's/^  - Confirmed on embedded, not on envtest:.*$/  - Confirmed on embedded/' "$out/findings.md"
} >docs/reports/upstream-findings.md
