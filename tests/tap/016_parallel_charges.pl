# Row 10 of the attacks: in parallel plans and where partitions are aggregated one by one, a query is
# charged once, as its serial plan is, and to every account behind it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('parallel_charges', 'jit = off', 'max_worker_processes = 16', 'max_parallel_workers = 12');
my $watch = session($node);
my $s = session($node);

# whole: one account. nested: two accounts, of the table and of a partition. half: the account of one
# partition alone. deep: a partition has partitions. family: inheritance.
$s->value(<<'SQL');
CREATE TABLE t AS SELECT i AS id, i % 4 AS g, i AS x FROM generate_series(1, 4000) i;
ALTER TABLE t SET (parallel_workers = 2);
ANALYZE t;
SELECT idp.protect('t', 1e9, rows => 'visible');
SELECT format('CREATE TABLE %s (LIKE t) PARTITION BY LIST (g)', name)
  FROM unnest(ARRAY['whole', 'nested', 'half', 'deep']) name \gexec
SELECT format('CREATE TABLE %s%s PARTITION OF %1$s FOR VALUES IN (%2$s)', name, g)
  FROM unnest(ARRAY['whole', 'nested', 'half']) name, generate_series(0, 3) g \gexec
SELECT format('CREATE TABLE deep%s PARTITION OF deep FOR VALUES IN (%1$s)', g) FROM generate_series(0, 2) g \gexec
CREATE TABLE deep3 PARTITION OF deep FOR VALUES IN (3) PARTITION BY RANGE (x);
CREATE TABLE deep3a PARTITION OF deep3 FOR VALUES FROM (0) TO (1500);
CREATE TABLE deep3b PARTITION OF deep3 FOR VALUES FROM (1500) TO (9000);
CREATE TABLE family (LIKE t);
CREATE TABLE child () INHERITS (family);
SELECT format('INSERT INTO %s SELECT * FROM t', name)
  FROM unnest(ARRAY['whole', 'nested', 'half', 'deep', 'child']) name \gexec
ANALYZE;
SELECT idp.protect(name::regclass, 1e9, rows => 'visible')
  FROM unnest(ARRAY['whole', 'nested', 'nested1', 'half2', 'deep', 'deep3', 'child']) name;
SQL

my $serial = 'SET max_parallel_workers_per_gather = 0';
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
  . 'SET max_parallel_workers_per_gather = 3';
my $wise = 'SET enable_partitionwise_aggregate = on';
my $sorted = 'SET enable_hashagg = off';

# The answers of a query are one node's, which the leader executes; what is below it may be parallel.
my $node_of_answers = qr/Custom Scan \(PrivateAnswers\)\n(  Answer:[^\n]*\n)?/;

