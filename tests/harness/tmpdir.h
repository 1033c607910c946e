/* Files for a test: a fresh folder, files in it, and its removal. Everything fails the test itself.
 */
#ifndef KZT_HARNESS_TMPDIR_H
#define KZT_HARNESS_TMPDIR_H

#include <stddef.h>

/* A new empty folder; to be given to kzt_tmpdir_remove, which frees the path too. */
char *kzt_tmpdir_make(void);
void kzt_tmpdir_remove(char *folder);

/* folder/name on the heap. */
char *kzt_path(const char *folder, const char *name);
/* Writes folder/name (name may hold folders, which are made). */
void kzt_write(const char *folder, const char *name, const void *bytes, size_t size);
void kzt_write_text(const char *folder, const char *name, const char *text);
/* The same, made longer with zeros up to size bytes that take no room. */
void kzt_write_sparse(const char *folder, const char *name, const void *bytes, size_t written,
                      size_t size);
/* A symbolic link folder/name to target, taken as it is. */
void kzt_link(const char *folder, const char *name, const char *target);
void kzt_unlink(const char *folder, const char *name);
/* A whole file on the heap, with a zero behind it. size may be NULL. */
char *kzt_read(const char *path, size_t *size);

#endif
