# A cluster of Citus, where it is installed: a coordinator and two workers, by the loopback interface alone.
package CitusTest;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IdpTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(has_citus new_cluster);

sub has_citus
{
	chomp(my $libraries = `pg_config --pkglibdir`);
	return -e "$libraries/citus.so";
}

# The coordinator and the workers, with both extensions; roles keeper, who may create tables, and analyst.
sub new_cluster
{
	my ($name, @conf) = @_;
	my @nodes = map {
		my $node = new_node("${name}_$_", 'bare', "shared_preload_libraries = 'citus, idp'",
			"listen_addresses = '127.0.0.1'", "citus.node_conninfo = 'sslmode=prefer'",
			'citus.shard_count = 4', 'wal_level = logical', 'max_wal_senders = 10', 'max_replication_slots = 20',
			'max_worker_processes = 30', 'max_connections = 60', 'jit = off', @conf);
		$node->safe_psql('postgres', 'CREATE EXTENSION citus');
		$node;
	} 0 .. 2;
	my ($coordinator, @workers) = @nodes;
	my $s = session($coordinator);
	$s->value("SET client_min_messages = error; SELECT citus_set_coordinator_host('127.0.0.1', " . $coordinator->port
		  . ')');
	$s->value("SELECT citus_add_node('127.0.0.1', " . $_->port . ')') foreach @workers;
	$s->value('CREATE ROLE keeper LOGIN; CREATE ROLE analyst LOGIN; CREATE EXTENSION idp; '
		  . 'GRANT CREATE ON SCHEMA public TO keeper');
	$s->quit;
	return @nodes;
}

1;
