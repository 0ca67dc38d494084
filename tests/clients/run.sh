#!/bin/bash
# Real clients ask plain SQL of hidden tables. Each writes its own statements; what it gets is held against what it
# gets where nothing is hidden (tests/clients/check.pl). All of them ask about one data set in a throw-away server.
# Says the version of each; the last line is "N passed, M failed".
#
#   tests/clients/run.sh               all of them; installs them with apt, and with npm into build/clients
#   tests/clients/run.sh quick         those that Debian ships and installs in seconds
#   tests/clients/run.sh slow npm      others of Debian; those of npm
#   tests/clients/run.sh psycopg knex  some
#   tests/clients/run.sh dashboard     examples/dashboard in a browser; SCREENSHOT=FILE keeps a picture
#
# What was printed stays in build/clients/log, and what the server was sent. RESULTS=FOLDER keeps the TAP of each there.
#
# Needs Debian 12, and root or sudo if packages are missing; for clients of npm, Node.js 20 or later.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
cd "$repository/tests/clients"

readonly results=${RESULTS:-$cache/results/clients}
readonly log=$cache/clients/log
readonly modules=$cache/clients/npm
readonly python=/usr/bin/python3 # that of the packages, whatever else is in PATH

# A client a line: its name; quick or slow with the packages it is installed by, or npm; its program.
readonly clients="
psycopg     quick python3-psycopg                     $python python/dbapi.py psycopg
psycopg2    quick python3-psycopg2                    $python python/dbapi.py psycopg2
pyodbc      quick python3-pyodbc,odbc-postgresql      $python python/dbapi.py pyodbc
sqlalchemy  quick python3-sqlalchemy,python3-psycopg2 $python python/sqlalchemy_core.py
django      quick python3-django,python3-psycopg2     $python python/django_orm.py
dbd-pg      quick libdbd-pg-perl                      perl dbd_pg.pl
jdbc        slow  libpostgresql-jdbc-java,default-jdk-headless java -cp /usr/share/java/postgresql.jar Jdbc.java
dbplyr      slow  r-cran-dbplyr,r-cran-rpostgresql,r-cran-jsonlite Rscript --vanilla dbplyr.R
pg          npm   - node_pg.mjs
postgres.js npm   - postgres_js.mjs
knex        npm   - knex.mjs
kysely      npm   - kysely.mjs
drizzle     npm   - drizzle.mjs
typeorm     npm   - typeorm.mjs
sequelize   npm   - sequelize.mjs
prisma      npm   - prisma.mjs
malloy      npm   - malloy.mjs
cube        npm   - cube.mjs
dashboard   slow  python3-psycopg,chromium,fonts-dejavu-core ./dashboard.pl
"

# chosen NAME...: the lines of these clients.
chosen() {
  local name speed rest
  while read -r name speed rest; do
    if [[ $name && (! $* || " $* " == *" $name "* || " $* " == *" $speed "*) ]]; then
      echo "$name $speed $rest"
    fi
  done <<<"$clients"
}

install_clients() {
  local packages
  packages=$(cut -d' ' -f3 <<<"$1" | tr , '\n' | sed '/^-$/d' | sort -u)
  # shellcheck disable=SC2086 # several
  need_packages $packages
  if grep -q ' npm ' <<<"$1"; then
    install_from_npm
  fi
}

# Into build/clients, with the programs, as Node.js looks for what they import from where they are.
install_from_npm() {
  local found=none
  found=$(node --version 2>/dev/null | sed -E 's/^v([0-9]+).*/\1/') || true
  if ((${found:-0} < 20)) || ! command -v npm >/dev/null; then
    die "clients of npm need Node.js 20 or later, with npm: $0 quick slow runs those of Debian"
  fi
  mkdir -p "$modules"
  if ! cmp -s node/package.json "$modules/package.json" || [[ ! -e $modules/installed ]]; then
    say "installing with npm: $(sed -n '/"dependencies"/,/}/s/^ *"\(.*\)": "\(.*\)",*$/\1 \2/p' node/package.json | paste -sd, | sed 's/,/, /g')"
    rm -rf "$modules/installed" "$modules/node_modules"
    cp node/package.json "$modules"
    (cd "$modules" && npm install --ignore-scripts --no-package-lock --no-audit --no-fund >"$log/npm" 2>&1) ||
      { cat "$log/npm" && die "npm could not install the packages"; }
    # Makes its client of a schema, for which it needs no engine, though it would fetch one.
    cp -r node/prisma node/prisma.config.ts "$modules"
    (cd "$modules" && PRISMA_SCHEMA_ENGINE_BINARY=/bin/true CHECKPOINT_DISABLE=1 npx --no-install prisma generate >>"$log/npm" 2>&1) ||
      { cat "$log/npm" && die "prisma generate failed"; }
    touch "$modules/installed"
  fi
  cp node/*.mjs "$modules"
}

# Database plain is without the extension, and in database hidden the same rows are hidden.
make_databases() {
  psql -XAtq -v ON_ERROR_STOP=1 -v password="$PGPASSWORD" <<<"CREATE ROLE analyst LOGIN PASSWORD :'password'"
  createdb plain
  createdb hidden
  psql -XAtq -d plain -v ON_ERROR_STOP=1 -f tables.sql
  PGOPTIONS="-c client_min_messages=error" psql -XAtq -d hidden -v ON_ERROR_STOP=1 -f tables.sql -f hidden.sql >/dev/null
}

# The lines of clients, on standard input, one after the other.
run_clients() {
  local name speed packages program start
  export PGPORT=$port
  make_databases
  while read -r name speed packages program; do
    start=$SECONDS
    [[ $speed != npm ]] || program="node $modules/$program"
    [[ $name == dashboard ]] || program="./check.pl $name $program" # it is no client, but a test of its own
    # shellcheck disable=SC2086 # several words
    timeout --kill-after=10 300 $program </dev/null >"$results/$name.tap" 2>"$log/$name" || true
    printf '%-66s%5d passed %5d failed %4d s\n' "$(sed -n "/^# $name: /{s/^# //p;q}" "$log/$name")" \
      "$(grep -c '^ok' "$results/$name.tap")" "$(grep -c '^not ok' "$results/$name.tap")" $((SECONDS - start))
    if grep '^not ok' "$results/$name.tap"; then
      head -n 100 "$log/$name" | sed 's/^/   | /'
    fi
  done
  cp "$PGHOST/log" "$log/server"
}

lines=$(chosen "$@")
[[ $lines ]] || die "no such client: $*"
mkdir -p "$results" "$log"
rm -f "$results"/* "$log"/*
install_clients "$lines"
say "building the extension"
build_extension g++
stage_extension

# The driver of ODBC writes what it does to a file in /tmp that it names itself.
remove_logs_of_driver() { find /tmp -maxdepth 1 -name 'psqlodbc_*.log' -user "$(id -un)" -newer "$scratch/began" -delete; }
touch "$scratch/began"
trap 'remove_logs_of_driver; finish' EXIT

# On a socket as ever, and on loopback for clients that know no sockets.
readonly port=$((20000 + RANDOM % 20000))
server_options=(shared_preload_libraries=idp timezone=UTC listen_addresses=127.0.0.1 "port=$port"
  log_statement=all "log_line_prefix=%a %d: ")
with_server run_clients <<<"$lines"

read -r passed failed <<<"$("$repository/scripts/count-results.pl" "$results")"
echo "$passed passed, $failed failed"
((passed > 0 && failed == 0))
