#!/usr/bin/env bash
set -euo pipefail
declare -A seen=([a]=1 ["b c"]=2); readonly LIMIT=$((1 << 4 | 0x1F))
function log { local level="${1:-info}" ; printf '%s\n' "[$level] ${*:2}" >&2; }
deploy() (
  for file in ./*.{tar,zip} "$@"; do
    [[ -f $file && ! $file =~ ^\.(git|svn)$ ]] || continue
    case "${file##*/}" in
      *.tar | "a b") tar -xf "$file" -C "$(mktemp -d)" ;;
      ?(x)*.zip) unzip "$file" >/dev/null 2>&1 & ;&
      *) log error "unknown: ${file//\//_}" ;;
    esac
  done
  while IFS=: read -r -d '' name _ rest; do ((LIMIT -= 1)) || break; done < <(find . -print0)
  until ! ping -c1 "${hosts[@]:0:2}"; do sleep 1; done
  cat <<-EOF | sed -e 's/a/b/g' | tee "$out"
	Hello ${USER^^}, it is $(date +"%Y-%m-$(echo d)") and `whoami`
	EOF
  cat <<'RAW' <<<"${x@Q}"
$not $expanded
RAW
  if ! test -n "$1" -a -d "$2"; then :; elif [ "$?" -eq 0 ]; then exit 1; else true; fi
  trap 'rm -rf "$tmp"' EXIT; coproc cat; time { echo $'tab\t' $"x"; }
)
select choice in a b; do break; done; eval "$(ssh-agent)" ; deploy "${@}" {1..3} ~/x !(y) # done
