#!/usr/bin/env bash
# Ends the action as `formwork check` ended, after everything was published.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "$(dirname "${BASH_SOURCE[0]}")/runner.sh"

if [[ ${FORMWORK_UPLOAD:-} == failure ]]; then
    annotate notice "The SARIF report was not uploaded. The job needs \`permissions: security-events: write\`, which pull requests from forks do not get; private repositories need GitHub Code Security as well. All findings are in the summary of the job."
fi
case ${FORMWORK_EXIT_CODE:-} in
    2) annotate error "a flag, a settings file or a rule file is wrong, and nothing was checked: see the log" ;;
    3) annotate error "an input could not be analysed: see the log" ;;
esac
# There is no exit code if an earlier step failed, which has said why.
exit "${FORMWORK_EXIT_CODE:-3}"
