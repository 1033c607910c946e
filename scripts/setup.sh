# Shared by ./demo and ./test (sourced, POSIX sh): finds what is missing, installs it where it can,
# builds into build/. Sets nothing outside the functions but $root, $log and the lists below.
#
# A need is something to look for; each system has its own package for it. `want` needs are
# installed where that is possible, and their absence does not stop anything.

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
log=$root/build/setup.log

# need               Debian, Ubuntu   Fedora              Arch          Alpine          Homebrew
packages='
cc                   gcc,libc6-dev    gcc                 gcc           build-base      -
cmake                cmake            cmake               cmake         cmake           cmake
make                 make             make                make          make            -
pkg-config           pkg-config       pkgconf-pkg-config  pkgconf       pkgconf         pkgconf
lib:jansson          libjansson-dev   jansson-devel       jansson       jansson-dev     jansson
lib:libutf8proc      libutf8proc-dev  utf8proc-devel      libutf8proc   utf8proc-dev    utf8proc
lib:libpcre2-8       libpcre2-dev     pcre2-devel         pcre2         pcre2-dev       pcre2
lib:libcrypto        libssl-dev       openssl-devel       openssl       openssl-dev     openssl@3
lib:portaudio-2.0    portaudio19-dev  portaudio-devel     portaudio     portaudio-dev   portaudio
lib:sndfile          libsndfile1-dev  libsndfile-devel    libsndfile    libsndfile-dev  libsndfile
lib:soxr             libsoxr-dev      soxr-devel          libsoxr       soxr-dev        libsoxr
lib:cmocka           libcmocka-dev    libcmocka-devel     cmocka        cmocka-dev      cmocka
flac                 flac             flac                flac          flac            flac
oggdec               vorbis-tools     vorbis-tools        vorbis-tools  vorbis-tools    vorbis-tools
opusdec              opus-tools       opus-tools          opus-tools    opus-tools      opus-tools
lame                 lame             lame                lame          lame            lame
c++                  g++              gcc-c++             gcc           g++             -
'

say() {
    printf '%s\n' "$*"
}

# Ends with the log's last lines: the step that was running failed.
give_up() {
    say "$1 failed; the end of $log:" >&2
    tail -n 40 "$log" >&2
    exit 1
}

has() {
    case $1 in
    cc)
        kz_cc=${CC:-cc}
        printf '#include <stdio.h>\n' | $kz_cc -E - >/dev/null 2>&1
        ;;
    c++) printf '#include <cstdio>\n' | ${CXX:-c++} -x c++ -E - >/dev/null 2>&1 ;;
    make) command -v make >/dev/null 2>&1 || command -v ninja >/dev/null 2>&1 ;;
    lib:*) pkg-config --exists "${1#lib:}" >/dev/null 2>&1 ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

missing_of() {
    for kz_need in "$@"; do
        has "$kz_need" || printf '%s ' "$kz_need"
    done
}

# packages_for COLUMN NEED...: the packages of one system, on one line.
packages_for() {
    kz_column=$1
    shift
    printf '%s\n' "$packages" | awk -v column="$kz_column" -v needs=" $* " '
        NF && index(needs, " " $1 " ") && $column != "-" {
            gsub(",", " ", $column)
            line = line (line == "" ? "" : " ") $column
        }
        END { print line }'
}

name_the_missing() {
    say "$1"
    shift
    say "  Debian, Ubuntu  apt-get install $(packages_for 2 "$@")"
    say "  Fedora          dnf install $(packages_for 3 "$@")"
    say "  Arch            pacman -S $(packages_for 4 "$@")"
    say "  Alpine          apk add $(packages_for 5 "$@")"
    kz_brew=$(packages_for 6 "$@")
    case " $* " in
    *' cc '* | *' c++ '* | *' make '*) say "  macOS           xcode-select --install" ;;
    esac
    [ -z "$kz_brew" ] || say "  macOS           brew install $kz_brew"
}

# Prints how to become root ("" or "sudo"); fails where there is no way.
root_command() {
    if [ "$(id -u)" -eq 0 ]; then
        return 0
    fi
    command -v sudo >/dev/null 2>&1 || return 1
    if sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; then
        printf 'sudo'
        return 0
    fi
    return 1
}

apt_install() {
    kz_sudo=$1
    shift
    kz_options='-y --no-install-recommends -o DPkg::Lock::Timeout=300'
    if $kz_sudo env DEBIAN_FRONTEND=noninteractive apt-get $kz_options install "$@"; then
        return 0
    fi
    $kz_sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 update &&
        $kz_sudo env DEBIAN_FRONTEND=noninteractive apt-get $kz_options install "$@"
}

# install_missing "NEED..." "WANT...": both lists are space-separated.
install_missing() {
    mkdir -p "$root/build" || exit 1
    : >"$log" || exit 1
    kz_needs=$(missing_of $1)
    kz_wants=$(missing_of $2)
    [ -n "$kz_needs$kz_wants" ] || return 0
    if command -v apt-get >/dev/null 2>&1 && kz_become=$(root_command); then
        kz_list=$(packages_for 2 $kz_needs $kz_wants)
        say "installing $kz_list"
        apt_install "$kz_become" $kz_list >>"$log" 2>&1 </dev/null || give_up "apt-get"
        kz_needs=$(missing_of $1)
        [ -z "$kz_needs" ] || give_up "looking for $kz_needs after the installation"
        return 0
    fi
    if [ -n "$kz_needs" ]; then
        name_the_missing "To build Kazeia, install these packages first:" $kz_needs $kz_wants >&2
        exit 1
    fi
    say "going on without $kz_wants"
    case $kz_wants in
    *portaudio*) say "sound goes to files only" ;;
    esac
    case $kz_wants in
    *sndfile*) say "sound files are WAV or raw only" ;;
    esac
    case $kz_wants in
    *sndfile* | *soxr*) say "recordings are not read" ;;
    esac
    case $kz_wants in
    *c++*) say "THE EXAMPLES ARE NOT TESTED AS C++: there is no C++ compiler" ;;
    esac
}

processors() {
    nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1
}

# A build folder that was copied or moved along with its checkout is configured anew.
forget_moved_build() {
    kz_cache=$root/build/CMakeCache.txt
    [ -f "$kz_cache" ] || return 0
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$kz_cache" && return 0
    rm -rf "$kz_cache" "$root/build/CMakeFiles"
}

# build [TARGET]: configures and builds; one line on the screen where there is work to do. A fresh
# build folder takes warnings as what they are, since a compiler newer than ours may have more of
# them, unless $KAZEIA_WERROR is ON (as .ci/run sets it).
build() {
    forget_moved_build
    kz_generator=
    kz_werror=${KAZEIA_WERROR:+-DKAZEIA_WERROR=$KAZEIA_WERROR}
    if [ ! -f "$root/build/CMakeCache.txt" ]; then
        kz_werror=-DKAZEIA_WERROR=${KAZEIA_WERROR:-OFF}
    fi
    if [ ! -f "$root/build/CMakeCache.txt" ] && ! command -v make >/dev/null 2>&1; then
        kz_generator='-G Ninja'
    fi
    say "building into build/"
    cmake -S "$root" -B "$root/build" $kz_generator -DCMAKE_BUILD_TYPE=Release \
        -DKAZEIA_SANITIZE= $kz_werror >>"$log" 2>&1 </dev/null || give_up "cmake"
    cmake --build "$root/build" --parallel "$(processors)" ${1:+--target "$1"} \
        >>"$log" 2>&1 </dev/null || give_up "the build"
}
