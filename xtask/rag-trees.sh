#!/usr/bin/env bash
# Trees that `cargo xtask rag sides` measures on, from released packages: usage: rag-trees.sh small|large FOLDER
#
# small: Django with its documentation. large: five Python and ten JavaScript projects, and the standard library of
# the `python3` at hand, the one part whose version is not pinned. A folder that is there already is left alone.
set -euo pipefail

kind=${1:?small or large} folder=${2:?a folder that is made}
sdists_small=(django==5.2.19)
sdists_large=(django==5.2.19 sympy==1.14.0 ansible-core==2.19.14 sphinx==9.0.4)
npm_large=(three@0.187.0 rxjs@7.8.2 core-js@3.51.0 typescript@5.9.3 eslint@10.15.0 zod@4.6.7 effect@3.19.14
  mathjs@15.2.0 webpack@5.113.0 lodash@4.18.1)

[ -d "$folder" ] && exit 0
new=$folder.new
rm -rf "$new"
mkdir -p "$new/packages"

sdist() { # REQUIREMENT
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest "$new/packages" "$1"
}

case $kind in
  small)
    sdist "${sdists_small[0]}"
    tar xzf "$new"/packages/django-*.tar.gz -C "$new" --strip-components=1 --wildcards '*/django' '*/docs'
    ;;
  large)
    for package in "${sdists_large[@]}"; do sdist "$package"; done
    for archive in "$new"/packages/*.tar.gz; do tar xzf "$archive" -C "$new"; done
    for package in "${npm_large[@]}"; do
      mkdir -p "$new/${package%@*}"
      archive=$(cd "$new/packages" && npm pack --silent "$package")
      tar xzf "$new/packages/$archive" -C "$new/${package%@*}" --strip-components=1
    done
    library=$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
    mkdir "$new/Lib"
    tar cf - -C "$library" --exclude=site-packages --exclude=__pycache__ --exclude='config-*' . | tar xf - -C "$new/Lib"
    ;;
  *)
    echo "\`$kind\` is neither small nor large" >&2
    exit 2
    ;;
esac
rm -rf "$new/packages"
mv "$new" "$folder"
