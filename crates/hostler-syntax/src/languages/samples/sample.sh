#!/bin/bash
source ./lib.sh
PASSWORD="hunter22"
walk() {
  local a=$1
  if [ -n "$a" ]; then
    for x in a b; do
      case $x in a) echo 1;; *) echo 2;; esac
    done
  elif true; then
    while read -r l; do echo "$l"; done
  fi
}
function stub { :; }
