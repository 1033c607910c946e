#!/bin/sh
# The checks of scripts/ pass on a small good tree and fail on each violation planted in it.
# test_checks.sh ROOT
scripts=$1/scripts
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failures=0

# The tree that the violations are planted in: a file for each folder that the checks know.
fresh() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree" && cd "$work/tree" || exit 2
    mkdir -p include apps/common apps/cli apps/pages tests/unit examples
    for folder in base tensor audio weights kernels/avx2 nn model engine api; do
        mkdir -p "src/$folder"
    done
    echo 'int kz_one(void);' >include/kazeia.h
    printf '#include "kazeia.h"\n' >src/base/mem.h
    printf '#include "base/mem.h"\n' >src/tensor/tensor.h
    printf '#include "base/mem.h"\n' >src/audio/pcm.h
    printf '#include "tensor/tensor.h"\n' >src/weights/weights.h
    printf '#include "tensor/tensor.h"\n' >src/kernels/kernels.h
    printf '#include "../kernels.h"\n' >src/kernels/avx2/norm.c
    printf '#include "kernels/kernels.h"\n' >src/nn/linear.h
    printf '#include "base/mem.h"\n' >src/model/config.h
    printf '#include "model/config.h"\n#include "nn/linear.h"\n' >src/model/talker.h
    printf '#include "model/config.h"\n' >src/model/prompt.h
    printf '#include "model/config.h"\n#include "weights/weights.h"\n' >src/model/voice.h
    printf '#include "model/talker.h"\n#include "model/voice.h"\n' >src/engine/model.h
    printf '#include "engine/model.h"\n' >src/api/model.c
    printf '#include "kernels/kernels.h"\n' >src/api/selftest.c
    printf '#include <kazeia.h>\n#include "base/mem.h"\n' >apps/cli/args.h
    printf '#include "args.h"\n#include "cli/args.h"\n#include "audio/pcm.h"\n' >apps/cli/main.c
    printf '#include "base/mem.h"\n' >apps/common/npy.h
    printf '#include "cli/args.h"\n#include "common/npy.h"\n' >apps/pages/pages.h
    printf '#include "model/talker.h"\n' >tests/unit/test_one.c
    printf '#include <kazeia.h>\n' >include/kazeia-audio.h
    printf '#include <kazeia.h>\n#include <kazeia-audio.h>\n' >examples/one.c
}

passes() {
    if "$scripts/$1" "$work/tree" >"$work/out" 2>&1; then
        return 0
    fi
    echo "FAILED: $1 complains about the good tree:"
    cat "$work/out"
    failures=$((failures + 1))
}

# refuses SCRIPT WORDS FILE LINE: with LINE added to FILE the script fails and says WORDS.
refuses() {
    fresh
    mkdir -p "$(dirname "$3")"
    printf '%s\n' "$4" >>"$3"
    if "$scripts/$1" "$work/tree" >"$work/out" 2>&1; then
        echo "FAILED: $1 accepts '$(printf '%.60s' "$4")' in $3"
        failures=$((failures + 1))
    elif ! grep -q -- "$2" "$work/out"; then
        echo "FAILED: $1 does not say '$2' about $3:"
        cat "$work/out"
        failures=$((failures + 1))
    fi
}

fresh
passes check_layers
passes check_form

refuses check_layers 'not to its left' src/base/mem.h '#include "tensor/tensor.h"'
refuses check_layers 'not to its left' src/audio/pcm.h '#include "tensor/tensor.h"'
refuses check_layers 'not to its left' src/weights/weights.h '#include "kernels/kernels.h"'
refuses check_layers 'not to its left' src/model/talker.h '#include "engine/model.h"'
refuses check_layers 'not to its left' src/nn/linear.h '  #  include "../model/config.h"'
refuses check_layers 'only nn calls kernels' src/engine/model.h '#include "kernels/kernels.h"'
refuses check_layers 'only nn calls kernels' src/api/model.c '#include "kernels/kernels.h"'
refuses check_layers 'includes part' src/model/talker.h '#include "model/voice.h"'
refuses check_layers 'word of the model' src/kernels/avx2/norm.c '/* for the Talker */'
refuses check_layers 'apps include' apps/cli/main.c '#include "engine/model.h"'
refuses check_layers 'apps include' apps/cli/main.c '#include "tensor/tensor.h"'
refuses check_layers 'not to its left' apps/common/npy.h '#include "cli/args.h"'
refuses check_layers 'not to its left' apps/cli/args.h '#include "pages/pages.h"'
refuses check_layers 'not on the arrow' apps/fresh/new.h '#include "cli/args.h"'
refuses check_layers 'src includes apps' src/base/mem.h '#include "cli/args.h"'
refuses check_layers 'source file' tests/unit/test_one.c '#include "api/model.c"'
refuses check_layers 'which is nowhere' src/nn/linear.h '#include "nn/absent.h"'
refuses check_layers 'examples include' examples/one.c '#include "base/mem.h"'
refuses check_layers 'public header includes' include/kazeia-audio.h '#include "base/mem.h"'
refuses check_layers 'not on the arrow' src/fresh/new.h '#include "base/mem.h"'

