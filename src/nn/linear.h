/* Products of packed weights with rows: the only place that knows the type of a weight.
 *
 * A kz__linear is a matrix packed in panels of 16 output rows (kernels.h). A causal convolution
 * over channels-last rows is the same product with several taps, a transposed convolution one with
 * an output row per (phase, channel): so this file multiplies for the whole model.
 */
#ifndef KZ_NN_LINEAR_H
#define KZ_NN_LINEAR_H

#include "base/pool.h"
#include "kernels/kernels.h"
#include "tensor/blocks.h"
#include "tensor/tensor.h"
#include "weights/weights.h"

/* Rounds a width up to the padding of rows. */
static inline size_t kz__pad16(size_t n) {
    return (n + 15) / 16 * 16;
}

/* Room for the codes of some rows (kernels.h: quantize) and for the tiles of a Winograd
 * convolution, used by one product at a time. */
typedef struct kz__scratch {
    kz__mem *mem;
    size_t capacity; /* codes */
    int8_t *codes;
    float *scales; /* [capacity / 32] */
    int32_t *sums; /* [capacity / 32] */
    size_t threads, tile_floats;
    float *tiles;      /* [threads][tile_floats] */
    size_t *tile_block; /* [threads]: which inputs stand there */
} kz__scratch;

/* For `rows` rows of products with up to `width` inputs; products with more rows go in pieces.
 * width 0: nothing is quantised. */
kz_status kz__scratch_init(kz__scratch *scratch, kz__mem *mem, size_t rows, size_t width,
                           kz__err *err);
/* Adds room for tiles, for each thread (winograd.h says how much a convolution needs). */
kz_status kz__scratch_add_tiles(kz__scratch *scratch, kz__mem *mem, size_t threads, size_t floats,
                                kz__err *err);
void kz__scratch_clear(kz__scratch *scratch);

/* What a computation runs with. */
typedef struct kz__run {
    const kz__kernels *kernels;
    kz__pool *pool;
    const kz__scratch *scratch; /* NULL where no weights are quantised */
} kz__run;

typedef struct kz__linear {
    kz__dtype type; /* of the panels: KZ__F32, KZ__BF16, KZ__Q8 or KZ__Q4 */
    size_t panels;
    size_t in, taps;
    void *w;     /* [panels][taps][in][16], or [taps][panels] of pairs of blocks (blocks.h) */
    float *bias; /* [panels * 16], NULL: none */
    float factor; /* of the scales, where quantised */
    bool lent;    /* w belongs to a store or to a packed file */
} kz__linear;

/* One block for the quantised panels of many matrices: in huge pages they are read a quarter
 * faster, and a matrix alone is too small for those. */
typedef struct kz__store {
    unsigned char *next;
    size_t left;
} kz__store;

/* Where panels are found or kept. */
typedef struct kz__pack_place {
    kz__mem *mem;
    kz__weights *weights; /* packed: panels are taken from it; written: they go there. NULL: made */
    const char *name;     /* of the panels in a packed file */
    kz__store *store;     /* where quantised panels that are made go, and what outlives them; NULL:
                             each matrix has its own block */
} kz__pack_place;

/* Where the rows of some panels come from: weight of (row, tap, channel) is element
 * base + row * row_step + tap * tap_step + channel * in_step of the tensor. */
typedef struct kz__pack_source {
    const kz__tensor *weight;
    const kz__tensor *bias; /* NULL: none */
    size_t rows;
    ptrdiff_t base, row_step, tap_step, in_step;
    size_t first_panel, panel_step; /* panel i becomes panel first_panel + i * panel_step */
    /* NULL, or [taps][mixed]: the weight of tap t is the sum over s of mix[t * mixed + s] times
     * what stands at base + row * row_step + s * tap_step + channel * in_step, in double, from
     * s = 0 on, rounded once. */
    const double *mix;
    size_t mixed; /* 1 to 16 */
} kz__pack_source;

/* A plain [rows, in] matrix (or [rows, in, 1]) as the source of consecutive panels. */
kz__pack_source kz__pack_matrix(const kz__tensor *weight, const kz__tensor *bias);

/* Packs the sources into panels of `type` (KZ__OTHER: as stored, without rounding), or takes them
 * from the packed file of `place`. Source rows that do not fill a panel are padded with zeros.
 * Private memory only for the panels; none where they are taken, or written (w is NULL then). */
kz_status kz__linear_pack(const kz__pack_place *place, kz__linear *linear, kz__dtype type,
                          size_t in, size_t taps, const kz__pack_source *sources, size_t count,
                          kz__err *err);
/* Bytes of store that `rows` outputs (whole panels) need; 0 where they do not go there. */
size_t kz__linear_space(kz__dtype type, size_t rows, size_t in);
void kz__linear_clear(kz__mem *mem, kz__linear *linear);
size_t kz__linear_bytes(const kz__linear *linear);
/* The width of scratch that a product needs: 0 where it is not quantised. */
size_t kz__linear_scratch(const kz__linear *linear);
/* Rows of scratch that `rows` outputs take together; with taps there must be room for more than
 * taps - 1. */
static inline size_t kz__linear_rows(const kz__linear *linear, size_t rows) {
    return rows + linear->taps - 1;
}

/* What happens to a block of outputs while it is still in cache. */
typedef enum kz__after_kind {
    KZ__PLAIN,
    KZ__SILU,      /* y = silu(y) */
    KZ__GELU,      /* y = gelu(y) */
    KZ__RELU,      /* y = relu(y) */
    KZ__ELU,       /* y = elu(y) */
    KZ__SILU_MUL,  /* panels alternate gate, up: z = silu(gate) * up, z has half the width */
    KZ__ADD,       /* z = z + y */
    KZ__SCALE_ADD, /* z = z + scale * y */
    KZ__SNAKE      /* y = y + b sin(a y)^2, a in scale, b in shift; [in channels mod period] */
} kz__after_kind;

typedef struct kz__after {
    kz__after_kind kind;
    float *z;
    size_t ldz;
    const float *scale, *shift;
} kz__after;

/* Does it to rows row, row + step, ... of y, columns of `panels` panels from `panel` on. */
void kz__after_run(const kz__kernels *kernels, const kz__after *after, float *y, size_t ldy,
                   size_t row, size_t step, size_t rows, size_t panel, size_t panels);

/* y[rows][ldy] = linear(x[rows][ldx]), then `after` (NULL: nothing). tap_stride: floats between
 * taps; ldx where quantised. */
void kz__linear_run(const kz__run *run, const kz__linear *linear, const float *x, size_t ldx,
                    size_t tap_stride, float *y, size_t ldy, size_t rows, const kz__after *after);

/* Row `index` of an embedding table as floats, rounded where type is KZ__BF16; pads to 16 with
 * zeros. */
kz_status kz__embedding_row(const kz__rows *table, kz__dtype type, size_t index, float *row,
                            kz__err *err);

/* The values of a vector (norm, bias, scale), padded with zeros; NULL when out of memory. */
float *kz__vector_load(kz__mem *mem, const kz__tensor *tensor);

#endif
