#!/usr/bin/env bash
# The library can be loaded at run time (dlopen), on any thread and repeatedly, by a C program and by
# Python. A linked library, shared or static, does not replace the malloc of its process.
set -euo pipefail
[[ -z ${LD_PRELOAD:-} ]]
# shellcheck source=tests/install/installed.sh
. ./installed.sh
library=$work/prefix/$LIBDIR/libberth.so
export PKG_CONFIG_PATH=$work/prefix/$LIBDIR/pkgconfig

"$CC" -std=gnu11 -Wall -Wextra -Werror -I"$work/prefix/include" \
  "$BERTH_SOURCE/tests/install/load_at_run_time.c" -o "$work/load" -pthread -ldl
"$work/load" "$library"

if command -v python3 >/dev/null; then
  python3 - "$library" <<'EOF'
import ctypes, sys, threading

def load():
    library = ctypes.CDLL(sys.argv[1])
    library.berth_version.restype = ctypes.c_char_p
    versions.append(library.berth_version().decode())

versions = []
thread = threading.Thread(target=load)
thread.start()
thread.join()
load()
assert len(versions) == 2 and versions[0] == versions[1], versions
print("python: version", versions[0])
EOF
else
  echo "python: not installed"
fi

# Neither kind contains an allocator: no such function is defined, and a static consumer calls the C
# library's.
allocators='malloc|calloc|realloc|free|cfree|memalign|aligned_alloc|posix_memalign|valloc|mallocx|mallctl'
for kind in "$library" "$work/prefix/$LIBDIR/libberth.a"; do
  if nm --defined-only --format=posix "$kind" 2>/dev/null | grep -wE "^($allocators)" >&2; then
    echo "$kind defines an allocator" >&2
    exit 1
  fi
done
read -ra flags <<<"$(pkg-config --static --cflags --libs berth)"
"$CC" "$BERTH_SOURCE/tools/examples/embed.c" "${flags[@]/#-lberth/-l:libberth.a}" -o "$work/static"
for program in "$work/static" "$library"; do
  if ldd "$program" | grep -E 'malloc'; then
    echo "$program brings another malloc" >&2
    exit 1
  fi
done
env LD_DEBUG=bindings "$work/static" 2>"$work/bindings" >/dev/null
bound=$(grep -E "file $work/static .* symbol .malloc'" "$work/bindings")
[[ $bound == *libc.so* ]] || {
  echo "a static consumer's malloc: ${bound:-not bound}" >&2
  exit 1
}
echo "malloc is the C library's"

# A program that links jemalloc, and one that is started with it, have arenas (more than jemalloc's own).
arenas() {
  env MALLOC_CONF=stats_print:true "$@" 2>&1 >/dev/null | sed -nE 's/^Arenas: ([0-9]+)$/\1/p'
}
if pkg-config --exists jemalloc; then
  printf 'int main(void) { return 0; }\n' >"$work/empty.c"
  read -ra malloc <<<"$(pkg-config --libs jemalloc)"
  "$CC" -Wl,--no-as-needed "$work/empty.c" "${malloc[@]}" -o "$work/empty"
  "$CC" "$BERTH_SOURCE/tools/examples/embed.c" "${flags[@]/#-lberth/-l:libberth.a}" "${malloc[@]}" -o "$work/arena"
  "$work/arena" | diff "$BERTH_SOURCE/tests/install/embed.out" -
  loaded=$(ldd "$work/arena" | sed -nE 's/.*libjemalloc.* => ([^ ]+) .*/\1/p')
  own=$(arenas "$work/empty") linked=$(arenas "$work/arena")
  preloaded=$(arenas LD_PRELOAD="$loaded" "$work/static")
  if ((linked <= own || preloaded <= own)); then
    echo "arenas: $own without an engine, $linked linked, $preloaded preloaded" >&2
    exit 1
  fi
  echo "jemalloc: linked and preloaded"
fi
