/* Rows are appended to files that are opened for each call, since there are more stages than a
 * process may hold open; the headers, of fixed length, are written at the end. */
#include "common/dump.h"

#include "audio/pcm.h"
#include "common/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGES_MAX 4096

typedef struct stage {
    char *name; /* of the tap */
    char *path;
    size_t shape[KZ__NPY_RANK_MAX]; /* shape[0]: rows so far */
    int rank;
} stage;

struct kz__dump {
    kz__mem *mem;
    const char *folder;
    stage *stages;
    size_t count;
    FILE *index;
    kz_status status;
    kz__err err;
};

static void fail(kz__dump *dump, const char *path) {
    dump->status = kz__fail(&dump->err, KZ_ERR_OUTPUT, "cannot write '%s': %s", path,
                            strerror(errno));
}

static char *path_of(kz__dump *dump, const char *name, int part) {
    size_t capacity = strlen(dump->folder) + strlen(name) + 32;
    char *path = kz__alloc(dump->mem, capacity);
    if (!path) return NULL;
    int used = snprintf(path, capacity, "%s/", dump->folder);
    for (const char *c = name; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '.' || *c == '_' || *c == '-';
        path[used++] = plain ? *c : '_';
    }
    if (part > 1) {
        snprintf(path + used, capacity - (size_t)used, ".%d.npy", part);
    } else {
        snprintf(path + used, capacity - (size_t)used, ".npy");
    }
    return path;
}

kz_status kz__dump_open(kz__dump **dump, kz__mem *mem, const char *folder, kz__err *err) {
    *dump = NULL;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return kz__fail(err, KZ_ERR_OUTPUT, "cannot make the folder '%s': %s", folder,
                        strerror(errno));
    }
    kz__dump *made = kz__calloc(mem, 1, sizeof *made);
    if (!made) return kz__fail_memory(err);
    made->mem = mem;
    made->folder = folder;
    made->stages = kz__calloc(mem, STAGES_MAX, sizeof *made->stages);
    size_t length = strlen(folder) + sizeof "/index.csv";
    char *path = kz__alloc(mem, length);
    if (!made->stages || !path) {
        kz__free(mem, path);
        kz__dump_close(made, NULL);
        return kz__fail_memory(err);
    }
    snprintf(path, length, "%s/index.csv", folder);
    made->index = fopen(path, "w");
    if (!made->index) {
        fail(made, path);
    } else {
        fprintf(made->index, "stage,file,frame,first_row,rows\n");
    }
    kz__free(mem, path);
    if (made->index) {
        *dump = made;
        return KZ_OK;
    }
    return kz__dump_close(made, err);
}

/* A vector is one row. */
static void row_shape(const size_t *shape, int rank, size_t full[KZ__NPY_RANK_MAX], int *filled) {
    size_t n = 0;
    if (rank < 2) full[n++] = 1;
    for (int i = 0; i < rank; i++) full[n++] = shape[i];
    if (rank < 1) full[n++] = 1;
    *filled = (int)n;
}

static stage *find_stage(kz__dump *dump, const char *name, const size_t *shape, int rank) {
    int part = 1;
    for (size_t i = 0; i < dump->count; i++) {
        stage *s = &dump->stages[i];
        if (strcmp(s->name, name) != 0) continue;
        bool same = s->rank == rank;
        for (int d = 1; same && d < rank; d++) same = s->shape[d] == shape[d];
        if (same) return s;
        part++;
    }
    if (dump->count == STAGES_MAX) {
        errno = ENFILE;
        fail(dump, dump->folder);
        return NULL;
    }
    stage *s = &dump->stages[dump->count];
    s->name = kz__strndup(dump->mem, name, strlen(name));
    s->path = path_of(dump, name, part);
    dump->count++;
    if (!s->name || !s->path) {
        dump->status = kz__fail_memory(&dump->err);
        return NULL;
    }
    for (int d = 0; d < rank; d++) s->shape[d] = d ? shape[d] : 0;
    s->rank = rank;
    return s;
}

static bool write_all(int fd, const unsigned char *bytes, size_t length) {
    while (length > 0) {
        ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        bytes += done;
        length -= (size_t)done;
    }
    return true;
}

static void append(kz__dump *dump, stage *s, const float *data, size_t count) {
    bool first = s->shape[0] == 0;
    unsigned char *bytes = kz__alloc(dump->mem, 4 * count);
    if (!bytes) {
        dump->status = kz__fail_memory(&dump->err);
        return;
    }
    kz__pcm_write_f32(data, count, bytes);
    int fd = open(s->path, O_WRONLY | O_CREAT | (first ? O_TRUNC : O_APPEND), 0666);
    unsigned char header[KZ__NPY_HEADER];
    kz__npy_header(header, "<f4", s->shape, s->rank);
    bool good = fd >= 0 && (!first || write_all(fd, header, sizeof header)) &&
                write_all(fd, bytes, 4 * count);
    if (!good) fail(dump, s->path);
    if (fd >= 0) close(fd);
    kz__free(dump->mem, bytes);
}

void kz__dump_tap(void *user, const char *name, long frame, const float *data,
                  const size_t *shape, int rank) {
    kz__dump *dump = user;
    if (dump->status != KZ_OK || rank < 0 || rank > KZ__NPY_RANK_MAX) return;
    size_t full[KZ__NPY_RANK_MAX + 1];
    int filled = 0;
    size_t count = 1;
    row_shape(shape, rank, full, &filled);
    for (int i = 0; i < filled; i++) count *= full[i];
    stage *s = find_stage(dump, name, full, filled);
    if (!s || count == 0) return;
    append(dump, s, data, count);
    const char *file = strrchr(s->path, '/') + 1;
    if (fprintf(dump->index, "%s,%s,%ld,%zu,%zu\n", name, file, frame, s->shape[0], full[0]) < 0) {
        fail(dump, "index.csv");
    }
    s->shape[0] += full[0];
}

static void end_stage(kz__dump *dump, const stage *s) {
    unsigned char header[KZ__NPY_HEADER];
    kz__npy_header(header, "<f4", s->shape, s->rank);
    int fd = open(s->path, O_WRONLY);
    bool good = fd >= 0 && write_all(fd, header, sizeof header);
    if (!good) fail(dump, s->path);
    if (fd >= 0) close(fd);
}

kz_status kz__dump_close(kz__dump *dump, kz__err *err) {
    if (!dump) return KZ_OK;
    for (size_t i = 0; dump->stages && i < dump->count; i++) {
        stage *s = &dump->stages[i];
        if (dump->status == KZ_OK && s->shape[0] > 0) end_stage(dump, s);
        kz__free(dump->mem, s->name);
        kz__free(dump->mem, s->path);
    }
    if (dump->index && fclose(dump->index) != 0 && dump->status == KZ_OK) fail(dump, "index.csv");
    kz_status status = dump->status;
    if (err && status != KZ_OK) *err = dump->err;
    kz__free(dump->mem, dump->stages);
    kz__free(dump->mem, dump);
    return status;
}
