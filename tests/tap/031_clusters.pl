# Tables that Citus distributes, as its catalogs say: those alone are made here. A shard belongs to its
# table's account; where another server keeps that, nothing is answered.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('clusters', 'jit = off');
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE t AS SELECT i AS id, i % 4 AS g FROM generate_series(1, 100) i;
CREATE TABLE t_102008 AS SELECT * FROM t WHERE id <= 50;
CREATE TABLE t_102009 AS SELECT * FROM t WHERE id <= 50;
CREATE TABLE free_102010 AS SELECT * FROM t;
CREATE TABLE t_1020080000000000000000 AS SELECT * FROM t;
CREATE TABLE alone AS SELECT * FROM t;
CREATE TABLE free AS SELECT * FROM t;
SELECT idp.protect('t', 1000000);
SQL
is($s->run('SELECT dp_count(1000) FROM t_102008')->{out}, 50, 'without Citus a name is a name');
is(spent($s, 't'), 0, 'and free');

$s->value(<<'SQL');
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (partmethod "char", logicalrelid regclass);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint);
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int);
INSERT INTO pg_dist_local_group VALUES (0);
INSERT INTO pg_dist_partition VALUES ('h', 't'), ('h', 'free');
INSERT INTO pg_dist_shard VALUES ('t', 102008), ('free', 102010);
SQL

# --- the coordinator -----------------------------------------------------------------------------

costs($s, 't', 1000, 'a shard', sub { is($s->run('SELECT dp_count(1000) FROM t_102008')->{out}, 50, 'answered') });
costs($s, 't', 1000, 'its groups',
	sub { is($s->run('SELECT g, dp_count(1000) FROM t_102008 WHERE g = 0 GROUP BY g')->{out}, '0|12', 'answered') });
costs($s, 't', 7, 'a shard, under a name',
	sub { is($s->run(q[SELECT dp_count(7, 'of a shard') FROM t_102008])->{message}, undef, 'answered') });
foreach my $table ('t_102009', 'free_102010', 't_1020080000000000000000', 'alone', 'free')
{
	costs($s, 't', 0, "$table is no part of it",
		sub { like($s->run("SELECT dp_count(1000) FROM $table")->{out}, qr/^(50|100)$/, 'answered') });
}
$s->value("SELECT idp.set_domain('free', 'g', ARRAY[0, 1, 2, 3, 4])");
foreach my $sql ('SELECT g, dp_count(1000) FROM free GROUP BY g',
	'SELECT h, dp_count(1000) FROM (SELECT g AS h FROM free WHERE id > 3) q GROUP BY h')
{
	my $result = $s->run($sql);
	is($result->{message}, 'groups of table "free", which Citus distributes, cannot have the keys of a domain',
		"refused, as keys are no rows that Citus could send: $sql");
	like($result->{hint} // '', qr/idp\.drop_domain/, 'with a way out');
}
$s->value("SELECT idp.drop_domain('free', 'g')");
is($s->run('SELECT g, dp_count(1000) FROM free GROUP BY g ORDER BY g')->{out}, "0|25\n1|25\n2|25\n3|25",
	'which is one');

my $synthesize = q[SELECT * FROM idp.synthesize('TABLE', '{"g": ["0", "1", "2", "3"]}', 1000, 5)];
costs($s, 't', 0, 'synthetic rows', sub {
	my $result = $s->run($synthesize =~ s/TABLE/t/r);
	is($result->{message}, 'synthetic rows cannot be made of table "t"',
		'synthetic rows of what is empty here are refused');
	is(join(' ', map { $_ // '' } @$result{qw(detail hint)}),
		'Rows of "t" lie in other servers. Undistribute the table.', 'with a way out');
});
is($s->run($synthesize =~ s/TABLE/alone/r)->{message}, undef, 'those of a table of this server are made');
is($s->run(q[SELECT idp.protect('free', 1)])->{message}, undef, 'a table that is distributed already can be protected');
$s->value("SELECT idp.unprotect('free')");

# --- a worker ------------------------------------------------------------------------------------

$s->value('UPDATE pg_dist_local_group SET groupid = 3');
foreach my $table ('t', 't_102008', 'free', 'free_102010')
{
	foreach my $sql ("SELECT dp_count(7) FROM $table", "SELECT g, idp_median(id, 7) FROM $table GROUP BY g",
		"SELECT dp_count(7, 'of a worker') FROM $table", "EXPLAIN SELECT dp_count(7) FROM $table",
		"SELECT dp_count(7) FROM alone, $table",
		"SELECT (SELECT dp_count(7) FROM generate_series(1, r.id)) FROM $table r",
		"SET $force_parallel = on; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0; "
		  . "SELECT dp_count(7) FROM $table")
	{
		costs($s, 't', 0, $sql, sub {
			foreach my $outcome ($s->run($sql), fresh_query($node, $sql))
			{
				is($outcome->{message} // "answered: $outcome->{out}",
					qq(private answers about "$table" cannot be computed by a worker of Citus), "refused: $sql");
				like($outcome->{hint} // '', qr/coordinator/, 'with a way out');
			}
		});
		$s->value("RESET $force_parallel; RESET parallel_setup_cost; RESET min_parallel_table_scan_size");
	}
	costs($s, 't', 0, 'synthetic rows of a worker', sub {
		like($s->run($synthesize =~ s/TABLE/$table/r)->{message} // 'made',
			qr/^synthetic rows cannot be made of|^private answers about "$table" cannot be computed by a worker/,
			"$table: no synthetic rows")
	});
	is($s->value("SELECT count(*) > 0 FROM $table"), 't', "$table: what is not private is none of our business");
}
is($s->value('SELECT dp_count(1000) FROM alone'), 100, 'its own tables are answered');
foreach my $table ('free', 'free_102010')
{
	my $result = $s->run("SELECT idp.protect('$table', 1)");
	is($result->{message}, qq("$table" cannot be protected here: Citus distributes it),
		'an account is kept by the coordinator');
	like($result->{hint} // '', qr/distributed table on the coordinator/, 'with a way out');
}

# A partition in another server
$s->value('UPDATE pg_dist_local_group SET groupid = 0; CREATE FOREIGN DATA WRAPPER nothing; '
	  . 'CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing; CREATE TABLE mixed (id int, g int) PARTITION BY LIST (g); '
	  . "CREATE TABLE mixed_0 PARTITION OF mixed FOR VALUES IN (0); "
	  . "CREATE FOREIGN TABLE mixed_1 PARTITION OF mixed DEFAULT SERVER nowhere; "
	  . "SELECT idp.protect('mixed', 1000000, rows => 'visible')");
costs($s, 'mixed', 0, 'synthetic rows with a foreign partition', sub {
	my $result = $s->run($synthesize =~ s/TABLE/mixed/r);
	is($result->{message}, 'synthetic rows cannot be made of table "mixed"', 'refused');
	is(join(' ', map { $_ // '' } @$result{qw(detail hint)}),
		'Rows of "mixed_1" lie in other servers. Detach it, and make synthetic rows of it in the server of its rows.',
		'with a way out');
});

$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();
