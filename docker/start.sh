#!/bin/bash
# What the image runs: makes a server in the volume, or takes the one that is there, and stays with it.
#
#   POSTGRES_PASSWORD   the password of role postgres; needed, as the server listens to others
set -euo pipefail
: "${POSTGRES_PASSWORD:?give role postgres a password: docker run -e POSTGRES_PASSWORD=…}"

# /etc/postgresql leads here: a new container over the same volume keeps the configuration
mkdir -p /var/lib/postgresql/etc/15
if [[ ! -e /etc/postgresql/15/main/postgresql.conf ]]; then
  pg_createcluster 15 main >/dev/null
  cat >/etc/postgresql/15/main/conf.d/idp.conf <<'CONF'
shared_preload_libraries = 'idp'
listen_addresses = '*'
CONF
  echo "host all all all scram-sha-256" >>/etc/postgresql/15/main/pg_hba.conf
fi

# until the password is set, only by the socket
pg_ctlcluster 15 main start -o '-c listen_addresses='
psql -X -q -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" <<'SQL'
ALTER ROLE postgres PASSWORD :'password';
SQL
pg_ctlcluster 15 main stop
unset POSTGRES_PASSWORD
exec pg_ctlcluster --foreground 15 main start