long=$(printf '%101s' '' | tr ' ' x)
refuses check_form '101 columns' src/base/mem.h "/* $(printf '%.95s' "$long") */"
refuses check_form 'a tab' src/base/mem.h "$(printf '\tint x;')"
refuses check_form 'blank at the end' src/base/mem.h 'int x; '
refuses check_form 'extern in a source' src/api/model.c 'extern int x;'
refuses check_form 'the file has' src/base/mem.h "$(awk 'BEGIN { for (; i < 801; i++) print "x;" }')"
body=$(awk 'BEGIN { for (; i < 119; i++) print "    x();" }')
refuses check_form 'a function of 121' src/api/model.c "$(printf 'int f(void) {\n%s\n}' "$body")"
refuses check_form 'a function of 122' src/api/model.c "$(printf 'int f(int a,\n  int b) {\n%s\n}' "$body")"
refuses check_form 'path of one machine' src/base/mem.h "/* /ro""ot/x */"
refuses check_form 'path of one machine' README.md "see /wo""rk/x"
refuses check_form 'left to do' src/base/mem.h "/* TO""DO */"

# A marked table may be long.
fresh
{
    echo '/* form: table */'
    awk 'BEGIN { for (; i < 900; i++) print "1," }'
} >src/base/table.c
passes check_form

# ---- what was built: small objects in the layout of a build folder ----
cc=${CC:-cc}
core=$work/tree/build/CMakeFiles/core.dir/src
# built: a good build of one object of the core.
built() {
    fresh
    rm -rf src/api
    mkdir -p "$core/base"
    compile 'int kz_one(void); int kz_one(void) { return 1; }'
}
# compile CODE [FLAGS...]: makes the object of src/base/one.c and the shared library.
compile() {
    code=$1
    shift
    printf '%s\n' "$code" >src/base/one.c
    $cc -O1 -w -fPIC -ffreestanding "$@" -c src/base/one.c -o "$core/base/one.c.o" &&
        $cc -nostdlib -shared -Wl,--unresolved-symbols=ignore-all -o build/libkazeia.so \
            "$core/base/one.c.o" || exit 2
}
refuses_built() {
    if "$scripts/$1" "$work/tree/build" "$work/tree" >"$work/out" 2>&1; then
        echo "FAILED: $1 accepts what '$2' should have shown"
        failures=$((failures + 1))
    elif ! grep -q -- "$2" "$work/out"; then
        echo "FAILED: $1 does not say '$2':"
        cat "$work/out"
        failures=$((failures + 1))
    fi
}
passes_built() {
    "$scripts/$1" "$work/tree/build" "$work/tree" >"$work/out" 2>&1
    case $? in
    0) ;;
    77) [ "$1" = check_baseline ] && other_processor=1 ;;
    *)
        echo "FAILED: $1 complains about a good build:"
        cat "$work/out"
        failures=$((failures + 1))
        ;;
    esac
}

built
passes_built check_symbols
compile 'int foo(void) { return 1; }'
refuses_built check_symbols 'exports foo'
compile 'int kz__foo(void) { return 1; }'
refuses_built check_symbols 'exports the internal name kz__foo'
for call in sinf exp powf tanh erff fmaf log10; do
    compile "double $call(double); double kz_f(double x) { return $call(x) + 1; }" -fno-builtin
    refuses_built check_symbols "mathematics of the C library ($call)"
