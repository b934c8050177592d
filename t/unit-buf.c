/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

int
main(void)
{
	struct sa_buf b;

	sa_buf_init(&b, 8);
	ok(strcmp(sa_buf_str(&b), "") == 0, "an empty buffer is a string");
	ok(sa_buf_add(&b, "abc", 3) == 0, "add fits");
	ok(strcmp(b.s, "abc") == 0, "NUL-terminated");
	errno = 0;
	ok(sa_buf_add(&b, "defghi", 6) == -1 && errno == EFBIG,
	    "one byte past the limit is refused");
	ok(b.len == 3, "a refused add changes nothing");
	ok(sa_buf_add(&b, "defgh", 5) == 0 && b.len == 8,
	    "the limit itself is reached");
	sa_buf_cut(&b, 2);
	ok(strcmp(b.s, "ab") == 0, "cut");
	sa_buf_release(&b);
	ok(b.s == NULL && b.len == 0, "release resets");
	ok(sa_buf_addf(&b, "%d", 1234567) == 0 && strcmp(b.s, "1234567") == 0,
	    "formatted");
	char *s = sa_buf_steal(&b);
	ok(strcmp(s, "1234567") == 0 && b.s == NULL, "steal");
	free(s);
	sa_buf_init(&b, SA_BUF_NOMAX);
	sa_buf_addu(&b, 0x41);
	sa_buf_addu(&b, 0xe9);
	sa_buf_addu(&b, 0x20ac);
	sa_buf_addu(&b, 0x1f600);
	sa_buf_addu(&b, 0xd800);
	ok(strcmp(b.s, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd") ==
		0,
	    "code points as UTF-8");
	sa_buf_release(&b);
	return tap_done();
}
