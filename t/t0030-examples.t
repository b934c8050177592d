#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the examples of the pages and of README.md run'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

# A block of a page is ".Bd -literal" to ".Ed", one of README.md "```sh" to
# "```". The line before it says what to do with it:
#	.\" test [yes] [exit N] [needs THING[,THING]]	<!-- the same -->
#	.\" no test: REASON		<!-- no test: REASON -->
# "yes" answers sa-confirm's question, N is the status of the last line, a thing
# is a prerequisite of the test, or "sandbox", one of this host. Where
# lines begin with "$ " those are the commands, and the others what they print.
# They run with the fake spark-submit, in a directory with examples/, report.py,
# wheels/ and connections demo, dev and prod. An id of a pending or a job stands
# for a real one, made before.
for c in sa-conn sa-genjob sa-prepare sa-confirm sa-yarn sa-supervise sa-mcp \
	sa-sandbox
do
	test -x "$SA_BUILDDIR/$c" || skip_all "$c has not been built"
done
command -v jq >/dev/null || skip_all 'no jq'

# blocks FILE: writes block.N and block.N.how, says how many.
blocks () {
	awk '
	/^(\.\\" |<!-- )(no )?test/ { how = $0; how_at = NR; next }
	/^\.Bd -literal/ || /^```sh$/ {
		n++
		print how_at == NR - 1 ? how : "" >("block." n ".how")
		printf "" >("block." n)
		inside = 1
		next
	}
	/^\.Ed/ || /^```/ { inside = 0 }
	inside { print >("block." n) }
	END { print n + 0 }
	' "$1"
}

# plain FILE: the text of a page's block as it is seen, the commands alone.
plain () {
	sed -e 's/\\(aq/'"'"'/g' -e 's/\\(dq/"/g' -e 's/\\(ha/^/g' \
		-e 's/\\(ti/~/g' -e 's/\\-/-/g' -e 's/\\&//g' \
		-e 's/\\e/\\/g' "$1" >"$1.sh"
	if grep -q '^\$ ' "$1.sh"
	then
		# a line that ends so goes on
		awk 'sub(/^\$ /, "") || more {
			print
			more = /(\\|\||&&)$/
		}' "$1.sh" >"$1.tmp" &&
		mv "$1.tmp" "$1.sh"
	fi
}

prepare () {
	mkdir work work/bin && cd work &&
	cp -R "$SA_SRCDIR/examples" examples && chmod -R u+w examples &&
	cp examples/sales.py report.py &&
	python3 "$SA_SRCDIR/t/make-wheel.py" wheels &&
	fake_spark &&
	for name in demo dev prod
	do
		sa-conn save "$name" --master 'local[2]' >/dev/null || return
	done &&
	sa-genjob <report.py | sa-prepare -c demo | sa-confirm --yes >job &&
	job=$(jq -r .job_id job) &&
	sa-genjob <report.py | sa-prepare -c demo >pending &&
	pending=$(jq -r .pending_id pending)
}

answer_yes () {
	cat >bin/sa-confirm <<-SH &&
	#!/bin/sh
	case \${1:-} in
	review|reject|audit) exec "$(command -v sa-confirm)" "\$@" ;;
	*) exec "$(command -v sa-confirm)" "\$@" --yes ;;
	esac
	SH
	chmod +x bin/sa-confirm &&
	PATH=$PWD/bin:$PATH
}

# run N STATUS [yes]
run () (
	prepare &&
	{ test -z "$3" || answer_yes; } &&
	sed -E -e "s/p_[0-9]{8}T[0-9]{6}_[0-9a-f]+/$pending/g" \
		-e "s/j_[0-9]{8}T[0-9]{6}_[0-9a-f]+/$job/g" \
		"../block.$1.sh" >run.sh &&
	test_expect_code "$2" timeout 120 sh -e run.sh
)

# Whether all of a list are there; what is not goes to missing.
has_all () {
	missing=
	for thing in $(echo "$1" | tr , " ")
	do
		case $thing in
		sandbox) sa-sandbox exec -- true </dev/null 2>/dev/null ;;
		*) command -v "$thing" >/dev/null ;;
		esac || missing=$thing
	done
	test -z "$missing"
}

for page in "$SA_SRCDIR"/man/*.[0-9] "$SA_SRCDIR/README.md"
do
	test -e "$page" || continue
	name=$(basename "$page")
	count=$(blocks "$page")
	i=0
	while test $((i += 1)) -le "$count"
	do
		how=$(cat "block.$i.how")
		plain "block.$i"
		title="$name: $(head -n 1 "block.$i.sh")"
		case $how in
		*'no test: '*)
			how=${how#*no test: }
			test_skip "$title" "${how%% -->*}"
			;;
		*' test'*)
			status=$(expr "$how" : '.* exit \([0-9]*\)')
			yes=$(expr "$how" : '.* test \(yes\)')
			needs=$(expr "$how" : '.* needs \([^ ]*\)')
			if ! has_all "$needs"
			then
				test_skip "$title" "no $missing"
				continue
			fi
			test_expect_success "$title" '
				run "$i" "${status:-0}" "$yes"
			'
			rm -rf work
			;;
		*)
			test_expect_success "$title" '
				echo "$page: a block without a test" && false
			'
			;;
		esac
	done
	rm -f block.*
done

test_done
