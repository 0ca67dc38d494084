# A server of PostgreSQL 15 with idp, on Debian's image:
#
#   docker build -t idp .
#   docker run -d --name idp -e POSTGRES_PASSWORD=secret -v idp:/var/lib/postgresql -p 5432:5432 idp
#   psql -h localhost -U postgres
#
# The volume has the data and the configuration (etc/15/main). After a new image run ALTER EXTENSION idp UPDATE in each database
# that has it. The library is preloaded: begin with the SQL of the README. scripts/image-check.sh takes the same steps in bare roots.
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ make libgmp-dev libmpfr-dev postgresql-server-dev-15
COPY . /idp
RUN make -C /idp -j2 && make -C /idp install DESTDIR=/installed

FROM debian:bookworm
RUN mkdir -p /etc/postgresql-common/createcluster.d && echo "create_main_cluster = off" >/etc/postgresql-common/createcluster.d/idp.conf
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-15 libgmp10 libmpfr6 libstdc++6 && rm -rf /var/lib/apt/lists/*
RUN rm -rf /etc/postgresql && ln -s /var/lib/postgresql/etc /etc/postgresql
COPY --from=build /installed /
COPY docker/start.sh /usr/local/bin/idp-server
ENV LANG=C.UTF-8
VOLUME /var/lib/postgresql
EXPOSE 5432
STOPSIGNAL SIGINT
USER postgres
CMD ["/usr/local/bin/idp-server"]
