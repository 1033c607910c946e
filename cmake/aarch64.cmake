# Cross build for 64-bit ARM with Debian's compiler and multiarch libraries; tests run under QEMU's user
# emulation: cmake -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake [-DKAZEIA_QEMU_CPU=cortex-a53]
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(KAZEIA_QEMU_CPU max CACHE STRING "processor that QEMU shows to the tests")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu ${KAZEIA_QEMU_CPU})

set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR} "/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
