/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/backend.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void
sa_run_result_init(struct sa_run_result *r, size_t max_output)
{
	*r = (struct sa_run_result){ .exit_code = -1 };
	sa_buf_init(&r->out, max_output);
	sa_buf_init(&r->errout, max_output);
}

void
sa_run_result_free(struct sa_run_result *r)
{
	sa_buf_release(&r->out);
	sa_buf_release(&r->errout);
	json_decref(r->egress);
	r->egress = NULL;
}

void
sa_exec_init(struct sa_exec *e, size_t max_output)
{
	*e = (struct sa_exec){ .state = SA_EXEC_RUNNING };
	sa_run_result_init(&e->result, max_output);
}

void
sa_exec_free(struct sa_exec *e)
{
	free(e->command);
	sa_run_result_free(&e->result);
}

void
sa_box_tags_free(struct sa_box_tags *tags)
{
	free(tags->owner);
	free(tags->holder);
	free(tags->workdir);
	json_decref(tags->network);
	*tags = (struct sa_box_tags){ .owner = NULL };
}

const struct sa_backend *
sa_backend_find(const char *name, struct sa_err *err)
{
	const struct sa_backend *const *all = sa_backends();
	cleanup_buf struct sa_buf known = SA_BUF_INIT(1024);

	for (; *all != NULL; all++) {
		if (strcmp((*all)->name, name) == 0)
			return *all;
		sa_buf_addf(&known, "%s%s", known.len > 0 ? ", " : "",
		    (*all)->name);
	}
	cleanup_free char *shown = sa_text_visible(name);
	sa_err_set(err, SA_INVALID, "there is no sandbox backend '%s'", shown);
	sa_err_hint(err, "it is one of: %s", sa_buf_str(&known));
	return NULL;
}

void
sa_box_new_name(char out[SA_BOX_NAME])
{
	uint8_t random[6];
	char *p = out + strlcpy(out, "sa-sandbox-", SA_BOX_NAME);

	arc4random_buf(random, sizeof(random));
	for (size_t i = 0; i < sizeof(random); i++, p += 2)
		snprintf(p, 3, "%02x", random[i]);
}

bool
sa_box_is_name(const char *name)
{
	static const char prefix[] = "sa-sandbox-";
	size_t n = sizeof(prefix) - 1;

	return strncmp(name, prefix, n) == 0 &&
	    strspn(name + n, "0123456789abcdef") == 12 && name[n + 12] == '\0';
}