done
for data in 'int kz_n = 3;' 'static int n; void kz_f(void) { n++; }' '_Thread_local int kz_n;'; do
    compile "$data"
    refuses_built check_symbols 'a global that can be written to'
done
for call in printf puts exit abort getenv rand malloc; do
    compile "int $call(void); int kz_f(void) { return $call() + 1; }" -fno-builtin
    refuses_built check_symbols "($call)"
done
built
mkdir debian
echo ' kz_old@Base 0.1.0' >debian/libkazeia0.symbols
refuses_built check_symbols 'symbols lacks kz_one'
refuses_built check_symbols 'symbols has kz_old'
echo ' kz_one@Base 0.1.0' >debian/libkazeia0.symbols
passes_built check_symbols
touch debian/control
rm debian/libkazeia0.symbols
refuses_built check_symbols 'no list of the symbols of libkazeia.so'
built
mkdir -p src/api
echo 'KZ_API int kz_one(void);' >>include/kazeia.h
passes_built check_symbols
echo 'KZ_API int kz_two(void);' >>include/kazeia.h
refuses_built check_symbols 'declares kz_two'
echo 'KZ_API int kz_two(void);' >include/kazeia.h
refuses_built check_symbols 'exports kz_one, which kazeia.h does not declare'
built
mkdir -p "$work/tree/build/CMakeFiles/kernels_avx2.dir/src/kernels/avx2"
echo 'int floor(int); int kz__k(int x) { return floor(x) + 1; }' >src/kernels/avx2/norm.c
$cc -w -O1 -fno-builtin -c src/kernels/avx2/norm.c \
    -o build/CMakeFiles/kernels_avx2.dir/src/kernels/avx2/norm.c.o || exit 2
refuses_built check_symbols 'a kernel uses floor'
# audio CODE: the library of recordings beside it.
audio() {
    built
    mkdir -p "$work/tree/build/CMakeFiles/audio.dir/apps/common" apps/common
    echo "$1" >apps/common/audio_one.c
    object=build/CMakeFiles/audio.dir/apps/common/audio_one.c.o
    $cc -w -O1 -fPIC -ffreestanding -c apps/common/audio_one.c -o $object &&
        $cc -nostdlib -shared -Wl,--unresolved-symbols=ignore-all -o build/libkazeia-audio.so \
            $object || exit 2
}
audio 'double sin(double); double kz_audio_one(double x) { return sin(x) + 1; }'
passes_built check_symbols
mkdir -p src/api debian
echo 'KZ_API int kz_one(void);' >include/kazeia.h
echo 'KZ_API double kz_audio_one(double x);' >include/kazeia-audio.h
echo ' kz_one@Base 0.1.0' >debian/libkazeia0.symbols
echo ' kz_audio_one@Base 0.1.0' >debian/libkazeia-audio0.symbols
passes_built check_symbols
echo ' kz_audio_old@Base 0.1.0' >debian/libkazeia-audio0.symbols
refuses_built check_symbols 'audio0.symbols lacks kz_audio_one'
refuses_built check_symbols 'audio0.symbols has kz_audio_old'
echo 'KZ_API double kz_audio_two(double x);' >include/kazeia-audio.h
refuses_built check_symbols 'kazeia-audio.h declares kz_audio_two'
refuses_built check_symbols 'exports kz_audio_one, which kazeia-audio.h does not declare'
audio 'int kz_two(void) { return 1; }'
refuses_built check_symbols 'libkazeia-audio.so exports kz_two'
audio 'int printf(void); int kz_audio_one(void) { return printf() + 1; }'
refuses_built check_symbols 'the library prints (printf)'
built
echo 'int sf_close(void) { return 1; }' >sound.c
$cc -nostdlib -shared -fPIC -Wl,-soname,libsndfile.so.1 -o build/libsndfile.so sound.c &&
    $cc -nostdlib -shared -Wl,--no-as-needed -o build/libkazeia.so "$core/base/one.c.o" \
        -Lbuild -lsndfile || exit 2
refuses_built check_symbols 'libkazeia.so needs libsndfile.so.1'

