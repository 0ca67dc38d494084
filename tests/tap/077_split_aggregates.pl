# One number for each person, by native aggregates that the planner computes in halves: by parallel processes, or
# partition by partition. What a half over states says of types and digits is nothing; so whether a query is answered,
# what it costs and what comes of it are the same in every plan.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('split_aggregates', 'fsync = off', 'max_worker_processes = 16', 'max_parallel_workers = 8',
	"session_preload_libraries = 'idp'");
my $s = session($node);

# A column of each type that aggregates are asked of, with the digits declared that a type may have.
my %columns = (
	small => 'smallint', whole => 'integer', big => 'bigint', price => 'numeric(10,2)', open => 'numeric',
	ratio => 'real', share => 'double precision', word => 'text', code => 'char(4)', day => 'date', hour => 'time',
	moment => 'timestamp', instant => 'timestamptz', span => 'interval', flag => 'boolean');
my $columns = join ', ', map { "$_ $columns{$_}" } sort keys %columns;
my %values = (
	(map { $_ => 'i * 7919 % 97' } qw(small whole big)),
	(map { $_ => 'i * 7919 % 9700 / 100.0' } qw(price open ratio share)),
	(map { $_ => "'a' || i * 7919 % 97" } qw(word code)),
	(map { $_ => "timestamp '2024-01-01' + i * 7919 % 97 * interval '7 hours'" } qw(day hour moment instant)),
	span => "i * 7919 % 97 * interval '1 hour'", flag => 'i * 7919 % 97 > 48');
my $values = join ', ', map { $values{$_} } sort keys %values;
my $rows = "SELECT i, 1 + i % 400, $values FROM generate_series(1, 4000) i";
$s->value(<<"SQL");
CREATE TABLE customers (id integer PRIMARY KEY);
INSERT INTO customers SELECT generate_series(1, 400);
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers, $columns);
CREATE TABLE by_id (id integer, customer integer NOT NULL REFERENCES customers, $columns) PARTITION BY RANGE (id);
CREATE TABLE by_id_1 PARTITION OF by_id FOR VALUES FROM (0) TO (2000);
CREATE TABLE by_id_2 PARTITION OF by_id FOR VALUES FROM (2000) TO (4001);
CREATE TABLE by_customer (id integer, customer integer NOT NULL REFERENCES customers, $columns)
  PARTITION BY RANGE (customer);
CREATE TABLE by_customer_1 PARTITION OF by_customer FOR VALUES FROM (0) TO (200);
CREATE TABLE by_customer_2 PARTITION OF by_customer FOR VALUES FROM (200) TO (401);
INSERT INTO orders (id, customer, @{[ join ', ', sort keys %columns ]}) $rows;
INSERT INTO by_id TABLE orders;
INSERT INTO by_customer TABLE orders;
VACUUM ANALYZE;
SELECT idp.protect('customers', 1e9, 'add_remove', unit => 'id');
SELECT idp.link(t, 'customer', 'customers') FROM unnest(ARRAY['orders', 'by_id', 'by_customer']::regclass[]) t;
CREATE ROLE analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst;
SQL

# The server's own aggregates of one argument, over each column of its type.
my @aggregates;
foreach my $column ('*', sort keys %columns)
{
	my $of = $column eq '*' ? "pronargs = 0" : "pronargs = 1 AND proargtypes[0] IN ((SELECT atttypid FROM pg_attribute "
	  . "WHERE attrelid = 'orders'::regclass AND attname = '$column'), '\"any\"'::regtype)";
	push @aggregates, map { "$_($column)" } split /\n/, $s->value(<<"SQL");
SELECT proname FROM pg_proc p JOIN pg_aggregate a ON aggfnoid = p.oid
WHERE $of AND aggkind = 'n' AND pronamespace = 'pg_catalog'::regnamespace AND prorettype IN (SELECT oid FROM pg_type
  WHERE typcategory IN ('N', 'S', 'D', 'B', 'T')) ORDER BY 1
SQL
}
cmp_ok(scalar @aggregates, '>', 100, 'aggregates of the server');
my $split = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
  . 'SET min_parallel_table_scan_size = 0;';
my %plans = (
	'by parallel processes, hashed' => [ 'orders', "$split SET enable_sort = off;", qr/AGGREGATE.*GATHER .*AGGREGATE/ ],
	'by parallel processes, sorted' => [ 'orders', "$split SET enable_hashagg = off;",
		qr/AGGREGATE.*GATHERMERGE.*AGGREGATE.*SORT/ ],
	'a half for each partition' => [ 'by_id',
		'SET max_parallel_workers_per_gather = 0; SET enable_partitionwise_aggregate = on;',
		qr/AGGREGATE.*APPEND.*AGGREGATE.*AGGREGATE/ ],
	'a half for each partition, by parallel processes' => [ 'by_id', "$split SET enable_partitionwise_aggregate = on;",
		qr/AGGREGATE.*GATHER.*APPEND.*AGGREGATE.*AGGREGATE/ ],
	'partition by partition' => [ 'by_customer',
		'SET max_parallel_workers_per_gather = 0; SET enable_partitionwise_aggregate = on;',
		qr/APPEND.*AGGREGATE.*AGGREGATE/ ],);

