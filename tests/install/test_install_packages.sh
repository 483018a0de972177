#!/usr/bin/env bash
# The build of tools/quickstart and tools/package is enough for cmake --install at any prefix. The Debian
# packages are installed, used and removed in a clean root, which has copies of the system packages that
# ours and a compiler depend on, and nothing else: so dpkg checks the dependencies, and programs find only
# what is declared. Built without optimization, to be quick.
set -euo pipefail

skip() {
  echo "skipped: $1"
  exit 77
}
for tool in dpkg dpkg-query dpkg-shlibdeps cpack python3; do
  command -v "$tool" >/dev/null || skip "$tool is not there"
done
# chroot needs root, or a user namespace.
if ((EUID != 0)); then
  if [[ -z ${BERTH_IN_NAMESPACE:-} ]] && unshare --map-root-user true 2>/dev/null; then
    BERTH_IN_NAMESPACE=1 exec unshare --map-root-user bash "$0"
  fi
  skip "neither root nor user namespaces"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target=$(sed -nE 's|.*tools/build" build --target ([a-z_]+) .*|\1|p' "$BERTH_SOURCE/tools/quickstart")
grep -q -- "--target $target " "$BERTH_SOURCE/tools/package"
"$BERTH_SOURCE/tools/package" "$work/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG= \
  -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" >"$work/packages"
cat "$work/packages"
for prefix in "$work/one" "$work/two"; do
  cmake --install "$work/build" --prefix "$prefix" >"$work/log"
  env LD_LIBRARY_PATH="$(dirname "$(find "$prefix" -name libberth.so)")" "$prefix/bin/berth" --version
  (($(find "$prefix" -name 'libberth.a' -o -name 'libberth.so' -o -name 'berth.h' | wc -l) == 3))
done

mapfile -t packages <"$work/packages"
python3 check_sbom.py "$work/build/packages"
(cd "$work/build/packages" && sha256sum --check --quiet SHA256SUMS)
SOURCE_DATE_EPOCH=1 "$BERTH_SOURCE/tools/sbom" "$work/build/packages" >"$work/again.json"
grep -q '"created": "1970-01-01T00:00:01Z"' "$work/again.json"
if "$BERTH_SOURCE/tools/sbom" "$work/one" >"$work/log" 2>&1; then
  echo "tools/sbom makes a bill of no packages" >&2
  exit 1
fi
((${#packages[@]} == 3))
for package in "${packages[@]}"; do
  dpkg-deb --field "$package" Package Section Depends Description
  [[ -n $(dpkg-deb --field "$package" Section) ]]
  dpkg-deb --contents "$package" | grep 'share/doc/.*/copyright$' >/dev/null
done

# ---- a clean root: installed packages by name, and all that they depend on ----

depends() {
  dpkg-query --show --showformat='${Pre-Depends}, ${Depends}\n' "$1" | sed -E 's/\([^)]*\)//g; s/:any//g; s/[,|]/\n/g' |
    tr -d ' '
}

installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

closure() {
  local name waiting=("$@")
  declare -A seen
  while ((${#waiting[@]} > 0)); do
    name=${waiting[-1]}
    unset 'waiting[-1]'
    if [[ -n $name && -z ${seen[$name]:-} ]] && installed "$name"; then
      seen[$name]=1
      mapfile -t -O ${#waiting[@]} waiting < <(depends "$name")
    fi
  done
  printf '%s\n' "${!seen[@]}"
}

root=$work/root
mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},tmp,var/lib/dpkg/{info,updates,triggers}}
for folder in bin sbin lib lib64; do
  [[ ! -L /$folder ]] || ln -s "usr/$folder" "$root/$folder"
done
compiler=$(basename "$(readlink -f "$(command -v gcc)")") # x86_64-linux-gnu-gcc-12
mapfile -t names < <(closure dash coreutils libc-bin "${compiler##*gnu-}" gcc libc6-dev pkg-config libjansson4 libjemalloc2 libcurl4 libmicrohttpd12 \
  libhwloc15 libsimdjson14 libre2-9 libyaml-0-2 zlib1g libstdc++6 "libstdc++-${compiler##*-}-dev" libhwloc-dev \
  libsimdjson-dev libre2-dev libyaml-dev zlib1g-dev)
for name in "${names[@]}"; do
  dpkg-query --listfiles "$name"
  dpkg-query --status "$name" >>"$root/var/lib/dpkg/status"
  echo >>"$root/var/lib/dpkg/status"
done | sort -u | grep -vE '^/(\.|bin|sbin|lib|lib64)?$|/share/(doc|man|locale|info)/' |
  sed 's|^/||' >"$work/files"
tar -C / --create --no-recursion --ignore-failed-read --files-from "$work/files" 2>/dev/null |
  tar -C "$root" --extract --keep-directory-symlink
[[ ! -e $root/usr/bin/berth ]]
cp "$BERTH_SOURCE/tools/examples/embed.c" "$BERTH_SOURCE/tests/cli/data/nodes.yaml" \
  "$BERTH_SOURCE/tests/cli/data/pods.json" "$root/tmp"

inside() {
  env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin chroot "$root" "$@"
}
package_manager() {
  dpkg --root="$root" --log="$work/dpkg.log" --force-not-root "$@"
}

package_manager --install "${packages[@]}"
inside berth --version
# Exit code 1: a pod that fits nowhere.
status=0
inside berth schedule -f /tmp/nodes.yaml -f /tmp/pods.json >"$work/placed" || status=$?
((status <= 1)) && grep -qE '^default +plain +large' "$work/placed"

expected=$BERTH_SOURCE/tests/install/embed.out
read -ra flags <<<"$(inside pkg-config --cflags --libs berth)"
inside "$compiler" /tmp/embed.c "${flags[@]}" -o /tmp/shared
inside /tmp/shared | diff "$expected" -
read -ra flags <<<"$(inside pkg-config --static --cflags --libs berth)"
inside "$compiler" /tmp/embed.c "${flags[@]/#-lberth/-l:libberth.a}" -o /tmp/static
inside /tmp/static | diff "$expected" -
echo "used: the program, shared, static"

# The program's package keeps the library's installed; after all three are removed, nothing is left.
if package_manager --remove libberth0 2>/dev/null; then
  echo "libberth0 goes while berth needs it" >&2
  exit 1
fi
package_manager --purge berth libberth-dev libberth0
rest=$(find "$root/usr" -name '*berth*')
[[ -z $rest ]] || {
  echo "left behind: $rest" >&2
  exit 1
}
if inside /tmp/shared 2>/dev/null; then
  echo "the library is still there" >&2
  exit 1
fi
inside /tmp/static | diff "$expected" -
echo "removed"
