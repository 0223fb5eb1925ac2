#!/usr/bin/env bash
# Checks the checkout. Only this runs in it, because formwork reads it.
#
# The exit code is an output, so that the job fails in the last step, after the reports are published.
set -euo pipefail

# shellcheck source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/checkout.sh"
clean_path
# Both output streams are merged, because the runner does not keep the order between them.
exec "$FORMWORK_BIN" github action 2>&1
