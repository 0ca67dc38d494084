#!/bin/bash
# For maintainers: are the packages good? Builds the Debian package, with its tests, in a fresh minimal
# root, and looks at it with lintian; installs it in another that has no compiler, uses it, removes
# it and looks for what is left; upgrades a server full of data from 0.3.0; installs from a PGXN archive.
#
#   scripts/package-check.sh [--working-tree] [--pgxn] [TARBALL]
#     --working-tree, TARBALL, MIRROR=…  as scripts/bare-root.sh says
#     --pgxn                             only the PGXN archive, in a root that never had the Debian package
#
# The packages are in build/packages afterwards. Needs root and debootstrap. On two cores it takes
# more than half an hour, and --pgxn ten minutes.

set -euo pipefail

# shellcheck disable=SC2034 # bare-root.sh reads it
own_options=--pgxn
# shellcheck source=scripts/bare-root.sh
source "$(dirname "${BASH_SOURCE[0]}")/bare-root.sh"
version=$(sed -n "s/^default_version = '\(.*\)'$/\1/p" "$repository/idp.control")
readonly version packages=$repository/build/packages as_builder='runuser -u builder --'
readonly before=b5dfc50 # the commit that was 0.3.0

# try TITLE COMMAND: in the root; its output is shown if it fails, and nothing after it is tried.
try() {
  local title=$1 start=$SECONDS
  printf '===== %s\n' "$title"
  if machine "$2" >"$root/var/log/try" 2>&1; then
    result "$title" "$((SECONDS - start)) s"
  else
    tail -n 200 "$root/var/log/try"
    result "$title" "failed"
    failed=1
    finish_report
  fi
}

finish_report() {
  printf '\n===== packages of %s on a bare Debian 12\n' "$version"
  printf '%s\n' "${report[@]}"
  exit "$failed"
}

apt='DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends'

# In the root where things are built. The server does not run there: a throw-away one, by the program that Debian's own tests use.
try_pgxn() {
  local create_extension="pg_virtualenv -t psql -XAtq -v ON_ERROR_STOP=1 \
    -c 'CREATE EXTENSION idp' -c 'SELECT idp_median(x, 1) FROM (VALUES (5), (5), (5), (5), (5)) v(x)'"
  try "an archive for PGXN" \
    "cd /home/builder && zip -qr idp-$version.zip idp-$version -x '*/.git/*' &&
     MAKEFLAGS=-j$(nproc) pgxn install ./idp-$version.zip"
  try "what PGXN's client installed works" "$create_extension | grep -qx 5"
}

# --- where it is built ---------------------------------------------------------------------------

make_root
machine "useradd --create-home builder"
copy_sources /home/builder/idp
copy_sources /home/builder/idp-"$version"

try "what building needs" \
  "$apt update && $apt install build-essential git lintian pgxnclient zip && $apt build-dep /home/builder/idp"
if [[ $given == *--pgxn* ]]; then
  try_pgxn
  finish_report
fi
try "dpkg-buildpackage, with its tests" \
  "cd /home/builder/idp && $as_builder dpkg-buildpackage -us -uc"
try "lintian: not even information" \
  "cd /home/builder && $as_builder lintian --fail-on error,warning,info -i --display-info *.changes"
# headers of a newer minor version may call what an older server lacks, which then does not start with the library
try "  depends on the minor version that it was built with" \
  "dpkg-deb -f /home/builder/postgresql-15-idp_*.deb Depends | grep -q \"postgresql-15 (>= \$(dpkg-query -W -f '\${source:Upstream-Version}' postgresql-server-dev-15))\""
try "cleaning leaves the source as it was" \
  "cd /home/builder/idp && $as_builder debian/rules clean && { [ ! -d .git ] || { $as_builder git status --porcelain >/tmp/changed && ! grep . /tmp/changed; }; }"

mkdir "$root/home/builder/before"
git -C "$repository" archive --prefix=idp/ "$before" | tar -C "$root/home/builder/before" --no-same-owner -xf -
chown -R --reference="$root/home/builder" "$root/home/builder/before"
try "the package of 0.3.0" \
  "cd /home/builder/before/idp && $as_builder env DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b"

mkdir -p "$packages/before"
cp "$root"/home/builder/before/postgresql-15-idp_*.deb "$packages/before"
cp "$root"/home/builder/postgresql-*.{deb,dsc,tar.xz,changes,buildinfo} "$packages"
chown -R --reference="$repository" "$repository/build"

try_pgxn

# --- where it is used ----------------------------------------------------------------------------

make_root
mkdir -p "$root/packages/before"
cp "$packages"/postgresql-15-idp_"$version"_*.deb "$root/packages"
cp "$packages"/before/postgresql-15-idp_*.deb "$root/packages/before"
copy_sources /srv/idp
# Files of the system, but for what apt, dpkg and the server write all the time.
system_files="find / -xdev -not -path '/proc/*' -not -path '/var/cache/*' -not -path '/var/lib/apt/*' \
  -not -path '/var/lib/dpkg/*' -not -path '/var/lib/postgresql/*' -not -path '/var/log/*' \
  -not -path '/run/*' -not -path '/tmp/*' -not -path '/root/*' | LC_ALL=C sort"
psql="runuser -u postgres -- env -C / psql -XAtq -v ON_ERROR_STOP=1"

