/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "sandbox/attach.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

#define TRIES 3
#define TRY_AGAIN_S 1

int
sa_attach_check_name(const char *text, struct sa_err *err)
{
	if (*text == '\0' || strcmp(text, "None") == 0 ||
	    strcmp(text, "null") == 0) {
		sa_err_set(err, SA_INVALID, "the sandbox's name is '%s'", text);
		return sa_err_hint(err,
		    "a variable or a template was not filled in; give the name "
		    "that sa-sandbox create printed");
	}
	if (!sa_box_is_name(text)) {
		cleanup_free char *shown = sa_text_visible(text);
		sa_err_set(err, SA_INVALID, "'%s' is no name of a sandbox",
		    shown);
		return sa_err_hint(err,
		    "names are sa-sandbox- and 12 hexadecimal digits; "
		    "sa-sandbox list shows them");
	}
	return 0;
}

static const char *
or_nobody(const char *who)
{
	return who != NULL ? who : "nobody";
}

static bool
same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static int
held(const char *holder, const char *who, struct sa_err *err)
{
	cleanup_free char *theirs = sa_text_visible(or_nobody(holder));
	cleanup_free char *ours = sa_text_visible(who);

	sa_err_set(err, SA_REFUSED,
	    "the sandbox is held by '%s', so '%s' cannot have it", theirs,
	    ours);
	return sa_err_hint(err, "wait until it was released");
}

static int
check_owner(const struct sa_box_tags *tags, const char *owner,
    struct sa_err *err)
{
	if (tags->owner != NULL && owner != NULL &&
	    strcmp(tags->owner, owner) == 0)
		return 0;
	cleanup_free char *theirs = sa_text_visible(or_nobody(tags->owner));
	cleanup_free char *ours = sa_text_visible(or_nobody(owner));
	sa_err_set(err, SA_REFUSED,
	    "the sandbox belongs to '%s' and not to '%s'", theirs, ours);
	return sa_err_hint(err, "an owner is set when a sandbox is made");
}

/* Writes the claim, and reads what came of it. */
static int
claim(const struct sa_backend *b, struct sa_box *box, const char *holder,
    struct sa_box_tags *tags, struct sa_err *err)
{
	struct sa_err failure = SA_ERR_INIT;

	tags->holder = sa_xstrdup(holder);
	if (b->write_tags(box, tags, NULL, &failure) < 0 &&
	    failure.kind != SA_BUSY) {
		if (err != NULL)
			*err = failure;
		else
			sa_err_clear(&failure);
		return -1;
	}
	sa_err_clear(&failure);
	sa_box_tags_free(tags);
	if (b->read_tags(box, tags, err) < 0)
		return -1;
	if (same(tags->holder, holder))
		return 0;
	held(tags->holder, holder, err);
	sa_box_tags_free(tags);
	return -1;
}

int
sa_attach(const struct sa_backend *b, struct sa_box *box, const char *owner,
    const char *holder, struct sa_box_tags *out, struct sa_err *err)
{
	struct sa_box_tags tags = { .owner = NULL };

	if (!b->attachable)
		return sa_err_set(err, SA_REFUSED,
		    "a sandbox of the backend '%s' cannot be attached to",
		    b->name);
	if (b->read_tags(box, &tags, err) < 0)
		return -1;
	int rc = check_owner(&tags, owner, err);
	if (rc == 0 && tags.holder == NULL)
		rc = claim(b, box, holder, &tags, err);
	else if (rc == 0 && !same(tags.holder, holder))
		rc = held(tags.holder, holder, err);
	if (rc < 0) {
		sa_box_tags_free(&tags);
		return -1;
	}
	*out = tags;
	return 0;
}

static int
release_once(const struct sa_backend *b, struct sa_box *box, const char *holder,
    struct sa_err *err)
{
	cleanup_tags struct sa_box_tags tags = { .owner = NULL };

	if (b->read_tags(box, &tags, err) < 0)
		return -1;
	if (!same(tags.holder, holder))
		return 0;
	free(tags.holder);
	tags.holder = NULL;
	return b->write_tags(box, &tags, holder, err);
}

int
sa_release(const struct sa_backend *b, struct sa_box *box, const char *holder,
    struct sa_err *err)
{
	const struct timespec pause = { .tv_sec = TRY_AGAIN_S };

	if (!b->attachable)
		return sa_err_set(err, SA_REFUSED,
		    "a sandbox of the backend '%s' cannot be attached to",
		    b->name);
	for (int tries = 1;; tries++) {
		struct sa_err failure = SA_ERR_INIT;
		if (release_once(b, box, holder, &failure) == 0)
			return 0;
		bool again = failure.kind == SA_REMOTE ||
		    failure.kind == SA_IO || failure.kind == SA_BUSY;
		if (!again || tries == TRIES) {
			if (err != NULL)
				*err = failure;
			else
				sa_err_clear(&failure);
			return -1;
		}
		sa_err_clear(&failure);
		nanosleep(&pause, NULL);
	}
}

double
sa_attach_budget(double budget_s, long long expires_at, long long now)
{
	double left = (double)(expires_at - now);

	if (expires_at > 0 && left < budget_s)
		budget_s = left;
	return budget_s < 1 && expires_at > 0 ? 1 : budget_s;
}
