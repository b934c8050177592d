/* SPDX-License-Identifier: ISC
 * Copyright (c) 2026 The sa authors */
#ifndef SA_NETTLS_H
#define SA_NETTLS_H

#include "sandbox/netname.h"

/*
 * The name that a client asks for as it begins with TLS: its ClientHello may
 * come in several records and in any pieces, but not be larger than
 * SA_NETTLS_MAX.
 */
#define SA_NETTLS_MAX 16384

enum sa_nettls {
	SA_NETTLS_MORE,	   /* so far it can become one */
	SA_NETTLS_NOT,	   /* it is none */
	SA_NETTLS_NO_NAME, /* one that names nobody */
	SA_NETTLS_NAME	   /* name is canonical */
};
enum sa_nettls sa_nettls_name(const uint8_t *p, size_t n,
    char name[SA_NETNAME]);

#endif
