#!/usr/bin/env bash
# Publishes a report to the pull request, as the inputs request. If a permission is missing or a rate limit is reached,
# formwork says so and does not fail.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/checkout.sh"
leave_checkout
# shellcheck source-path=SCRIPTDIR
. "$here/runner.sh"

# is_on INPUT VALUE
is_on() {
    case $2 in
        [Tt]rue | TRUE) return 0 ;;
        '' | [Ff]alse | FALSE) return 1 ;;
        *) fail "the input \`$1\` is \`$2\`; expected \`true\` or \`false\`" ;;
    esac
}

single_line report "$FORMWORK_REPORT"
case $FORMWORK_REPORT in
    /* | [A-Za-z]:*) ;;
    *) FORMWORK_REPORT=$began_in/$FORMWORK_REPORT ;;
esac
arguments=(github report "--from=$FORMWORK_REPORT")
if is_on review-comments "${FORMWORK_REVIEW_COMMENTS:-}"; then
    arguments+=(--review)
fi
if is_on summary-comment "${FORMWORK_SUMMARY_COMMENT:-}"; then
    arguments+=(--summary)
    if [[ -n ${FORMWORK_DIFFERENCE:-} ]]; then
        arguments+=("--difference=$FORMWORK_DIFFERENCE")
    fi
fi
if [[ ${FORMWORK_ANNOTATIONS:-} == check-run ]]; then
    arguments+=(--check-run)
    if [[ -n ${FORMWORK_ANNOTATIONS_FILE:-} ]]; then
        arguments+=("--or-annotate=$FORMWORK_ANNOTATIONS_FILE")
    fi
fi
if [[ ${#arguments[@]} -eq 3 ]]; then
    fail "\`report\` is set, but there is nothing to publish; set \`review-comments\` or \`summary-comment\` to \`true\`, or \`annotations\` to \`check-run\`"
fi
if [[ -n ${FORMWORK_CATEGORY:-} ]]; then
    arguments+=("--category=$FORMWORK_CATEGORY")
fi
printf '::debug::%s\n' "$(escaped "formwork ${arguments[*]}")"
# Both output streams are merged, because the runner does not keep the order between them.
"$FORMWORK_BIN" "${arguments[@]}" 2>&1
