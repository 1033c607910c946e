#!/bin/sh
# The man page has what the help has, and is roff that the formatters have nothing to say about; all
# pages are the same bytes whenever they are made. test_man.sh ROOT BUILD
root=$1
build=$2
page=$build/pages/kazeia.1
if [ ! -f "$page" ]; then
    echo "skipped: no man page was built"
    exit 77
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 MANWIDTH=200
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Made once more, from another folder.
cd "$work" || exit 2
for name in kazeia.1 kazeia.bash _kazeia kazeia.fish; do
    "$build/kazeia_pages" "$root/apps/pages/$name.in" "$work/$name" || exit 1
    cmp "$build/pages/$name" "$work/$name" || fail "$name has other bytes when it is made again"
    grep -n -e "$root" -e "$build" -e '^@.*@$' "$work/$name" && fail "$name has that"
    LC_ALL=C grep -n '[^ -~]' "$work/$name" | grep -v '	' && fail "$name has other characters"
done
printf 'one\n@nothing@\n' >"$work/template"
"$build/kazeia_pages" "$work/template" "$work/none" 2>"$work/err" && fail "an unknown part passes"
grep -q '@nothing@' "$work/err" || fail "an unknown part is not named"
[ ! -e "$work/none" ] || fail "a page was made of a template that asks for an unknown part"

# Version and date are those of the packages.
if [ -f "$root/debian/changelog" ]; then
    version=$("$build/kazeia" --version | sed -n 's/^kazeia //p')
    date=$(sed -n 's/^ -- .*  [A-Z][a-z][a-z], \(.*20[0-9][0-9]\) .*/\1/p' "$root/debian/changelog" |
        head -n 1)
    date=$(date -u -d "$date" +%Y-%m-%d)
    head -n 1 "$page" | grep -q "^\.TH KAZEIA 1 $date \"Kazeia $version\"" ||
        fail "$(head -n 1 "$page"): not $date and $version, as debian/changelog has"
    head -n 1 "$root/debian/changelog" | grep -q "($version)" ||
        fail "debian/changelog is not of $version"
fi

# The formatters: man's own, and mandoc, which reads more strictly.
if command -v man >/dev/null 2>&1 && command -v groff >/dev/null 2>&1; then
    man --warnings=w -l "$page" >"$work/text" 2>"$work/said" </dev/null || fail "man cannot show it"
    [ ! -s "$work/said" ] || fail "man says: $(cat "$work/said")"
    tried='man'
fi
if command -v mandoc >/dev/null 2>&1; then
    mandoc -T lint -W warning "$page" >"$work/said" 2>&1
    [ ! -s "$work/said" ] || fail "mandoc says: $(cat "$work/said")"
    mandoc -T utf8 -O width=200 "$page" | sed 's/.\x08//g' >"$work/mandoc"
    [ -n "$tried" ] || cp "$work/mandoc" "$work/text"
    tried="$tried mandoc"
fi
if [ -z "$tried" ]; then
    [ $failures -eq 0 ] || exit 1
    echo "skipped: neither man with groff nor mandoc is installed"
    exit 77
fi

# As a reader sees it: sections, verbs, each verb's options, variables, exit codes, examples.
has() {
    grep -qF -e "$1" "$work/text" || fail "the man page has no '$1'"
}
for section in NAME SYNOPSIS DESCRIPTION VERBS OPTIONS ENVIRONMENT FILES 'EXIT STATUS' EXAMPLES \
    'SEE ALSO'; do
    grep -qx "$section" "$work/text" || fail "the man page has no section $section"
done
verbs=$("$build/kazeia" -h | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$verbs" ] || fail "'kazeia -h' lists no verbs"
for verb in $verbs; do
    "$build/kazeia" help "$verb" >"$work/help"
    has "kazeia $verb [OPTIONS]"
    # The paragraph of the verb that lists its options.
    awk -v verb="$verb" '$1 == "kazeia" { on = $2 == verb } on && /Options: / { listed = 1 }
        listed { print } on && listed && /\.$/ { exit }' "$work/text" | tr ' ,' '\n\n' |
        sed -n 's/\.$//; /^--/p' | sort >"$work/listed"
    sed -n 's/^  \(-[a-z], \|    \)\(--[a-z-]*\).*/\2/p' "$work/help" | sort >"$work/wanted"
    diff "$work/listed" "$work/wanted" >"$work/diff" ||
        fail "options of $verb: $(grep '^[<>]' "$work/diff")"
    for name in $(sed -n 's/^  \(KAZEIA_[A-Z_]*\).*/\1/p' "$work/help"); do
        has "$name"
    done
    sed -n '/^Examples*:/,/^$/s/^  \(kazeia.*\)/\1/p' "$work/help" | sed 's/   .*//' >"$work/examples"
    [ -s "$work/examples" ] || fail "'kazeia help $verb' has no examples"
    while IFS= read -r line; do
        has "$line"
    done <"$work/examples"
done
"$build/kazeia" --help | sed -n '/^Exit codes/,$s/^ *\([0-9][0-9]*\)  .*/\1/p' >"$work/codes"
[ "$(wc -l <"$work/codes")" -gt 5 ] || fail "'kazeia --help' has no exit codes"
while IFS= read -r code; do
    grep -qE "^ +$code  " "$work/text" || fail "the man page has no exit code $code"
done <"$work/codes"
[ $failures -eq 0 ] || exit 1
