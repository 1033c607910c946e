#!/bin/sh
# What the completions for bash, zsh or fish offer, asked from the shell itself.
# test_completions.sh ROOT BUILD SHELL
root=$1
build=$2
shell=$3
if ! command -v "$shell" >/dev/null 2>&1; then
    echo "skipped: $shell is not installed, so its completions were not tried"
    exit 77
fi
if [ ! -f "$build/pages/kazeia.bash" ]; then
    echo "skipped: no completions were built"
    exit 77
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/here" "$work/here/afolder" "$work/home"
ln -s "$build/kazeia" "$work/bin/kazeia"
ln -s "$("$build/tests/voice_check" checkpoint small)" "$work/here/amodel" || exit 1
touch "$work/here/afile.txt" "$work/here/a blank.txt"
cd "$work/here" || exit 2
for name in $(env | sed -n 's/^\(KAZEIA_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
export PATH="$work/bin:$PATH" HOME="$work/home" XDG_CACHE_HOME="$work/home" TERM=dumb LC_ALL=C.UTF-8
export XDG_DATA_HOME="$work/data"
mkdir -p "$XDG_DATA_HOME/kazeia/voices"
touch "$XDG_DATA_HOME/kazeia/voices/my voice.kzv" # damaged, and listed all the same
failures=0

# ask_SHELL LINE: what the shell offers at the end of the line, one a line, with descriptions behind
# a tab at most.
ask_bash() {
    bash --norc --noprofile -c '
        source "$1"
        COMP_WORDBREAKS=$'"'"' \t\n"\x27><=;|&(:'"'"'
        # The words as readline parts them.
        read -ra typed <<<"${2//=/ = }"
        COMP_WORDS=("${typed[@]}")
        [[ $2 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _kazeia kazeia
        [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"
    ' bash "$build/pages/kazeia.bash" "$1"
}

ask_fish() {
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$build/pages/kazeia.fish" "$1"
}

# A shell of its own on a terminal of its own, whose compadd tells what it is given.
ask_zsh() {
    rm -f "$work/offered"
    zsh -f -c '
        zmodload zsh/zpty
        zpty asked zsh -f -i
        zpty -w asked "source $1/rc; : ready"
        zpty -r asked seen "*READY*"
        zpty -n -w asked "$2"$'"'"'\t'"'"'
        zpty -r asked seen "*ENDED*"
        zpty -d asked
    ' zsh "$work" "$1" >/dev/null 2>&1
    cat "$work/offered" 2>/dev/null
}
cat >"$work/rc" <<END
PS1= PS2= RPS1=
fpath=($work \$fpath)
autoload -U compinit
compinit -u -d $work/dump
compadd() {
    if [[ " \$* " == *' '-[a-zA-Z]#[OAD]' '* ]]; then
        builtin compadd "\$@"
        return
    fi
    local -a offered
    builtin compadd -O offered "\$@"
    (( ! \$#offered )) || print -rl -- "\$offered[@]" >>$work/offered
    builtin compadd "\$@"
}
tell-end() { zle complete-word; print -r -- ENDED }
zle -N tell-end
bindkey '^I' tell-end
setopt no_auto_list no_auto_menu extended_glob
zstyle ':completion:*' completer _complete
print READY
END
cp "$build/pages/_kazeia" "$work/_kazeia"

# offered LINE: sorted, each once, without descriptions, without "--opt=" before a value and without
# the marks that part an option from its value or a folder from what it holds.
offered() {
    "ask_$shell" "$1" 2>"$work/err" | cut -f1 |
        sed -e 's/^--[a-z-]*=\(.\)/\1/' -e 's,^\./,,' -e 's/[=+/]$//' -e 's/\\ / /g' | LC_ALL=C sort -u
    [ ! -s "$work/err" ] || sed "s/^/$shell says: /" "$work/err"
}

# offers LINE WORD...: these and nothing else. "nothing" stands for none.
offers() {
    line=$1
    shift
    got=$(offered "$line")
    [ "$*" != nothing ] || set --
    wanted=$([ $# -eq 0 ] || printf '%s\n' "$@" | LC_ALL=C sort -u)
    [ "$got" = "$wanted" ] && return
    echo "FAILED: $shell: '$line' offers '$(echo $got)', not '$(echo $wanted)'"
    failures=$((failures + 1))
}

verbs=$(kazeia -h | sed -n 's/^  \([a-z]*\)  .*/\1/p')
levels=$(kazeia info | sed -n 's/^kernels *//p')
case $verbs in
*say*batch*) ;;
*)
    echo "FAILED: 'kazeia -h' lists no verbs: $verbs"
    exit 1
    ;;
esac

# speakers_of MODEL, languages_of MODEL: as its record lists them, a line each.
speakers_of() {
    kazeia voices -m "$1" --json | sed 's/,"languages":.*//' | tr '{' '\n' |
        sed -n 's/^"name":"\([^"]*\)".*/\1/p'
}
languages_of() {
    kazeia voices -m "$1" --json | sed 's/.*,"languages":\[\([^]]*\)\].*/\1/' | tr ',' '\n' | tr -d '"'
}
box=$root/voice/voice.kz
speakers=$(speakers_of "$box")
languages=$(languages_of "$box")
if [ -z "$speakers" ] || [ -z "$languages" ] || [ -z "$(speakers_of amodel)" ]; then
    echo "FAILED: a model has no speakers or no languages"
    exit 1
fi
first=$(printf '%s\n' "$speakers" | head -n 1)
language=$(printf '%s\n' "$languages" | head -n 1)
# starts WORD LINES: those that begin so.
starts() {
    printf '%s\n' "$2" | grep "^$1"
}

# The program's own help says which options a verb has.
options_of() {
    kazeia "$1" -h | sed -n 's/^  \(-[a-z], \|    \)\(--[a-z-]*\).*/\2/p'
}

offers 'kazeia s' say selftest
# shellcheck disable=SC2086
offers 'kazeia help ' $verbs
offers 'kazeia help say ' nothing
for verb in $verbs; do
    # shellcheck disable=SC2046
    offers "kazeia $verb --" $(options_of "$verb")
done
offers 'kazeia info --se' nothing
offers 'kazeia say --se' --seed
offers 'kazeia say --type ' f32 bf16 q8 q4
offers 'kazeia say --type q' q8 q4
offers 'kazeia say --type=q' q8 q4
offers 'kazeia say --type=' f32 bf16 q8 q4
offers 'kazeia say --seed ' nothing
offers 'kazeia say Hel' nothing
# shellcheck disable=SC2086
offers 'kazeia say -v ' $speakers 'my voice'
# shellcheck disable=SC2046
offers 'kazeia say -v m' $(starts m "$speakers") 'my voice'
offers 'kazeia say -v ./afi' afile.txt
# shellcheck disable=SC2046
{
    offers "kazeia say --voice=${first%?}" $(starts "${first%?}" "$speakers")
    offers 'kazeia prompt -m amodel -v ' $(speakers_of amodel) 'my voice'
    offers 'kazeia say --model=amodel -l ' auto $(languages_of amodel)
    offers "kazeia say -l ${language%?}" $(starts "${language%?}" "$languages")
}
offers 'kazeia say -m afile.txt -v ' nothing
# shellcheck disable=SC2086
offers 'kazeia say --cpu ' $levels
offers 'kazeia say -f a' 'a blank.txt' afile.txt afolder amodel
offers 'kazeia say --file=afi' afile.txt
offers 'kazeia say --codes afi' afile.txt
offers 'kazeia batch -o afi' nothing
offers 'kazeia batch -o a' afolder amodel
offers 'kazeia convert -o afi' afile.txt
offers 'kazeia decode afi' afile.txt
offers 'kazeia -q' nothing
offers 'kazeia validate amodel afi' afile.txt
offers 'kazeia validate --type q4 amodel afi' afile.txt
offers 'kazeia validate amodel afile.txt a' nothing
offers 'kazeia voices ' list show remove export import
offers 'kazeia voices show m' 'my voice'
offers 'kazeia voices import af' afile.txt afolder
[ $failures -eq 0 ] || exit 1
