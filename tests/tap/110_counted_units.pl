# How many persons there are in each group, where a person may have any number of rows, and is in several groups:
# answered as they are, for epsilon once; and what one person changes, found by leaving out each, is no more than what
# noise is for.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $node = new_node('counted_units', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner');
$s->value($_) foreach 'CREATE TABLE persons (id int PRIMARY KEY, region int NOT NULL)',
  'INSERT INTO persons SELECT i, 1 + i % 3 FROM generate_series(1, 40) i',
  'CREATE TABLE calls (id int PRIMARY KEY, person int NOT NULL REFERENCES persons, kind text NOT NULL, '
    . 'hour int NOT NULL, length int NOT NULL)',
  "INSERT INTO calls SELECT row_number() OVER (), p, (ARRAY['a', 'b', 'c', 'd'])[1 + (p * n) % 4], (p + n) % 6, n "
    . "FROM generate_series(1, 40) p, generate_series(1, 9) n WHERE n <= p % 10",
  "SELECT idp.protect('persons', 1e9, unit => 'id', repeat => 'forever')",
  "SELECT idp.link('calls', 'person', 'persons')",
  "SELECT idp.set_domain('calls', 'kind', ARRAY['a', 'b', 'c', 'd', 'e'])",
  "SELECT idp.set_domain('calls', 'hour', 0, 5)", "SELECT idp.set_domain('persons', 'region', 1, 3)",
  'GRANT SELECT ON persons, calls TO analyst';
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1000');
my $owner = session($node);
$owner->value('SET ROLE owner');
$_->{quiet} = 1 foreach $s, $a, $owner;

# Statement, how many keys, how many times epsilon it costs, and the most that a person may change: the bound that noise
# is for.
my @cases = (
	[ 'SELECT count(DISTINCT person) FROM calls', 0, 1, 1 ],
	[ "SELECT count(DISTINCT person) FROM calls WHERE kind = 'a' AND length > 2", 0, 1, 1 ],
	[ "SELECT count(DISTINCT person) FILTER (WHERE kind = 'b') FROM calls", 0, 1, 1 ],
	[ 'SELECT count(DISTINCT p.id) FROM calls c JOIN persons p ON p.id = c.person WHERE p.region = 2', 0, 1, 1 ],
	[ 'SELECT p.region, count(DISTINCT c.person) FROM calls c JOIN persons p ON p.id = c.person GROUP BY 1', 1, 2, 1 ],
	[ 'SELECT kind, count(DISTINCT person) FROM calls GROUP BY kind', 1, 2, 5 ],
	[ 'SELECT kind, hour, count(DISTINCT person) FROM calls GROUP BY kind, hour', 2, 2, 30 ],
	[ 'SELECT kind, count(DISTINCT person) FILTER (WHERE length > 2) FROM calls GROUP BY kind', 1, 2, 5 ],
	[ 'SELECT kind, count(*) FROM (SELECT person, kind FROM calls GROUP BY person, kind) q GROUP BY kind', 1, 2, 5 ],
	[ 'SELECT hour, count(*) FROM (SELECT DISTINCT person, hour FROM calls) q GROUP BY hour', 1, 2, 6 ],
	[ 'SELECT p.region, c.kind, count(DISTINCT p.id) FROM calls c JOIN persons p ON p.id = c.person GROUP BY 1, 2', 2,
		2, 15 ],
	# rows of several tables, one after the other
	[ "SELECT count(*) FROM (SELECT p, count(*) AS n FROM (SELECT id AS p FROM persons UNION ALL SELECT person "
		  . "FROM calls WHERE kind = 'a') w GROUP BY p HAVING count(*) > 1) q", 0, 1, 1 ],
	[ 'SELECT count(DISTINCT p) FROM (SELECT id AS p FROM persons WHERE region = 1 UNION ALL SELECT person FROM calls '
		  . 'WHERE hour > 2) w', 0, 1, 1 ],
	[ "SELECT count(*) FROM (SELECT id FROM persons WHERE region = 1 UNION SELECT person FROM calls "
		  . "WHERE kind = 'b') w", 0, 1, 1 ]);

sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

# Numbers by their keys.
sub cells
{
	my ($printed, $keys) = @_;
	my %cells;
	foreach my $row (map { [ split /\|/, $_, -1 ] } split /\n/, $printed)
	{
		$cells{ join '|', @$row[ 0 .. $keys - 1 ] } = $row->[-1];
	}
	return \%cells;
}

foreach my $case (@cases)
{
	my ($sql, $keys, $times, $bound) = @$case;
	my $before = spent();
	my $got = $a->run($sql);
	my $charged = (spent() - $before) / 1000;
	is($got->{message} // difference_but_empty($owner->value($sql), $got->{out}, 0.01), '', "$sql: as they are");
	is($a->value("$sql \\gdesc"), $owner->value("$sql \\gdesc"), 'columns');
	cmp_ok(abs($charged - $times), '<', 1e-6, "costs $times times epsilon") or diag $charged;
	my $paid = spent();
	$a->value($sql);
	is(spent(), $paid, 'free the second time');

	my $all = cells($owner->value($sql), $keys);
	my $most = 0;
	foreach my $person (1 .. 40)
	{
		my $without = cells($owner->value("BEGIN; DELETE FROM calls WHERE person = $person; "
			  . "DELETE FROM persons WHERE id = $person; $sql; ROLLBACK"), $keys);
		my $change = 0;
		$change += abs(($all->{$_} // 0) - ($without->{$_} // 0)) foreach keys %$all;
		$most = $change if $change > $most;
	}
	cmp_ok($most, '<=', $bound, "one person changes all of it by at most $bound");
	my $plan = $a->value("EXPLAIN VERBOSE $sql");
	if ($bound == 1) { like($plan, qr/dp_count\(/, 'a count of rows of persons') }
	else { like($plan, qr/dp_sum\([^;]*?'0'::numeric, \Q$bound\E(?:\.0+)?\)/, "noise is for $bound") }
}

# What has no bound stays refused, by who asks for it himself as well.
foreach my $case (
	[ 'SELECT count(*) FROM calls', qr/of which one unit may have any number: group by its key first/ ],
	[ 'SELECT kind, count(DISTINCT length) FROM calls GROUP BY kind',
		qr/of which one unit may have any number: group by its key first/ ],
	[ 'SELECT length, count(DISTINCT person) FROM calls GROUP BY length', qr/: group by / ],
	[ 'SELECT count(DISTINCT person), sum(length) FROM calls',
		qr/of which one unit may have any number: group by its key first/ ],
	[ 'SELECT kind, avg(n) FROM (SELECT person, kind, count(*) AS n FROM calls GROUP BY 1, 2) q GROUP BY 1',
		qr/of which one unit may have any number: group by its key first/ ])
{
	my $before = spent();
	my $got = $a->run($case->[0]);
	like($got->{message} // "answered: $got->{out}", $case->[1], "refused: $case->[0]");
	is(spent(), $before, 'not charged');
}

done_testing();
