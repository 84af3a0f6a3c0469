#!/usr/bin/env bash
# Reports a failed part of the nightly workflow: comments on the open issue of that part, or opens one.
# Requires gh with a token, and the GITHUB_* variables of a job. Works with bash 3.2.
#
# usage: report.sh PART SEED DIRECTORY-OF-FINDINGS
set -euo pipefail
export LC_ALL=C # lengths are in bytes

if [ $# != 3 ]; then
  echo 'usage: report.sh PART SEED DIRECTORY-OF-FINDINGS' >&2
  exit 2
fi
part=$1 seed=$2 dir=$3

# GitHub rejects a body with more than 65,536 characters.
limit=60000

title="nightly: $part fails"

# summary prints the run, and how to repeat it.
summary() {
  cat <<EOF
\`$part\` failed in $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID

- commit: $GITHUB_SHA
- seed: $seed

Repeat it with:

\`\`\`sh
git switch --detach $GITHUB_SHA
make $part SEED=$seed
\`\`\`
EOF
}

# section prints a file, at most the given number of bytes of it, between fences that it does not contain.
section() {
  local file=$1 most=$2 size content fence='```' language=text
  size=$(wc -c <"$file" | tr -d ' ')
  content=$(head -c "$most" "$file")
  if [ "$size" -gt "$most" ]; then content=${content%$'\n'*}; fi # whole lines only
  while [[ $content == *"$fence"* ]]; do fence+='`'; done
  if [[ $file == *.yaml ]]; then language=yaml; fi
  printf '\n### %s\n\n%s%s\n%s\n%s\n' "${file##*/}" "$fence" "$language" "$content" "$fence"
  if [ "$size" -gt "$most" ]; then printf '\nCut: the file has %s bytes.\n' "$size"; fi
}

# findings prints the text files of the directory until the limit is reached.
findings() {
  local file text left=$limit omitted=0 heading=1
  for file in "$dir"/*.md "$dir"/*.txt "$dir"/*.yaml; do
    if [ ! -f "$file" ]; then continue; fi # a pattern without a match
    if [ $heading = 1 ]; then
      printf '\n## Findings\n\n%s\n' "The artifact \`found-$part\` of the run has all files."
      heading=0
    fi
    if [ "$left" -lt 1000 ]; then
      omitted=$((omitted + 1))
      continue
    fi
    text=$(section "$file" "$left")
    printf '%s\n' "$text"
    left=$((left - ${#text}))
  done
  if [ $omitted -gt 0 ]; then printf '\nFiles that are not shown: %d\n' $omitted; fi
  if [ $heading = 1 ]; then printf '\nThere are no finding files: the log of the run has the failure.\n'; fi
}

body=$(
  summary
  findings
)

# The search also finds titles that only contain the words.
issues=$(gh issue list --state open --search "in:title \"$title\"" --limit 100 --json title,url \
  --template '{{range .}}{{.url}} {{.title}}{{"\n"}}{{end}}')
open=
while read -r url found; do
  if [ "$found" = "$title" ]; then open=$url; fi
done <<<"$issues"

if [ -n "$open" ]; then
  gh issue comment "$open" --body-file - <<<"$body"
else
  gh issue create --title "$title" --body-file - <<<"$body"
fi
