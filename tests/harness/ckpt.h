/* Test checkpoints from a formula: tests/data/ckpt/NAME -> a folder in the published layout.
 *
 * The spec folder holds the small files and tensors.json; the formula of the weights is written at
 * the top of ckpt.c and of scripts/reference/ckpt.py, which makes the same bytes.
 */
#ifndef KZT_CKPT_H
#define KZT_CKPT_H

#include <stddef.h>

/* Writes all files of the checkpoint into out_dir (made where absent, files replaced).
 * Returns 0, or -1 with a sentence in err[n]. */
int kzt_make_checkpoint(const char *spec_dir, const char *out_dir, char *err, size_t n);

#endif
