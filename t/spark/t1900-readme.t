#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034,SC2154
test_description='what README.md says about a real cluster works'
. "${SA_SRCDIR:=$(dirname "$0")/../..}/t/test-lib.sh"
. "$SA_SRCDIR/t/spark/engines-lib.sh"

have_engines

# The block that names this test, as somebody would type it in a clone, with a
# cache of one's own that borrows what the engines consist of.
ln -s "$SA_SRCDIR/examples" "$SA_SRCDIR/scripts" . &&
mkdir -p "$XDG_CACHE_HOME/sa" bin &&
ln -s "$SA_TEST_ENGINES"/sa/*-[0-9]* "$XDG_CACHE_HOME/sa/" ||
	tl_fatal "no cache"
at_end 'scripts=$SA_SRCDIR/scripts/engines
	"$scripts" yarn down >/dev/null 2>&1'
cat >bin/sa-confirm <<SH
#!/bin/sh
exec '$(command -v sa-confirm)' "\$@" --yes
SH
chmod +x bin/sa-confirm
PATH=$PWD/bin:$PATH

awk '
/^<!-- no test: .*t1900-readme[.]t/ { mine = 1; next }
mine && /^```sh$/ { inside = 1; next }
inside && /^```$/ { exit }
inside { print }
' "$SA_SRCDIR/README.md" >commands.sh

test_expect_success 'the job runs on YARN and prints its table' '
	grep -v "^scripts/engines yarn down" commands.sh >run.sh &&
	test_match "^eval .*scripts/engines yarn up" run.sh &&
	test_match "sa-yarn wait --logs" run.sh &&
	timeout 600 sh -e run.sh >out &&
	test_match "^. *North. *14. *104. *5762[.]20.$" out
'

test_expect_success 'its job is recorded, with the application' '
	job=$(ls "$SPARK_EXECUTOR_DATA_DIR/runs") &&
	eval "$(scripts/engines yarn env)" &&
	sa-yarn status "$job" >job.json &&
	jq_ok ".state == \"SUCCEEDED\"" job.json &&
	jq_ok ".deploy_mode == \"cluster\"" job.json &&
	rm_get "/ws/v1/cluster/apps/$(jq -r .application_id job.json)" \
		>app.json &&
	jq_ok ".app.finalStatus == \"SUCCEEDED\"" app.json
'

test_expect_success 'the cluster is gone when it says so' '
	grep "^scripts/engines yarn down" commands.sh >down.sh &&
	test -s down.sh &&
	test -n "$(pids_below "$XDG_CACHE_HOME/sa/engines/yarn")" &&
	sh -e down.sh &&
	test -z "$(pids_below "$XDG_CACHE_HOME/sa/engines/yarn")"
'

test_done