built
passes_built check_baseline
if [ -z "$other_processor" ]; then
    compile 'void kz_f(void) { __asm__("andnps %xmm1,%xmm0\n pextrw $1,%xmm0,%eax\n pxor %mm0,%mm0"); }'
    passes_built check_baseline
    loop='void kz_f(float *x) { for (int i = 0; i < 64; i++) x[i] = x[i] * 2 + 1; }'
    for flags in -mavx -mavx2 -mavx512f; do
        compile "$loop" $flags -O3
        refuses_built check_baseline 'kz_f'
    done
    compile 'float kz_f(float x, float y) { return x * y; }' -mavx
    refuses_built check_baseline 'kz_f'
    compile 'int kz_f(unsigned x) { return __builtin_popcount(x); }' -mpopcnt
    refuses_built check_baseline 'popcnt'
fi

# ---- the table of promises ----
# promised: a good tree with an option, a verb, an old variable, an exit code, a finish, a setting.
tab=$(printf '\t')
promised() {
    fresh
    mkdir -p build tests/cli
    echo 'add_test(cli.one true)' >build/CTestTestfile.cmake
    echo 'grep -q shown' >tests/cli/test_one.sh
    echo '    {.name = "lines", .old = "KZTTS_LINES", .kind = KZ__FLAG},' >apps/cli/options.c
    printf '    {"say", KZ__SAY, run},\n    LATER("clone", "x"),\n' >apps/cli/verbs.c
    printf 'enum {\n    KZ__EXIT_DONE = 0,\n    KZ__EXIT_STOP = 9\n};\n' >apps/cli/cli.h
    printf '/* Any thread. */\nKZ_API int kz_one(void);\n    KZ_FINISH_STOP = 1,\n' >include/kazeia.h
    for struct in model_options request sampling session_options batch_options convert_options \
        split_options encode_options voice_options; do
        printf 'typedef struct kz_%s {\n    size_t size;\n    int a, *b; /* x; y */\n} kz_%s;\n' \
            $struct $struct >>include/kazeia.h
        for member in a b; do
            printf 'setting kz_%s.%s\t--lines\tcli.one\tshown\n' $struct $member
        done
    done >tests/interface.tsv
    for key in 'option lines' 'verb say' 'variable KZTTS_LINES' 'exit 0' 'exit 9' 'finish stop'; do
        printf '%s\tdoes it\tcli.one\tshown\n' "$key"
    done >>tests/interface.tsv
    printf 'verb clone\tdoes it\t-\tnot in this version\n' >>tests/interface.tsv
}
unpromised() {
    if "$scripts/check_interface" "$work/tree/build" "$work/tree" >"$work/out" 2>&1; then
        echo "FAILED: check_interface accepts what '$1' should have shown"
        failures=$((failures + 1))
    elif ! grep -q -- "$1" "$work/out"; then
        echo "FAILED: check_interface does not say '$1':"
        cat "$work/out"
        failures=$((failures + 1))
    fi
}
promised
if ! "$scripts/check_interface" build . >"$work/out" 2>&1; then
    echo "FAILED: check_interface complains about the good tree:"
    cat "$work/out"
    failures=$((failures + 1))
fi
for key in 'option lines' 'verb say' 'verb clone' 'variable KZTTS_LINES' 'exit 9' 'finish stop' \
    'setting kz_request.b' 'setting kz_split_options.a'; do
    promised
    grep -v "^$key$tab" tests/interface.tsv >"$work/less"
    cp "$work/less" tests/interface.tsv
    unpromised "$key has no row"
done
# row TEXT WORDS: a row that is added to the good table, and what is wrong with it.
row() {
    promised
    printf "$1\n" >>tests/interface.tsv
    unpromised "$2"
}
row 'text\tx\tcli.two\tshown' 'there is no test cli.two'
row 'text\tx\tcli.one\thidden' 'test_one.sh does not hold "hidden"'
row 'text\tx\tcli.one' '3 columns, not 4'
row 'text\tx\t-\tlater' 'neither a test nor a reason'
row 'exit 0\tdoes it\tcli.one\tshown' 'is there twice'
row 'setting kz_request.c\t--absent\tcli.one\tshown' 'a setting names --absent'
promised
printf '}\nKZ_API int kz_two(void);\n' >>include/kazeia.h
unpromised 'says nothing of threads'

[ $failures -eq 0 ] || exit 1
echo "every planted violation was found"
