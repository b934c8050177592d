#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='command lines, requests, answers and errors of any command'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

PATH=$SA_BUILDDIR/t:$PATH
in_terminal=$SA_BUILDDIR/t/in-terminal

# fails CODE REGEX COMMAND...: nothing on stdout, the reason on stderr.
fails () {
	code=$1
	regex=$2
	shift 2
	test_expect_code "$code" "$@" >out 2>err &&
	test_empty out &&
	test_match "^cli-sample: $regex" err
}

# request CODE REGEX TEXT [VERB]: the same for a request.
request () {
	printf '%s' "$3" >request &&
	fails "$1" "$2" cli-sample "${4:-save}" --request --dry-run <request
}

test_expect_success jq 'each type of option, in any order' '
	cli-sample save one -m yarn --conf a=b -k 5 --file x --force \
		--conf=c=d=e --file=y -c f= --dry-run >out &&
	jq_ok ".verb == \"save\" and .operands == [\"one\"] and
		.master == \"yarn\" and .count == 5 and .force and
		.conf == [\"a=b\", \"c=d=e\", \"f=\"] and
		.file == [\"x\", \"y\"] and .request == false" out &&
	cli-sample save -m a -ma2 --dry-run -- --two >out &&
	jq_ok ".operands == [\"--two\"] and .master == \"a2\" and
		.count == -1 and .force == false and .conf_given == false" out
'

test_expect_success jq 'the first operand of run ends the options' '
	cli-sample run --json x --json -h -- y >out &&
	jq_ok ".operands == [\"x\", \"--json\", \"-h\", \"--\", \"y\"]" out
'

test_expect_success 'wrong words are 64, with usage' '
	fails 64 "unknown option .--nope. for save" cli-sample save x --nope &&
	test_match "^usage: cli-sample save " err &&
	fails 64 "unknown option .-z. for save" cli-sample save x -z &&
	fails 64 "unknown option .-.xc3. for save" cli-sample save \
		"$(printf "\303\251" | sed "s/^/-/")" &&
	fails 64 "option .--conf. wants an argument" cli-sample save x --conf &&
	fails 64 "option .--force=1. takes no argument" \
		cli-sample save x --force=1 &&
	fails 64 "unknown option .--down=1. for save; it is one of list" \
		cli-sample save x --down=1 &&
	fails 64 "--conf .a. is not of the form KEY=VALUE" \
		cli-sample save x --conf a &&
	fails 64 "--conf .=a. is not of" cli-sample save x --conf =a &&
	fails 64 "--count .100001. is too large, .* 0 to 100000" \
		cli-sample save x --count 100001 &&
	fails 64 "--count .1x. is invalid" cli-sample save x --count 1x &&
	fails 64 "save: an operand is missing, expected: NAME" \
		cli-sample save &&
	fails 64 "save: the operand .y. is one too many" \
		cli-sample save x y &&
	fails 64 "list: the operand .lsit. is one too many; the verb is the" \
		cli-sample list lsit
'

test_expect_success 'control characters of an operand are made visible' '
	fails 64 "list: the operand .a.x1b.nx. is" \
		cli-sample list "$(printf "a\033\nx")"
'

test_expect_success 'a verb behind an option is not taken for an operand' '
	fails 64 "the verb .show. is not the first word; write .* show" \
		cli-sample --json show one &&
	test_expect_code 64 sa-yarn --json wait x 2>err &&
	test_match "verb .wait. is not the first word" err
'

test_expect_success 'no verb: the default, or 64 where there is none' '
	echo "{\"v\":1,\"type\":\"sample\",\"name\":\"n\"}" >record &&
	cli-sample <record >out &&
	test_cmp record out &&
	ln -s "$SA_BUILDDIR/t/cli-sample" cli-bare &&
	fails 64 "a verb is missing" ./cli-bare &&
	fails 64 "a verb is missing" ./cli-bare lsit &&
	./cli-bare --help >out &&
	test_match "^usage: cli-sample" out &&
	cli-sample hidden >out &&
	cli-sample --help >out &&
	test_expect_code 1 grep hidden out
'

test_expect_success 'a verb of internal use is nowhere listed' '
	for shell in bash zsh fish
	do
		cli-sample --print-completion $shell >out &&
		test_match "pair" out &&
		test_expect_code 1 grep -E "hidden|note" out || return 1
	done &&
	cli-sample --print-options >out &&
	test_expect_code 1 grep -E "hidden|note" out &&
	fails 64 "--print-completion .ksh.: expected bash" \
		cli-sample --print-completion ksh
'

test_expect_success 'help stays within the line' '
	cli-sample --help >out &&
	test_expect_code 1 grep -E ".{80}" out
'

test_expect_success jq 'a request' '
	cat >request <<-\R &&
	{"name":"x","master":null,"conf":{"a":1,"b":true,"c":"d","e":null,
	"f":1.5},"file":["y",2],"count":7,"force":true,"note":"n"}
	R
	cli-sample save --request --dry-run <request >out &&
	jq_ok ".operands == [\"x\"] and .master == null and .count == 7 and
		.conf == [\"a=1\", \"b=true\", \"c=d\", \"e\", \"f=1.5\"] and
		.file == [\"y\", \"2\"] and .note == \"n\" and .force and
		.master_given == false and .request" out &&
	echo "{\"sample_name\":\"x\",\"conf\":{},\"force\":false}" |
		cli-sample save --request --dry-run >out &&
	jq_ok ".operands == [\"x\"] and .conf_given and .conf == [] and
		.force == false" out &&
	echo "{\"name\":\"x\",\"dry_run\":true}" |
		cli-sample save --request >out &&
	jq_ok ".operands == [\"x\"]" out
'

test_expect_success 'what a request may not hold' '
	request 64 "request: unknown member .nope.; known: name.*master.*note" \
		"{\"name\":\"x\",\"nope\":1}" &&
	request 64 "request: unknown member .dry-run." \
		"{\"name\":\"x\",\"dry-run\":true}" &&
	request 64 "request: unknown member .json." \
		"{\"name\":\"x\",\"json\":true}" &&
	request 64 "request: unknown member .data_dir." \
		"{\"name\":\"x\",\"data_dir\":\"y\"}" &&
	echo "{\"v\":1,\"type\":\"sample\"}" >request &&
	fails 64 "request: unknown member .v." \
		cli-sample list --request <request
'

test_expect_success 'values of a request that are wrong are 65' '
	request 65 "request: a member is missing, expected: name" "{}" &&
	request 65 "request: name must be a string" "{\"name\":5}" &&
	request 65 "request: master must be a string" \
		"{\"name\":\"x\",\"master\":5}" &&
	request 65 "request: force must be true or false" \
		"{\"name\":\"x\",\"force\":1}" &&
	request 65 "request: file must be an array" \
		"{\"name\":\"x\",\"file\":\"y\"}" &&
	request 65 "request: file must be an array of scalars" \
		"{\"name\":\"x\",\"file\":[null]}" &&
	request 65 "request: conf must be an object" \
		"{\"name\":\"x\",\"conf\":\"a=b\"}" &&
	request 65 "request: conf must be an object of scalars" \
		"{\"name\":\"x\",\"conf\":{\"a\":[]}}" &&
	request 65 "request: conf must be an object whose keys" \
		"{\"name\":\"x\",\"conf\":{\"a=b\":\"c\"}}" &&
	request 65 "request: conf must be an object whose keys" \
		"{\"name\":\"x\",\"conf\":{\"\":\"c\"}}" &&
	request 65 "request: count must be a whole number" \
		"{\"name\":\"x\",\"count\":\"5\"}" &&
	request 65 "count .-1. is too small" \
		"{\"name\":\"x\",\"count\":-1}"
'

test_expect_success jq 'an agent gets no null members and hints of its own' '
	echo "{\"name\":\"n\",\"master\":null}" >request &&
	cli-sample save --request <request >out &&
	jq_ok "has(\"master\") and .master == null" out &&
	SA_ORIGIN=agent cli-sample save --request <request >out &&
	jq_ok "has(\"master\") | not" out &&
	jq_ok ".name == \"n\" and .count == -1" out &&
	echo "{\"limit\":1}" >request &&
	cli-sample list --request <request >out &&
	jq_ok "has(\"next\") and .items[0].master == null" out &&
	SA_ORIGIN=agent cli-sample list --request <request >agent &&
	jq_ok ".items[0] | has(\"name\") and (has(\"master\") | not)" agent &&
	real_jq -S "del(.. | nulls)" out >plain &&
	real_jq -S . agent | test_cmp plain - &&
	test_expect_code 66 cli-sample fail not_found 2>err &&
	test_match "; do this$" err &&
	SA_ORIGIN=agent SA_ERROR_FD=3 \
		test_expect_code 66 cli-sample fail not_found 2>err 3>object &&
	test_match "; have this done$" err &&
	jq_ok ".error.hint == \"have this done\"" object
'

test_expect_success jq 'operands of a request keep their places' '
	echo "{\"b\":\"2\",\"a\":\"1\"}" | cli-sample pair --request >out &&
	jq_ok ".operands == [\"1\", \"2\"]" out &&
	echo "{\"b\":\"2\"}" >request &&
	fails 65 "request: a member is missing, expected: a,b" \
		cli-sample pair --request <request
'

test_expect_success 'a request that is none' '
	request 65 "no record on request: the stage before failed" "" &&
	request 65 "request:1:" "{\"name\":\"x\"" &&
	request 65 "request:1:" "{\"name\":\"x\",\"name\":\"y\"}" &&
	request 65 "request:1:1: a JSON object" "[]" &&
	fails 64 "run takes no --request" cli-sample run --request </dev/null &&
	fails 64 "--request and the operand .x. exclude each other" \
		cli-sample save x --request </dev/null &&
	echo "{}" >request &&
	fails 65 "request: a member is missing, expected: name" \
		cli-sample show --request <request
'

test_expect_success 'a record on stdin' '
	echo "{\"v\":1,\"type\":\"other\",\"id\":\"i\",\"x\":[1]}" >record &&
	cli-sample show <record >out && test_cmp record out &&
	cli-sample show - <record >out && test_cmp record out &&
	echo "{\"v\":1,\"type\":\"nope\"}" >record &&
	fails 65 "stdin: a record of type .nope. has no use here" \
		cli-sample show <record &&
	echo "{\"v\":2,\"type\":\"other\"}" >record &&
	fails 65 "stdin: record version 2 is unknown" cli-sample show <record &&
	echo "{\"v\":1,\"type\":\"other\",\"id\":5}" >record &&
	fails 65 "stdin: the record has no name,id" cli-sample show <record &&
	fails 65 "no record on stdin" cli-sample show </dev/null &&
	fails 65 "no record on stdin" cli-sample show <&- &&
	fails 74 "cannot read stdin: Is a directory" cli-sample show <. &&
	printf "{\"v\":1,\"type\":\"other\",\"id\":\"\377\"}" >record &&
	fails 65 "stdin:1:" cli-sample show <record &&
	head -c 17000000 /dev/zero | tr "\0" " " >record &&
	fails 65 "stdin is over the limit of 16777216 bytes" \
		cli-sample show <record
'

test_expect_success 'a lost answer is 74' '
	test_expect_code 74 cli-sample run x >/dev/full 2>err &&
	test_match "^cli-sample: cannot write to stdout" err &&
	test_expect_code 74 cli-sample run x >&- 2>err &&
	test_match "^cli-sample: cannot write to stdout" err &&
	cli-sample run x 2>&- >out &&
	test -s out
'

test_expect_success 'a reader that has gone ends it' '
	{ cli-sample --help; echo $? >code; } | : &&
	test_match "^(141|0)$" code
'

test_expect_success jq 'each kind of failure has its code' '
	"$SA_BUILDDIR/t/print-errors" >kinds &&
	while read -r code kind http
	do
		test "$kind" != ok || continue
		test_expect_code "$code" cli-sample fail "$kind" >out 2>err &&
		test_empty out &&
		test_match "^cli-sample: it is.n$kind; do this$" err ||
			return 1
	done <kinds
'

test_expect_success jq 'the object of an error' '
	test_expect_code 75 env SA_ERROR_FD=7 cli-sample fail busy --detail \
		7>object 2>err &&
	jq_ok ".error.kind == \"busy\" and .error.http == 503 and
		.error.code == 75 and .error.message == \"it is\\nbusy\" and
		.error.hint == \"do this\" and .error.retryable and
		.error.detail.type == \"sample\"" object &&
	test_expect_code 64 env SA_ERROR_FD=7 cli-sample --nope \
		7>object 2>err &&
	jq_ok ".error.kind == \"usage\" and .error.detail == null" object &&
	test_expect_code 1 env SA_ERROR_FD=7 cli-sample fail no \
		7>object 2>err &&
	jq_ok ".error.http == null" object &&
	test_expect_code 78 env SA_ERROR_FD=x cli-sample run x 2>err &&
	test_match "SA_ERROR_FD is .x., expected" err &&
	test_expect_code 66 env SA_ERROR_FD=9 cli-sample fail not_found 2>err &&
	test_expect_code 64 env SA_ERROR_FD=x cli-sample --nope 2>err
'

test_expect_success 'bugs are 70' '
	fails 70 "failed without saying why" cli-sample fail none &&
	fails 70 "bug: no option .no-such-option." cli-sample fail bug
'

test_expect_success jq 'text at a terminal, JSON with --json' '
	cli-sample save one >/dev/null &&
	>script &&
	"$in_terminal" script cli-sample show one >out &&
	test_match "^the text of one" out &&
	"$in_terminal" script cli-sample show one --json >out &&
	jq_ok ".name == \"one\"" out &&
	"$in_terminal" script cli-sample run x >out &&
	test_match "^  \"verb\": \"run\"" out &&
	jq_ok ".operands == [\"x\"]" out
'

test_expect_success jq 'JSON on a terminal holds nothing that acts on it' '
	>script &&
	bad=$(printf "a\302\233b\177c\342\200\256d\363\240\201\201\303\251") &&
	"$in_terminal" script cli-sample run "$bad" >out &&
	jq_ok ".operands == [\$v]" out --arg v "$bad" &&
	test_match "a.u009bb.u007fc.u202ed.udb40.udc41" out
'

test_expect_success jq 'without operand at a terminal' '
	>script &&
	"$in_terminal" script cli-sample --json >out &&
	jq_ok ".type == \"sample_list\"" out &&
	"$in_terminal" script cli-sample --json -n 5 --after x >out &&
	jq_ok ".type == \"sample_list\"" out &&
	"$in_terminal" script cli-sample one --json >out &&
	jq_ok ".name == \"one\"" out &&
	test_expect_code 64 "$in_terminal" script cli-sample show >out &&
	test_match "an operand is missing; give \[NAME\], or pipe a" out &&
	test_expect_code 64 "$in_terminal" script cli-sample save --request \
		>out &&
	test_match "stdin is a terminal" out
'

test_expect_success 'a pager' '
	>script &&
	SA_PAGER="sed s/^/paged:/" "$in_terminal" script cli-sample page >out &&
	test_match "^paged:line 2.x1b" out &&
	test_match "^cli-sample: paged, 80 columns, .*, can ask" out &&
	PAGER="sed s/^/other:/" "$in_terminal" script cli-sample page >out &&
	test_match "^other:line 2" out &&
	SA_PAGER=cat "$in_terminal" script cli-sample page >out &&
	test_match "^line 2.x1b" out &&
	SA_PAGER= "$in_terminal" script cli-sample page >out &&
	test_match "^line 2" out &&
	SA_PAGER=no-such-pager "$in_terminal" script cli-sample page >out &&
	test_match "^line 2" out &&
	PATH=$SA_BUILDDIR/t "$in_terminal" script cli-sample page >out &&
	test_match "^line 2" out &&
	SA_PAGER="sed s/^/paged:/" cli-sample page >out 2>err &&
	test_expect_code 1 grep paged: out
'

test_expect_success 'a pager that is quit early is no error' '
	>script &&
	SA_PAGER="head -n 1" "$in_terminal" script \
		cli-sample page --count 100000 >out &&
	test_match "^line 0" out &&
	test_match "paged, 80" out
'

test_expect_success 'Control-C is for the pager' '
	cat >pager <<-\P &&
	#!/bin/sh
	trap "echo interrupted; >got" INT
	echo ready
	while read -r line; do :; done
	while test ! -e got; do sleep 0.1; done
	echo bye
	P
	chmod +x pager &&
	printf "%s\n" "expect ready" "type \\x03" "expect interrupted" \
		>script &&
	SA_PAGER="$PWD/pager" "$in_terminal" script cli-sample page >out &&
	test_match "^bye" out &&
	test_match "paged, 80" out
'

test_expect_success 'colour and width' '
	>script &&
	"$in_terminal" script env SA_PAGER= cli-sample page >out &&
	test_match "paged, 80 columns, colour" out &&
	"$in_terminal" script env SA_PAGER= NO_COLOR=1 cli-sample page >out &&
	test_match "plain" out &&
	"$in_terminal" script env SA_PAGER= TERM=dumb cli-sample page >out &&
	test_match "plain" out &&
	cli-sample page 2>err >out &&
	test_match "80 columns, plain" err
'

test_expect_success 'asking' '
	printf "%s\n" "expect which?" "send yes" >script &&
	SA_PAGER= "$in_terminal" script cli-sample page --ask >out &&
	printf "%s\n" "expect which?" "send yes-and-much-more" >script &&
	test_expect_code 1 env SA_PAGER= "$in_terminal" script \
		cli-sample page --ask >out &&
	test_match "answer .yes-and" out &&
	printf "%s\n" "expect which?" "type \\x04" >script &&
	test_expect_code 1 env SA_PAGER= "$in_terminal" script \
		cli-sample page --ask >out &&
	test_match "gave no answer" out
'

test_expect_success setsid 'there is nobody to ask' '
	test_expect_code 1 setsid -w cli-sample page --ask >out 2>err &&
	test_match "no terminal to ask at" err &&
	test_match "cannot ask" err
'

for shell in bash zsh fish
do
	test_expect_success "$shell" "completion in $shell" '
		cli-sample --print-completion $shell >c &&
		case $shell in
		bash)
			bash -c "
				source <(cli-sample --print-completion bash)
				COMP_WORDS=(cli-sample li) COMP_CWORD=1
				_cli_sample && echo \${COMPREPLY[@]}
				COMP_WORDS=(cli-sample save --m) COMP_CWORD=2
				_cli_sample && echo \${COMPREPLY[@]}
				COMP_WORDS=(cli-sample list --m) COMP_CWORD=2
				_cli_sample && echo none: \${COMPREPLY[@]}
			" >out &&
			printf "%s\n" list --master none: >expected &&
			test_cmp expected out ;;
		zsh)
			zsh -f -c "
				autoload -U compinit && compinit -u -d dump
				source <(cli-sample --print-completion zsh)
				echo \$_comps[cli-sample]
			" >out &&
			test_match "^_cli-sample$" out ;;
		fish)
			fish -c "
				cli-sample --print-completion fish | source
				complete -C \"cli-sample sh\"
				complete -C \"cli-sample save --mas\"
			" >out &&
			test_match "^show.show it.s all" out &&
			test_match "^--master.the master \[it.s: one\]" out ;;
		esac
	'
done

test_done
