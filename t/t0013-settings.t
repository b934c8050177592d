#!/bin/sh
# SPDX-License-Identifier: ISC
# Copyright (c) 2026 The sa authors
# shellcheck disable=SC2034
test_description='the table of settings, the pages and sa-conn config agree'
. "${SA_SRCDIR:=$(dirname "$0")/..}/t/test-lib.sh"

man=$SA_SRCDIR/man
"$SA_BUILDDIR/t/print-settings" >table || skip_all 'no table'
cut -f 1 table | grep -vx -e - | sort >variables
cut -f 2 table | grep -vx -e - | sort >keys

# What is not ours but passes through or is looked at.
printf '%s\n' HADOOP_CONF_DIR HOME JAVA_HOME NO_COLOR PAGER PATH \
	PYSPARK_PYTHON SPARK_CONF_DIR SPARK_HOME SPARK_SUBMIT_OPTS \
	SUDO_USER TERM XDG_CONFIG_HOME YARN_CONF_DIR >foreign

# environment PAGE: the variables of its section, sorted.
environment () {
	sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh FILES/p' "$man/$1" |
		sed -n 's/^\.It Ev \([A-Z_]*\).*/\1/p' | sort
}

test_expect_success 'there are settings' '
	test "$(wc -l <variables)" -gt 10 && test "$(wc -l <keys)" -gt 10
'

if test -e "$man/sa.7"
then
	test_expect_success 'sa(7) has each variable and no other of ours' '
		environment sa.7 >page &&
		grep -vxF -f foreign page >ours &&
		test_cmp variables ours
	'

	test_expect_success 'sa(7) names each key of the files' '
		while read -r key
		do
			grep -qwF -e "$key" "$man/sa.7" || echo "$key"
		done <keys >missing &&
		test_empty missing
	'
fi

for c in $SA_COMMANDS
do
	test_expect_success "$c: no variable that is not in sa(7)" '
		environment sa.7 >all &&
		environment "$c.1" >page &&
		{ grep -vxF -f all -f foreign page >unknown || :; } &&
		test_empty unknown
	'
done

case " $SA_COMMANDS " in
*' sa-conn '*)
	test_expect_success jq 'sa-conn config lists each key' '
		sa-conn config --json >config.json &&
		jq -r ".items[].key | select(. != null)" config.json |
			sort >listed &&
		test_cmp keys listed
	'
	;;
esac

test_done
