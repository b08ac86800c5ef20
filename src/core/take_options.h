/* Structs that callers allocate begin with struct_size and grow at their end only; a caller built against another version
 * has a shorter or a longer one. Every public function with options takes them with kanon__take_options first; one that
 * fills a struct of the caller begins with kanon__check_out and ends with kanon__give_out. */
#ifndef KANON_CORE_TAKE_OPTIONS_H
#define KANON_CORE_TAKE_OPTIONS_H

#include "core/status.h"

/* Copy the options that `given` (NULL: none) has into `local`, of `size` bytes, and zero the rest. Both begin with
 * struct_size. KANON_EINVAL: it is not set, and `local` is all zero; or behind `size` are bytes that are not zero, which
 * somebody set who knows more options than there are here. `local` has the others then, so that sinks among them are told. */
kanon_status kanon__take_options(void *local, size_t size, const void *given, kanon_error *err);
/* KANON_EINVAL: the struct at `out` does not say how large it is. */
kanon_status kanon__check_out(const void *out, kanon_error *err);
/* Copy `local`, of `size` bytes, into the struct at `out`, as much as that has room for. Its struct_size stays. */
void kanon__give_out(void *out, const void *local, size_t size);
/* Fail unless k, which 0 does not say, is a size that groups can have. */
kanon_status kanon__check_k(int64_t k, kanon_error *err);
/* Fail unless the seed, which is called `name`, is at most KANON_SEED_MAX. */
kanon_status kanon__check_seed(uint64_t seed, const char *name, kanon_error *err);

#endif