try "a server without it" "$apt update && $apt install postgresql-15 && pg_ctlcluster 15 main start"
try "  refuses CREATE EXTENSION" \
  "$psql -c 'CREATE EXTENSION idp' 2>&1 | grep -q 'extension \"idp\" is not available'"
# its libraries stay when it goes: apt calls them no longer required
try "its libraries" "$apt install libgmp10 libmpfr6 libstdc++6 && $system_files >/root/before"
try "apt-get install" "$apt install /packages/*.deb"
try "  brings no compiler" "! command -v cc && ! command -v c++"
try "  the README's SQL" \
  "sed -n '/^\`\`\`sql\$/,/^\`\`\`\$/p' /srv/idp/README.md | grep -v '^\`\`\`' | $psql >/root/answers"
try "  a budget that counted" \
  "$psql -c 'SELECT trim_scale(spent) FROM idp.budget' >/root/spent && grep -qx 3 /root/spent"
try "apt-get remove" "$apt remove postgresql-15-idp"
try "  an error instead of an answer" \
  "$psql -c 'SELECT dp_count(1) FROM staff' 2>&1 | grep -q 'could not access file'"
try "  the server goes on" "$psql -c 'SELECT 1' | grep -qx 1"
try "installed again: the budget is there" \
  "$apt install /packages/*.deb && $psql -c 'SELECT trim_scale(spent) FROM idp.budget' | cmp - /root/spent"
try "DROP EXTENSION, apt-get purge" \
  "$psql -c 'DROP EXTENSION idp CASCADE' -c 'DROP TABLE staff' -c 'DROP ROLE analyst' && $apt purge postgresql-15-idp"
try "  leave nothing" "$system_files | diff /root/before -"

# What an owner has in 0.3.0 is there after the upgrade, as it was, and goes on.
cat >"$root/tmp/before.sql" <<'SQL'
CREATE EXTENSION idp;
CREATE TABLE customers (id int PRIMARY KEY, region text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers, amount int NOT NULL);
INSERT INTO customers SELECT i, 'region ' || i % 3 FROM generate_series(1, 3000) i;
INSERT INTO orders SELECT i, 1 + i % 3000, i % 500 FROM generate_series(1, 9000) i;
SET client_min_messages = error;
SELECT idp.protect('customers', 50, unit => 'id', delta => 1e-5);
SELECT idp.link('orders', 'customer', 'customers');
SELECT idp.set_domain('customers', 'region', ARRAY['region 0', 'region 1', 'region 2']);
CREATE ROLE analyst;
GRANT SELECT ON customers, orders TO analyst;
SELECT dp_count(0.5, 'customers') FROM customers;
SELECT idp.relax('customers', 2);
SELECT region, dp_count(1) FROM customers GROUP BY region;
CREATE VIEW watched AS SELECT table_name, spent, rows FROM idp.budget;
SQL
cat >"$root/tmp/same.sql" <<'SQL'
SELECT * FROM watched;
SELECT idp.relax('customers', 0.5), idp.relax('customers', 2);
SELECT role, at, table_name, aggregate, epsilon, release FROM idp.ledger ORDER BY at;
SELECT table_name, column_name, keys FROM idp.domains;
SQL
cat >"$root/tmp/after.sql" <<'SQL'
SELECT extversion FROM pg_extension WHERE extname = 'idp';
SELECT table_name, unit, total, trim_scale(spent), trim_scale(remaining) FROM idp.budget;
SELECT idp.relax('customers', 3) IS NOT NULL;
SET ROLE analyst;
SET idp.epsilon = 1;
SELECT count(*) BETWEEN 2900 AND 3100 FROM customers;
SELECT count(*), min(n) > 500 FROM (SELECT region, count(*) AS n FROM customers GROUP BY region) r;
SELECT trim_scale(spent) FROM idp.budget;
SQL
try "0.3.0 in use, with data" \
  "$apt install /packages/before/*.deb && echo \"shared_preload_libraries = 'idp'\" >/etc/postgresql/15/main/conf.d/idp.conf &&
   pg_ctlcluster 15 main restart && $psql -f /tmp/before.sql && $psql -f /tmp/same.sql >/root/before_upgrade"
try "upgraded by apt-get, and ALTER EXTENSION" \
  "$apt install /packages/*.deb && pg_ctlcluster 15 main restart && $psql -c 'ALTER EXTENSION idp UPDATE'"
try "  budget, ledger and answers are what they were" "$psql -f /tmp/same.sql | diff /root/before_upgrade -"
try "  and go on" "$psql -f /tmp/after.sql >/root/after && cat /root/after &&
  printf '%s\n' $version 'customers|id|50|4|46' t t '3|t' 8 | diff - /root/after"
try "  rows are hidden still" "! $psql -c 'SET ROLE analyst' -c 'SELECT * FROM orders'"
try "  purged" "$psql -c 'DROP EXTENSION idp CASCADE' && $apt purge postgresql-15-idp &&
  rm /etc/postgresql/15/main/conf.d/idp.conf && pg_ctlcluster 15 main restart && $system_files | diff /root/before -"

try "the package's own tests" \
  "$apt install /packages/*.deb make postgresql-server-dev-all && cd /srv/idp && chown -R postgres . &&
   for test in debian/tests/readme debian/tests/installcheck; do runuser -u postgres -- \$test || exit; done"
finish_report
