#!/usr/bin/env bash
# Runs `formwork check` with the inputs of the action, and writes what came of it to the outputs of the step and to the
# summary of the job. Findings do not fail this step: `decide.sh` does that, behind the upload.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/runner.sh"

# Runs start at the root of the checkout, for GitHub reads the paths of annotations and alerts from there.
cd "$GITHUB_WORKSPACE"
base=${FORMWORK_WORKING_DIRECTORY:-.}
base=${base#./}
base=${base%/}
case /$base/ in
    //* | */../*) fail "\`working-directory\` is \`$base\`, wanted a folder below the root of the checkout" ;;
esac
[[ -d $base ]] || fail "\`working-directory\` is \`$base\`, which is no folder"
prefix=
if [[ $base != . ]]; then
    prefix=$base/
fi

# A path as it is seen from the root of the checkout.
from_root() {
    case $1 in
        /* | [A-Za-z]:[/\\]*) printf '%s' "$1" ;;
        *) printf '%s' "$prefix$1" ;;
    esac
}

# The settings file that counts in `working-directory`; at the root formwork finds it by itself.
nearest_settings() {
    local folder=$base name
    while [[ $folder != . ]]; do
        for name in formwork.yaml formwork.yml formwork.json; do
            if [[ -f $folder/$name ]]; then
                printf '%s' "$folder/$name"
                return
            fi
        done
        folder=$(dirname "$folder")
    done
}

# each FUNCTION TEXT: calls it with every line that is not empty.
each() {
    local line
    while IFS= read -r line; do
        line=${line%$'\r'}
        if [[ -n ${line//[[:blank:]]/} ]]; then
            "$1" "$line"
        fi
    done <<<"$2"
}

add_path() {
    [[ $1 != - ]] || fail "standard input is no path of an action"
    paths+=("$(from_root "$1")")
}

add_rules() {
    arguments+=(--rules "$(from_root "$1")")
}

reports=$(mktemp -d "$RUNNER_TEMP/formwork.XXXXXX")
json=$reports/report.json
summary=$reports/summary.md
sarif=${FORMWORK_SARIF_FILE:-$reports/formwork.sarif}
single_line sarif-file "$sarif"
mkdir -p -- "$(dirname -- "$sarif")"

arguments=(check --color never --output "json=$json" --output "sarif=$sarif" --output "markdown=$summary")
paths=()
each add_path "${FORMWORK_PATHS:-.}"
[[ ${#paths[@]} -gt 0 ]] || fail "\`paths\` names nothing"
each add_rules "${FORMWORK_RULES:-}"
config=$(nearest_settings)
if [[ -n ${FORMWORK_CONFIG:-} ]]; then
    config=$(from_root "$FORMWORK_CONFIG")
fi
if [[ -n $config ]]; then
    arguments+=(--config "$config")
fi
if [[ -n ${FORMWORK_FAIL_ON:-} ]]; then
    arguments+=(--fail-on "$FORMWORK_FAIL_ON")
fi
printf '::debug::%s\n' "$(escaped "formwork ${arguments[*]} -- ${paths[*]}")"

code=0
if [[ ${FORMWORK_ANNOTATIONS:-true} == true ]]; then
    # Standard output is safe: it consists of commands. Messages of the run may hold any text.
    "$FORMWORK_BIN" "${arguments[@]}" --format github -- "${paths[@]}" 2>"$reports/messages" || code=$?
    if [[ -s $reports/messages ]]; then
        muted cat "$reports/messages"
    fi
else
    muted "$FORMWORK_BIN" "${arguments[@]}" --format concise -- "${paths[@]}" || code=$?
fi

output exit-code "$code"
# A run that ended before it checked anything has written no report.
if [[ -f $json ]]; then
    # Strings of a report hold no line breaks, so only members of a result begin a line with six blanks.
    counts=$(awk '
        /^      "level": / { level = $2 }
        /^      "outcome": "failed"/ { count[level]++ }
        END { printf "%d %d %d", count["\"error\","], count["\"warning\","], count["\"note\","] }
    ' "$json")
    read -r errors warnings notices <<<"$counts"
    output findings "$((errors + warnings + notices))"
    output errors "$errors"
    output warnings "$warnings"
    output notices "$notices"
    output json-file "$json"
    output sarif-file "$sarif"
    output summary-file "$summary"
    if [[ ${FORMWORK_JOB_SUMMARY:-true} == true ]]; then
        cat "$summary" >>"$GITHUB_STEP_SUMMARY"
    fi
fi
