/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors
 *
 * The table of settings, one "ENV<TAB>KEY<TAB>OPTION" a line, "-" for what a
 * setting lacks, for the test that compares it with the pages. */
#include "config.h"

#include <stdio.h>

#include "base/settings.h"

static const char *
text(const char *s)
{
	return s != NULL ? s : "-";
}

int
main(void)
{
	for (int id = 0; id < SA_SET_COUNT; id++) {
		const struct sa_setting_def *def = sa_setting_def(id);

		printf("%s\t%s\t%s\n", text(def->env), text(def->key),
		    text(def->option));
	}
	return 0;
}
