#!/bin/bash
# Makes one site of all documentation in build/site: open build/site/index.html. Its search works only where
# a server hands out the files. Fails if a link of a page leads nowhere. The generator is Debian's mkdocs.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$repository"

need_packages mkdocs python3-pymdownx
rm -rf build/site build/pages
mkdir -p build/pages
scripts/site/pages.pl files | tar -T - -cf - | tar -C build/pages --no-same-owner -xf -
{
  cat scripts/site/mkdocs.yml
  scripts/site/pages.pl navigation
} >build/mkdocs.yml
mkdocs --quiet build --config-file build/mkdocs.yml
# the pages of Debian's mkdocs ask for a jQuery that it does not bring along; without it the menu of small screens does not open
for script in $(grep -o 'js/jquery-[0-9.]*\.min\.js' build/site/index.html || true); do
  [[ -e build/site/$script ]] || cp /usr/share/javascript/jquery/jquery.min.js "build/site/$script"
done
scripts/site/pages.pl anchors build/site
say "build/site/index.html"
