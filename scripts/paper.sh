#!/bin/bash
# The tables and figures of the papers, drawn again through SQL in a throw-away PostgreSQL server,
# beside the papers' own numbers.
#
#   scripts/paper.sh          some minutes; writes docs/paper/ and the tables in docs/paper.md
#   scripts/paper.sh quick    under two minutes and with fewer draws; writes below build/ instead
#
# Needs Debian 12, and root or sudo the first time. Each part is one file scripts/paper/*.sql, which
# draws and writes tables (*.md) and data (*.csv), and one chart scripts/paper/*.gp. To run some alone:
#   PAPER_PARTS="noise median" scripts/paper.sh quick

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# How much is drawn: of noise and of counts for each line of a table; data sets of each kind and
# draws from each; chains of named releases, and chains that are refined through many levels.
case ${1-full} in
  full)
    size=(-v draws=1000000 -v counts=500000 -v sets=100 -v repeats=20 -v chains=400000 -v paths=200)
    page=$repository/docs/paper.md
    ;;
  quick)
    size=(-v draws=50000 -v counts=50000 -v sets=20 -v repeats=5 -v chains=50000 -v paths=20)
    page=$cache/paper.md
    ;;
  *) die "usage: scripts/paper.sh [quick]" ;;
esac
read -ra draw <<<"${PAPER_PARTS:-noise range_count median paths conditional reports shared synthetic}"
readonly work=$scratch/paper # where a part's files are written
readonly charts=$repository/scripts/paper

need_packages "${extension_packages[@]}" gnuplot-nox
fetch_randhie
say "building the extension"
build_extension g++
stage_extension

say "starting a throw-away PostgreSQL $pg_version server"
server_options=(fsync=off shared_buffers=256MB max_wal_size=4GB jit=off)
mkdir -p "$work"
cp "$randhie" "$work/randhie"
with_server bash "$charts/draw.sh" "$work" "${draw[*]}" "${size[@]}"

say "drawing the charts"
for part in "${draw[@]}"; do
  (cd "$work" && gnuplot "$charts/common.gp" "$charts/$part.gp")
done
fill_page "$repository/docs/paper.md" "$work" >"$work/page"
mkdir -p "${page%.md}"
cp "$work"/*.csv "$work"/*.svg "${page%.md}"
cp "$work/page" "$page"
# Run by root in someone else's clone, leave nothing that its owner cannot overwrite.
if ((EUID == 0)); then
  chown -R --no-dereference --reference="$repository" "$page" "${page%.md}"
fi
say "written: $page and ${page%.md}/"
