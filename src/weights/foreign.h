/* What a file is that does not hold what its name promises. */
#ifndef KZ_WEIGHTS_FOREIGN_H
#define KZ_WEIGHTS_FOREIGN_H

#include <stddef.h>

/* A phrase that follows "is" ("a Git LFS pointer, ..."), or NULL where the beginning says nothing.
 */
const char *kz__foreign(const unsigned char *bytes, size_t size);

#endif
