# What every script here shares: how a step is announced, how it reports, and where the repository is.
# Sourced, never run. A step that cannot do its work ends with `refuse`, which is never 0.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

step() { printf '\n==> %s\n' "$*"; }
proved() { printf '    proved: %s\n' "$*"; }
refuse() {
  printf 'refused: %s\n' "$1" >&2
  exit "${2:-1}"
}

# Swift is the one thing that no Debian package provides.
require_swift() {
  command -v swift >/dev/null 2>&1 || refuse \
    "no 'swift' in PATH: install a Swift 6.3 toolchain (swift.org/install/linux) and add its usr/bin to PATH" 69
  local version
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
  [[ -n $version ]] || refuse "'swift --version' does not name a version" 69
  dpkg --compare-versions "$version" ge 6.3 || refuse "Swift $version is too old: 6.3 or later is needed" 69
}
