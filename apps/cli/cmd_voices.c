/* kazeia voices: the speakers that a model names; for programs, the languages too. */
#include "cli/cli.h"

#include <string.h>

static int show_json(kz__cli *cli, const kz_model *model, const kz_model_info *info) {
    json_t *list = json_array();
    json_t *languages = json_array();
    for (size_t i = 0; i < info->language_count; i++) {
        json_array_append_new(languages, json_string(kz_model_language(model, i)));
    }
    for (size_t i = 0; i < info->speaker_count; i++) {
        const char *dialect = NULL;
        const char *name = kz_model_speaker(model, i, &dialect);
        json_array_append_new(list, json_pack("{s:s, s:s?}", "name", name ? name : "", "dialect",
                                              dialect));
    }
    json_t *root = json_pack("{s:o, s:o}", "voices", list, "languages", languages);
    return kz__cli_json(cli, root, false);
}

static int show_lines(kz__cli *cli, const kz_model *model, size_t count) {
    kz__page page;
    if (count == 0) {
        kz__cli_note(cli, "this model names no speakers");
        return KZ__EXIT_DONE;
    }
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    for (size_t i = 0; i < count; i++) {
        const char *dialect = NULL;
        const char *name = kz_model_speaker(model, i, &dialect);
        fprintf(page.file, "%s%s%s\n", name, dialect ? "\t" : "", dialect ? dialect : "");
    }
    return kz__page_close(cli, &page, false);
}

int kz__cmd_voices(kz__cli *cli) {
    static const char *const later[] = {"show", "remove", "export", "import"};
    const char *what = cli->args.word_count > 0 ? cli->args.words[0] : "list";
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (!strcmp(what, later[i])) {
            return kz__cli_fail(cli, KZ__EXIT_USAGE, "'voices %s' is not available in this "
                                "version; 'voices list' is", what);
        }
    }
    if (strcmp(what, "list") != 0 || cli->args.word_count > 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "'voices' takes list, not '%s'",
                            cli->args.words[cli->args.word_count - 1]);
    }
    kz_model *model = NULL;
    kz_model_info info;
    int code = kz__cli_open_model(cli, NULL, false, &model, &info);
    if (code != KZ__EXIT_DONE) return code;
    code = cli->set.json ? show_json(cli, model, &info)
                         : show_lines(cli, model, info.speaker_count);
    kz_model_free(model);
    return code;
}
