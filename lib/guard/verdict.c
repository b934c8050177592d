/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "guard/verdict.h"

#include <string.h>

const char *
sa_verdict_name(enum sa_verdict v)
{
	switch (v) {
	case SA_VERDICT_ALLOW:
		return "allow";
	case SA_VERDICT_WARN:
		return "warn";
	case SA_VERDICT_UNRESOLVED:
		return "unresolved";
	case SA_VERDICT_REJECT:
		break;
	}
	return "reject";
}

bool
sa_verdict_parse(const char *word, enum sa_verdict *v)
{
	for (int i = SA_VERDICT_ALLOW; i <= SA_VERDICT_REJECT; i++)
		if (strcmp(word, sa_verdict_name((enum sa_verdict)i)) == 0) {
			*v = (enum sa_verdict)i;
			return true;
		}
	return false;
}
