/* kazeia tokenize: ids and pieces of a text, as the prompt will hold them. */
#include "cli/cli.h"

#include <inttypes.h>

/* The piece with unprintable bytes escaped; for kz__free. */
static char *piece_of(kz__cli *cli, const kz_model *model, int32_t id) {
    size_t length = 0;
    const char *bytes = kz_token_text(model, id, &length);
    return kz__cli_escape(&cli->mem, bytes ? bytes : "", bytes ? length : 0, true);
}

static int show_json(kz__cli *cli, const kz_model *model, const int32_t *ids, size_t count) {
    json_t *numbers = json_array();
    json_t *pieces = json_array();
    for (size_t i = 0; i < count; i++) {
        char *piece = piece_of(cli, model, ids[i]);
        json_array_append_new(numbers, json_integer(ids[i]));
        json_array_append_new(pieces, json_string(piece ? piece : ""));
        kz__free(&cli->mem, piece);
    }
    return kz__cli_json(cli, json_pack("{s:I, s:o, s:o}", "count", (json_int_t)count, "ids",
                                       numbers, "pieces", pieces), false);
}

static int show_lines(kz__cli *cli, const kz_model *model, const int32_t *ids, size_t count) {
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    for (size_t i = 0; i < count; i++) {
        char *piece = piece_of(cli, model, ids[i]);
        fprintf(page.file, "%" PRId32 "\t%s\n", ids[i], piece ? piece : "");
        kz__free(&cli->mem, piece);
    }
    return kz__page_close(cli, &page, false);
}

static int tokenize(kz__cli *cli, const kz_model *model, const char *text, size_t length) {
    kz__err err = {""};
    size_t count = 0;
    unsigned flags = kz__cli_flags(cli);
    kz_status status = kz_tokenize(model, text, length, flags, NULL, 0, &count, err.text,
                                   sizeof err.text);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    int32_t *ids = kz__calloc(&cli->mem, count, sizeof *ids);
    if (!ids) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    status = kz_tokenize(model, text, length, flags, ids, count, &count, err.text,
                         sizeof err.text);
    int code = KZ__EXIT_DONE;
    if (status != KZ_OK) {
        code = kz__cli_status(cli, status, &err);
    } else {
        code = cli->set.json ? show_json(cli, model, ids, count)
                             : show_lines(cli, model, ids, count);
    }
    kz__free(&cli->mem, ids);
    return code;
}

int kz__cmd_tokenize(kz__cli *cli) {
    char *text = NULL;
    size_t length = 0;
    kz_model *model = NULL;
    kz_model_info info;
    int code = kz__cli_text(cli, &text, &length);
    if (code == KZ__EXIT_DONE) code = kz__cli_open_model(cli, NULL, false, &model, &info);
    if (code == KZ__EXIT_DONE) code = tokenize(cli, model, text, length);
    kz__free(&cli->mem, text);
    kz_model_free(model);
    return code;
}
