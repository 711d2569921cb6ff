#!/bin/sh
# embed.sh NAME FILE: prints FILE as a zero-terminated C array of char.
set -eu
echo "/* made from $2; do not edit */"
echo "static const char $1[] = {"
od -An -v -td1 "$2" | awk '{ for (i = 1; i <= NF; i++) printf "%s%s,", (i == 1 ? "\t" : " "), $i; print "" }'
echo "	0};"
