/* Temporary folders by mkdtemp under TMPDIR or /tmp. */
#include "harness/tmpdir.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *kzt_path(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    assert_non_null(path);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *kzt_tmpdir_make(void) {
    const char *parent = getenv("TMPDIR");
    char *path = kzt_path(parent && parent[0] ? parent : "/tmp", "kazeia-test-XXXXXX");
    if (!mkdtemp(path)) fail_msg("no temporary folder: %s", path);
    return path;
}

static void remove_tree(const char *path) {
    struct stat info;
    if (lstat(path, &info) != 0) return;
    if (S_ISDIR(info.st_mode)) {
        DIR *folder = opendir(path);
        struct dirent *item = NULL;
        while (folder && (item = readdir(folder))) {
            if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, "..")) continue;
            char *inner = kzt_path(path, item->d_name);
            remove_tree(inner);
            free(inner);
        }
        if (folder) closedir(folder);
        rmdir(path);
    } else {
        unlink(path);
    }
}

void kzt_tmpdir_remove(char *folder) {
    remove_tree(folder);
    free(folder);
}

static void make_parents(char *path, size_t start) {
    for (char *slash = strchr(path + start, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

void kzt_write_sparse(const char *folder, const char *name, const void *bytes, size_t written,
                      size_t size) {
    char *path = kzt_path(folder, name);
    make_parents(path, strlen(folder) + 1);
    unlink(path);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0) fail_msg("cannot write %s", path);
    assert_int_equal(write(descriptor, bytes, written), (ssize_t)written);
    if (size > written) assert_int_equal(ftruncate(descriptor, (off_t)size), 0);
    close(descriptor);
    free(path);
}

void kzt_write(const char *folder, const char *name, const void *bytes, size_t size) {
    kzt_write_sparse(folder, name, bytes, size, size);
}

void kzt_write_text(const char *folder, const char *name, const char *text) {
    kzt_write(folder, name, text, strlen(text));
}

void kzt_link(const char *folder, const char *name, const char *target) {
    char *path = kzt_path(folder, name);
    make_parents(path, strlen(folder) + 1);
    unlink(path);
    assert_int_equal(symlink(target, path), 0);
    free(path);
}

void kzt_unlink(const char *folder, const char *name) {
    char *path = kzt_path(folder, name);
    assert_int_equal(unlink(path), 0);
    free(path);
}

char *kzt_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)length, file), (size_t)length);
    fclose(file);
    bytes[length] = 0;
    if (size) *size = (size_t)length;
    return bytes;
}
