#!/usr/bin/env bash
# Runs a command of cosi-emu against a driver, and leaves the reports in a new directory below $RUNNER_TEMP.
# The inputs of action.yml are in COSI_EMU_*. Works with bash 3.2.
set -euo pipefail

# lines reads the lines of a text, without empty ones, into the array LINES.
lines() {
  LINES=()
  local line
  while IFS= read -r line; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    if [ -n "$line" ]; then LINES+=("$line"); fi
  done <<<"$1"
}

reject() {
  echo "::error::$1" >&2
  exit 2
}

reports=$(mktemp -d "$RUNNER_TEMP/cosi-emu-reports.XXXXXX")
echo "reports=$reports" >>"$GITHUB_OUTPUT"

arguments=("$COSI_EMU_COMMAND")
driver=0
if [ -n "$COSI_EMU_DRIVER_COMMAND" ] && [ -n "$COSI_EMU_ENDPOINT" ]; then
  reject 'driver-command and endpoint exclude each other'
fi
if [ -n "$COSI_EMU_DRIVER_COMMAND" ]; then
  arguments+=(--driver-cmd "$COSI_EMU_DRIVER_COMMAND")
  driver=1
fi
case "$COSI_EMU_COMMAND" in
conformance)
  if [ -n "$COSI_EMU_ENDPOINT" ]; then
    arguments+=(--endpoint "$COSI_EMU_ENDPOINT")
  elif [ $driver = 0 ]; then
    reject 'conformance requires driver-command or endpoint'
  fi
  lines "$COSI_EMU_PROFILES"
  for profile in ${LINES[@]+"${LINES[@]}"}; do arguments+=(--profile "$profile"); done
  arguments+=(--report "$reports")
  ;;
run | explore)
  if [ -n "$COSI_EMU_ENDPOINT" ]; then arguments+=(--driver "$COSI_EMU_ENDPOINT"); fi
  lines "$COSI_EMU_SCENARIOS"
  if [ ${#LINES[@]} -gt 0 ]; then
    arguments+=("${LINES[@]}")
  elif [ "$COSI_EMU_COMMAND" = run ]; then
    arguments+=(--suite)
  else
    reject 'explore requires scenarios'
  fi
  arguments+=(--report "html=$reports/report.html")
  if [ "$COSI_EMU_COMMAND" = run ]; then
    arguments+=(--report "json=$reports/report.json" --junit "$reports/junit.xml" --record "$reports/recordings")
  else
    arguments+=(--out "$reports")
  fi
  ;;
*) reject "command '$COSI_EMU_COMMAND' must be run, conformance or explore" ;;
esac
lines "$COSI_EMU_ARGUMENTS"
arguments+=(${LINES[@]+"${LINES[@]}"})

status=0
cosi-emu "${arguments[@]}" || status=$?
case $status in
0) outcome=passed ;;
1) outcome=failed ;;
*) outcome=broken ;;
esac
echo "outcome=$outcome" >>"$GITHUB_OUTPUT"
exit $status
