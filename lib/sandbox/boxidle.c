/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#include "config.h"

#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/box.h"

/* More than init ever had of its stack. */
#define STACK (512 * 1024)
#define PARTS 8 /* of a program or library; linkers make three */

/* What a program or library has of its file as it stands there comes back from
 * it when it is needed; most was needed once only. */
static int
drop_text(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const uintptr_t page = (uintptr_t)getpagesize();

	struct {
		uintptr_t from;
		size_t len;
	} part[PARTS];
	int n = 0;

	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum && n < PARTS; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || (p->p_flags & PF_W))
			continue;
		uintptr_t at = info->dlpi_addr + p->p_vaddr;
		part[n].from = at - at % page;
		part[n].len = at + p->p_memsz - part[n].from;
		n++;
	}
	/* the list of them is in one */
	while (n-- > 0)
		(void)madvise((void *)part[n].from, part[n].len, MADV_DONTNEED);
	return 0;
}

/* Below the frame of whoever calls: nothing there is in use. */
static void
drop_stack(void)
{
	const uintptr_t page = (uintptr_t)getpagesize();
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t top = here - here % page - page;

	/* ENOMEM: the stack is not that large, and what there is was done */
	(void)madvise((void *)(top - STACK), STACK, MADV_DONTNEED);
}

void
sa_boxidle(void)
{
	(void)malloc_trim(0);
	(void)dl_iterate_phdr(drop_text, NULL);
	drop_stack();
}
