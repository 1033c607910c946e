/* kazeia prompt: the rows that a request becomes, without running the model. */
#include "cli/cloning.h"
#include "cli/saved.h"

#include "common/interrupt.h"
#include "common/npy.h"

#include <inttypes.h>
#include <string.h>

typedef struct rows {
    kz_prompt_row *list;
    float *embeddings; /* [count][width], or NULL */
    size_t count, prompt;
} rows;

static const char *codec_text(int32_t id, char buffer[16]) {
    if (id == -1) return "-";
    if (id == -2) return "vector";
    if (id == -3) return "frame";
    snprintf(buffer, 16, "%" PRId32, id);
    return buffer;
}

static int show_lines(kz__cli *cli, const kz_model *model, const rows *r) {
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    fprintf(page.file, "row\tpart\trole\ttext\tcodec\tpiece\n");
    for (size_t i = 0; i < r->count; i++) {
        const kz_prompt_row *row = &r->list[i];
        char text[16] = "-";
        char codec[16];
        size_t length = 0;
        const char *bytes = NULL;
        if (row->text_id >= 0) {
            snprintf(text, sizeof text, "%" PRId32, row->text_id);
            bytes = kz_token_text(model, row->text_id, &length);
        }
        char *piece = kz__cli_escape(&cli->mem, bytes ? bytes : "", bytes ? length : 0, true);
        fprintf(page.file, "%zu\t%s\t%s\t%s\t%s\t%s\n", i, i < r->prompt ? "prompt" : "trailing",
                row->role ? row->role : "", text, codec_text(row->codec_id, codec),
                piece ? piece : "");
        kz__free(&cli->mem, piece);
    }
    return kz__page_close(cli, &page, false);
}

static int show_json(kz__cli *cli, const rows *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->count; i++) {
        const kz_prompt_row *row = &r->list[i];
        json_array_append_new(list, json_pack("{s:s, s:i, s:i}", "role",
                                              row->role ? row->role : "", "text_id",
                                              (int)row->text_id, "codec_id", (int)row->codec_id));
    }
    return kz__cli_json(cli, json_pack("{s:I, s:I, s:o}", "count", (json_int_t)r->count, "prompt",
                                       (json_int_t)r->prompt, "rows", list), false);
}

static int fetch(kz__cli *cli, const kz_model *model, const kz_model_info *info,
                 const kz_request *request, rows *r) {
    kz__err err = {""};
    size_t width = (size_t)info->talker_width;
    kz_status status = kz_prompt(model, request, NULL, NULL, 0, &r->count, &r->prompt, err.text,
                                 sizeof err.text);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    r->list = kz__calloc(&cli->mem, r->count, sizeof *r->list);
    size_t values = 0;
    bool fits = kz__mul(r->count, width, &values);
    if (cli->set.npy && fits) {
        r->embeddings = kz__calloc(&cli->mem, values, sizeof *r->embeddings);
    }
    if (!r->list || (cli->set.npy && !r->embeddings)) {
        return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    }
    status = kz_prompt(model, request, r->list, r->embeddings, r->count, &r->count, &r->prompt,
                       err.text, sizeof err.text);
    if (status == KZ_OK && r->embeddings) {
        size_t shape[2] = {r->count, width};
        status = kz__npy_write_f32(&cli->mem, cli->set.npy, r->embeddings, shape, 2, &err);
    }
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

int kz__cmd_prompt(kz__cli *cli) {
    char *text = NULL;
    size_t length = 0;
    kz_model *model = NULL;
    kz_model_info info;
    rows r = {NULL, NULL, 0, 0};
    bool standard = cli->set.file ? !strcmp(cli->set.file, "-") : cli->args.word_count == 0;
    int code = kz__cloning_check_options(cli, standard);
    if (code == KZ__EXIT_DONE) code = kz__cli_text(cli, &text, &length);
    if (code == KZ__EXIT_DONE) code = kz__cli_open_model(cli, NULL, false, &model, &info);
    kz__chosen voice = {NULL, NULL};
    if (code == KZ__EXIT_DONE && cli->set.ref_audio) {
        code = kz__cloning_of_options(cli, model, &info);
    } else if (code == KZ__EXIT_DONE) {
        code = kz__saved_choose(cli, model, &info, cli->set.voice, &voice);
    }
    if (code == KZ__EXIT_DONE) {
        kz_request request;
        kz_request_init(&request);
        request.text = text;
        request.text_length = length;
        request.voice = voice.speaker;
        request.cloned = cli->cloned ? cli->cloned : voice.cloned;
        request.language = cli->set.language;
        request.instruct = cli->set.instruct;
        request.flags = kz__cli_flags(cli);
        kz__interrupt_install();
        code = fetch(cli, model, &info, &request, &r);
    }
    bool to_stdout = cli->set.npy && !strcmp(cli->set.npy, "-");
    if (code == KZ__EXIT_DONE && !to_stdout) {
        code = cli->set.json ? show_json(cli, &r) : show_lines(cli, model, &r);
    }
    kz_voice_free(voice.cloned);
    kz__free(&cli->mem, r.list);
    kz__free(&cli->mem, r.embeddings);
    kz__free(&cli->mem, text);
    kz_model_free(model);
    return code;
}
