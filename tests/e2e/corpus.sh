#!/bin/bash
# plateau steady on series that others recorded and judged: our verdict, theirs, and what explains a difference.
. "$PLATEAU_TOP/tests/lib/e2e.sh"
command -v python3 >/dev/null || skip "needs python3"
python3 "$PLATEAU_TOP/tests/e2e/steady_corpus.py" || fail "see above"
