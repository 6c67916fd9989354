#!/bin/bash
# A dozen of the kills of `make torture`.
set -eu
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v python3 >/dev/null || skip "needs python3"
"$PLATEAU_TOP/tests/torture/kills" 12
