#!/usr/bin/env bash
# Publishes a report to the pull request, as far as the inputs want it. What is missing for that, a permission or room
# within GitHub's limits, is said by the program and is no failure of it.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/runner.sh"

# is_on INPUT VALUE
is_on() {
    case $2 in
        [Tt]rue | TRUE) return 0 ;;
        '' | [Ff]alse | FALSE) return 1 ;;
        *) fail "the input \`$1\` is \`$2\`, wanted \`true\` or \`false\`" ;;
    esac
}

single_line report "$FORMWORK_REPORT"
arguments=(github report "--from=$FORMWORK_REPORT")
if is_on review-comments "${FORMWORK_REVIEW_COMMENTS:-}"; then
    arguments+=(--review)
fi
if is_on summary-comment "${FORMWORK_SUMMARY_COMMENT:-}"; then
    arguments+=(--summary)
fi
if [[ ${#arguments[@]} -eq 3 ]]; then
    fail "\`report\` is given, and neither \`review-comments\` nor \`summary-comment\` is \`true\`: there is nothing to publish"
fi
if [[ -n ${FORMWORK_CATEGORY:-} ]]; then
    arguments+=("--category=$FORMWORK_CATEGORY")
fi
printf '::debug::%s\n' "$(escaped "formwork ${arguments[*]}")"
# One stream: the runner reads the two of a step without an order between them.
"$FORMWORK_BIN" "${arguments[@]}" 2>&1
