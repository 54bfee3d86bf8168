# Shared by deploy/quickstart and tests/run; to be sourced. Shows steps and installs Debian packages.
# shellcheck shell=bash

fm_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fm_step_number=0
fm_step_total=0
fm_step_started=0

# fail TEXT WHAT_TO_DO: infrastructure is at fault, not what is being measured or tested.
fail() {
  printf '\nerror: %s\n       %s\n' "$1" "$2" >&2
  exit 3
}

step() {
  fm_step_number=$((fm_step_number + 1))
  fm_step_started=$SECONDS
  printf '[%d/%d] %s\n' "$fm_step_number" "$fm_step_total" "$*"
}

step_done() {
  printf '[%d/%d] done in %s%s\n' "$fm_step_number" "$fm_step_total" \
    "$(duration $((SECONDS - fm_step_started)))" "${1:+: $1}"
}

duration() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}

# packages_of GROUP...: the names under those headings of deploy/debian-packages.txt.
packages_of() {
  local group
  for group in "$@"; do
    awk -v want="[$group]" '
      { sub(/#.*/, ""); gsub(/[ \t]/, "") }
      /^\[/ { inside = ($0 == want); next }
      inside && NF { print }' "$fm_root/deploy/debian-packages.txt"
  done
}

# missing_packages NAME...: those that dpkg does not hold as installed.
missing_packages() {
  local name
  for name in "$@"; do
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) != installed ]]; then
      printf '%s\n' "$name"
    fi
  done
}

# as_root COMMAND...: directly, or by sudo. stdin is closed so that nothing waits for an answer.
as_root() {
  if ((EUID == 0)); then "$@" </dev/null; else sudo -- "$@" </dev/null; fi
}

# A Debian host that gets its first PostgreSQL would also get a running system cluster on port 5432.
# fleetmark needs the server's files alone, so that cluster is switched off while the package is set
# up. Where postgresql-common is already configured nothing is changed.
fm_cluster_switch=/etc/postgresql-common/createcluster.d/fleetmark.conf

forbid_system_cluster() {
  as_root mkdir -p "${fm_cluster_switch%/*}"
  as_root sh -c 'printf "create_main_cluster = false\n" >"$1"' sh "$fm_cluster_switch"
}

allow_system_cluster() {
  as_root rm -f "$fm_cluster_switch"
}

# Debian's nginx would also be started on port 80, now and at every boot. The tests start their own, so
# a host that gets its first nginx through here keeps it off.
fm_service_policy=/usr/sbin/policy-rc.d

forbid_nginx_service() {
  [[ -e $fm_service_policy ]] || as_root sh -c '
    printf "#!/bin/sh\n# fleetmark: removed after the installation\n[ \"\$1\" != nginx ] || exit 101\n" >"$1"
    chmod 755 "$1"' sh "$fm_service_policy"
}

settle_nginx_service() {
  if grep -qs "^# fleetmark:" "$fm_service_policy"; then as_root rm -f "$fm_service_policy"; fi
  if command -v systemctl >/dev/null && [[ -d /run/systemd/system ]]; then
    as_root systemctl disable nginx >/dev/null 2>&1 || true
  fi
}

# install_packages GROUP...
install_packages() {
  local wanted missing log had_postgresql new_nginx=
  mapfile -t wanted < <(packages_of "$@")
  if ! command -v dpkg-query >/dev/null; then
    fail "this is no Debian system: dpkg-query was not found" \
      "install the libraries of docs/building.md yourself, then use --no-install"
  fi
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if ((${#missing[@]} == 0)); then
    step_done "all ${#wanted[@]} are here"
    return
  fi
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    fail "${#missing[@]} packages are missing (${missing[*]}) and this user is not root and has no sudo" \
      "as root: apt-get install --no-install-recommends ${missing[*]}"
  fi
  printf '      installing %s\n' "${missing[*]}"
  log=$(mktemp)
  had_postgresql=$(missing_packages postgresql-common)
  [[ -z $had_postgresql ]] || forbid_system_cluster
  if [[ " ${missing[*]} " == *" nginx "* ]]; then new_nginx=yes; forbid_nginx_service; fi
  if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q update &&
         as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
           -o Dpkg::Options::=--force-confold install --no-install-recommends "${missing[@]}"; } \
       >"$log" 2>&1; then
    [[ -z $had_postgresql ]] || allow_system_cluster
    [[ -z $new_nginx ]] || settle_nginx_service
    tail -n 25 "$log" >&2
    rm -f "$log"
    fail "apt-get could not install: ${missing[*]}" \
      "see the lines above; on Debian 12 every name is in the main archive. Then run this again"
  fi
  [[ -z $had_postgresql ]] || allow_system_cluster
  [[ -z $new_nginx ]] || settle_nginx_service
  rm -f "$log"
  step_done "${#missing[@]} installed, $((${#wanted[@]} - ${#missing[@]})) were here"
}

# processors: how many compilations run side by side; each may need 1.5 GiB.
processors() {
  local count memory
  count=$(nproc 2>/dev/null || echo 2)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null || echo 2)
  ((memory >= count)) || count=$((memory > 0 ? memory : 1))
  echo "$count"
}

# build_preset PRESET [TARGET...]: configures and builds build/PRESET, exits with 3 where that fails.
# FM_CMAKE_ARGUMENTS is an array of further arguments for cmake.
build_preset() {
  local preset=$1 log quiet=()
  shift
  command -v cmake >/dev/null && command -v ninja >/dev/null ||
    fail "cmake or ninja was not found" "run this again without --no-install, or see docs/building.md"
  log=$(mktemp)
  if ! (cd "$fm_root" && cmake --preset "$preset" ${FM_CMAKE_ARGUMENTS[@]+"${FM_CMAKE_ARGUMENTS[@]}"}) \
       >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    rm -f "$log"
    fail "cmake could not configure the preset '$preset'" \
      "see the lines above; run this again without --no-install if a library is missing"
  fi
  rm -f "$log"
  [[ -t 1 ]] || quiet=(--quiet)
  NINJA_STATUS='      [%f/%t] ' ninja -C "$fm_root/build/$preset" -j "$(processors)" \
    ${quiet[@]+"${quiet[@]}"} "$@" ||
    fail "the build of the preset '$preset' failed" "see the first error above"
}