# What is asked: how many persons have a number above the one in the middle, known to the owner.
sub question
{
	my ($aggregate, $table, $answer) = @_;
	my ($type, $middle) = split /\|/, $s->value("SELECT pg_typeof(m), m FROM (SELECT percentile_disc(0.4) "
		  . "WITHIN GROUP (ORDER BY a) m FROM (SELECT $aggregate a FROM orders GROUP BY customer) o) m");
	return "SELECT $answer FROM (SELECT customer, $aggregate AS a FROM $table GROUP BY customer) o "
	  . "WHERE a > '$middle'::$type";
}

sub asked
{
	my ($settings, $question) = @_;
	my $before = spent($s, 'customers');
	my $r = $s->run("$settings SET ROLE analyst; $question");
	$s->value('RESET ROLE; RESET ALL');
	# of a table, the name is that of the one asked
	my $verdict = $r->{sqlstate} ? $r->{message} =~ s/"(?:orders|by_\w+)"/"…"/r : 'answered';
	return { verdict => $verdict, out => $r->{out}, cost => spent($s, 'customers') - $before };
}

my %answered;
my %shown;
foreach my $aggregate (@aggregates)
{
	my $serial = asked('SET max_parallel_workers_per_gather = 0;', question($aggregate, 'orders', 'dp_count(1000)'));
	my $exact = $s->value(question($aggregate, 'orders', 'count(*)'));
	$answered{$aggregate} = $serial->{verdict} eq 'answered';
	is($serial->{out}, $exact, "$aggregate: the answer") if $answered{$aggregate};
	foreach my $name (sort keys %plans)
	{
		my ($table, $settings, $plan) = @{ $plans{$name} };
		my $question = question($aggregate, $table, 'dp_count(1000)');
		my $asked = asked($settings, $question);
		is_deeply($asked, $serial, "$aggregate, $name: the same") or next;
		next unless $answered{$aggregate};
		$s->value("$settings SET ROLE analyst");
		$shown{$name}++ if steps_of($s, $question) =~ $plan;
		$s->value('RESET ROLE; RESET ALL');
	}
}
my @answered = grep { $answered{$_} } @aggregates;
cmp_ok(scalar @answered, '>=', 70, 'most are answered');
ok($answered{"$_(price)"}, "$_ of declared digits is")
  foreach qw(sum avg variance var_pop var_samp stddev stddev_pop stddev_samp min max count);
ok(!$answered{"$_(open)"}, "$_ without them is not") foreach qw(sum avg variance stddev);
is($shown{$_}, scalar @answered, "$_: so are all that are answered") foreach sort keys %plans;

# The example of docs/persons.md, and what stands above the numbers.
foreach my $query (
	'SELECT idp_median(spent, 1000) FROM (SELECT customer, sum(price) AS spent FROM orders GROUP BY customer) o',
	'SELECT dp_count(1000) FROM (SELECT customer FROM orders GROUP BY customer '
	  . 'HAVING sum(price) > 400 AND avg(price) < 60) o',
	'SELECT dp_count(1000) FROM (SELECT customer, sum(price) / count(*) AS a FROM orders '
	  . 'GROUP BY customer) o WHERE a > 45',
	'SELECT dp_count(1000) FROM (SELECT customer, sum(price) FILTER (WHERE small > 40) AS a FROM orders '
	  . 'GROUP BY customer) o WHERE a > 100',
	'SELECT dp_sum(a, 1000, 0::numeric, 1000::numeric) FROM (SELECT customer, sum(round(open, 2)::numeric(10,2)) AS a '
	  . 'FROM orders GROUP BY customer) o')
{
	my $serial = asked('SET max_parallel_workers_per_gather = 0;', $query);
	is($serial->{verdict}, 'answered', "answered: $query");
	my $parallel = asked($plans{'by parallel processes, hashed'}[1], $query);
	is($parallel->{verdict}, 'answered', '... in parallel');
	is($parallel->{cost}, $serial->{cost}, '... at the same cost');
}
my $open = 'SELECT idp_median(a, 1) FROM (SELECT customer, sum(open * 2) AS a FROM orders GROUP BY customer) o';
is(asked($plans{$_}[1], $open =~ s/orders/$plans{$_}[0]/r)->{verdict},
	'function sum(numeric) cannot be applied to hidden rows of table "…": write sum(x::numeric(12,2))',
	"$_: no digits, no answer") foreach sort keys %plans;

done_testing();
