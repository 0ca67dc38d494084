#!/bin/bash
# Makes one site of all documentation in build/site: open build/site/index.html.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"

need_packages cmark-gfm
rm -rf build/site
scripts/site/build.pl build/site
say "build/site/index.html"
