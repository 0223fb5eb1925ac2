#!/usr/bin/env bash
# Ends the action with the exit code of `formwork check`, after everything is published. If the action was to publish a
# report of another job, it fails if that failed.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/checkout.sh"
leave_checkout
# shellcheck source-path=SCRIPTDIR
. "$here/runner.sh"

if [[ ${FORMWORK_UNSENT:-} == true ]]; then
    annotate notice "The SARIF report was not uploaded, because \`token\` is empty. The job summary lists all findings."
elif [[ ${FORMWORK_UPLOAD:-} == failure ]]; then
    annotate notice "The SARIF report was not uploaded. The job needs the permission \`security-events: write\`, which pull requests from forks do not get; private repositories also need GitHub Code Security. The job summary lists all findings."
fi
if [[ -n ${FORMWORK_REPORT:-} ]]; then
    [[ ${FORMWORK_PUBLISH:-} == success ]] || fail "the report was not published; see the log"
    exit 0
fi
if [[ ${FORMWORK_PUBLISH:-} == failure ]]; then
    annotate notice "The findings were not published to the pull request; see the log. The job summary lists all findings."
fi
# There is no exit code if an earlier step failed. That step has reported the reason.
exit "${FORMWORK_EXIT_CODE:-3}"
