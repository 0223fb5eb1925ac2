#!/usr/bin/env bash
# Ends the action as `formwork check` ended, after everything was published. Where a finished report was to be published,
# that decides.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/runner.sh"

if [[ ${FORMWORK_UPLOAD:-} == failure ]]; then
    annotate notice "The SARIF report was not uploaded. The job needs \`permissions: security-events: write\`, which pull requests from forks do not get; private repositories need GitHub Code Security as well. All findings are in the summary of the job."
fi
if [[ -n ${FORMWORK_REPORT:-} ]]; then
    [[ ${FORMWORK_PUBLISH:-} == success ]] || fail "the report was not published: see the log"
    exit 0
fi
if [[ ${FORMWORK_PUBLISH:-} == failure ]]; then
    annotate notice "The findings were not published to the pull request: see the log. All of them are in the summary of the job."
fi
# There is no exit code if an earlier step failed, which has said why.
exit "${FORMWORK_EXIT_CODE:-3}"