# name, settings, what EXPLAIN of the query by group over table whole must show
foreach my $plan (
	[ 'serial', $serial, qr/^$node_of_answers\s+->  HashAggregate/ ],
	[ 'serial, sorted', "$serial; $sorted", qr/^$node_of_answers\s+->  GroupAggregate/ ],
	[ 'serial, by partition', "$serial; $wise", qr/^$node_of_answers\s+->  HashAggregate.*Append/s ],
	[ 'serial, by partition, sorted', "$serial; $wise; $sorted", qr/^$node_of_answers\s+->  GroupAggregate.*Append/s ],
	[ 'parallel', $parallel, qr/Finalize.*Gather.*Partial/s ],
	[ 'parallel, sorted', "$parallel; $sorted", qr/Finalize Group.*Gather.*Partial/s ],
	[ 'parallel, the leader waits', "$parallel; SET parallel_leader_participation = off",
		qr/Finalize.*Gather.*Partial/s ],
	[ 'parallel, by partition', "$parallel; $wise",
		qr/^$node_of_answers.*Finalize.*Append.*Gather|^$node_of_answers.*Finalize.*Gather.*Append/s ],
	[ 'parallel, by partition, the leader waits', "$parallel; $wise; SET parallel_leader_participation = off",
		qr/^$node_of_answers.*Finalize.*Append.*Gather|^$node_of_answers.*Finalize.*Gather.*Append/s ],
	[ 'in one worker', "$serial; SET max_parallel_workers_per_gather = 2; SET $force_parallel = on",
		qr/^$node_of_answers\s+->  HashAggregate/ ],
	[ 'in one worker, by partition',
		"$serial; SET max_parallel_workers_per_gather = 2; SET $force_parallel = on; $wise",
		qr/^$node_of_answers\s+->  HashAggregate.*Append/s ],)
{
	my ($name, $settings, $shape) = @$plan;
	$s->value("RESET ALL; $settings");
	like($s->value('EXPLAIN (COSTS off) SELECT g, dp_count(1000) FROM whole GROUP BY g'), $shape,
		"$name: the plan is the one meant");
	foreach my $case (
		[ 't', 't' ],
		[ 'whole', 'whole' ],
		[ 'nested', 'nested', 'nested1' ],
		[ 'half', 'half2' ],
		[ 'deep', 'deep', 'deep3' ],
		[ 'family', 'child' ],)
	{
		my ($table, @accounts) = @$case;
		my %queries = (
			'all rows' => [ 1000, "SELECT dp_count(1000) FROM $table", '4000' ],
			'by group' => [ 2000, "SELECT g, dp_count(1000) FROM $table GROUP BY g ORDER BY g", join "\n",
				map { "$_|1000" } 0 .. 3 ],
			'two aggregates by group' => [ 2501,
				"SELECT g, dp_count(1000), dp_sum(x, 501, 0, 0) FROM $table GROUP BY g ORDER BY g", join "\n",
				map { "$_|1000|0" } 0 .. 3 ],
			'grouping sets' => [ 3000, "SELECT g, dp_count(1000) FROM $table GROUP BY ROLLUP (g) ORDER BY g", join "\n",
				(map { "$_|1000" } 0 .. 3), '|4000' ],
			'named by group' => [ 2000,
				"SELECT g, dp_count(1000, '$name $table ' || g) FROM $table GROUP BY g ORDER BY g", join "\n",
				map { "$_|1000" } 0 .. 3 ],
			'named' => [ 1000, "SELECT dp_count(1000, '$name $table') FROM $table", '4000' ],
		);
		foreach my $kind (sort keys %queries)
		{
			my ($cost, $sql, $answer) = @{ $queries{$kind} };
			my $before = join ' ', map { spent($watch, $_) } @accounts;
			is($s->run($sql)->{out}, $answer, "$name, $table, $kind: the answer");
			my $i = 0;
			foreach my $account (@accounts)
			{
				my $spent = (split / /, $before)[ $i++ ];
				# two calls cost what each of them costs; a sum between bounds of both signs, or of none, once
				# in all groups
				my $expected = $kind eq 'two aggregates by group' ? 2501 : $cost;
				is(spent($watch, $account) - $spent, $expected, "$name, $table, $kind: charged to $account");
			}
		}
		# the same release again, by whatever plan, costs nothing
		my $before = join ' ', map { spent($watch, $_) } @accounts;
		$s->value("SELECT dp_count(1000, 'serial $table ' || g) FROM $table GROUP BY g");
		is(join(' ', map { spent($watch, $_) } @accounts), $before, "$name, $table: repeated");
	}
}
$s->value('RESET ALL');

# a private answer within a parallel worker, where nothing can be written
$s->value("CREATE FUNCTION hidden() RETURNS bigint PARALLEL SAFE "
	  . "LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(1) FROM t); END'");
costs($watch, 't', 0, 'a function that lies about itself', sub {
	my $r = $s->run("SET $force_parallel = on; SELECT hidden(); RESET $force_parallel");
	is($r->{sqlstate}, '25000', 'a function that lies about itself is refused') or diag $r->{out};
});

$s->alive('at the end');
$_->quit foreach $s, $watch;
$node->stop;
done_testing();
