/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_ZIP_H
#define SA_ZIP_H

#include "base/buf.h"
#include "base/err.h"

/*
 * A directory as a zip archive that Python imports from: the regular files and
 * directories below path, their names beginning with the directory's own,
 * sorted, stored as they are, without times. Equal trees give equal bytes. Left
 * out are names that begin with a dot, __pycache__, and links.
 *
 * out's max limits the archive; over it, or over 5000 files, is SA_INVALID.
 */
int sa_zip_dir(const char *path, struct sa_buf *out, struct sa_err *err);

#endif
