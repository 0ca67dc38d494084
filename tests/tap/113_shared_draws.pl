# A number has one answer in all of a statement that asks for it in several places: it is drawn once, charged once, and
# the same everywhere, so that answers can be compared with answers. At an epsilon at which two draws of sums are next
# to never the same, nor cut off at 0 together.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $epsilon = 0.01;
my ($node, $s) = shop_server('shared_draws');
$s->value("SET ROLE owner; CREATE TABLE visits (id int PRIMARY KEY, kind text NOT NULL, seconds int NOT NULL); "
	. "INSERT INTO visits SELECT i, (ARRAY['a', 'b', 'c'])[1 + i % 3], i % 50 FROM generate_series(1, 3000) i; "
	. "SELECT idp.protect('visits', 1e9), idp.set_domain('visits', 'seconds', 0, 50); GRANT "
	. "SELECT ON visits TO analyst; RESET ROLE");
my $a = session($node);
$a->value("SET ROLE analyst; SET idp.epsilon = $epsilon");
$_->{quiet} = 1 foreach $s, $a;

# The answer, and what it was charged in units of epsilon.
sub asked
{
	my ($answer, $cost) = answer_and_cost($s, $a, @_);
	return ($answer, sprintf '%.6g', $cost / $epsilon);
}

# A statement whose answer is known, as it compares answers with themselves: what it costs, and its rows.
my $n = 20;
my $where = sub { 'age > ' . ++$n };    # others were not asked yet
my ($x, @others) = map { $where->() } 1 .. 6;
# Sums of two draws are the same once in 2e4 runs, three pairs of them once in 8e12. Those of numeric without a scale
# have steps of 1e-16.
sub pairs { return 'SELECT ' . join(' + ', map { "((SELECT $_->[0]) = (SELECT $_->[1]))::int" } @_) . ' < 3' }
my $sum = 'sum(age) FROM customers WHERE';
foreach my $case (
	[ 'two subqueries', "SELECT (SELECT count(*) FROM customers WHERE $x) - (SELECT count(*) FROM customers WHERE $x)",
		1, '0' ],
	[ 'other numbers',
		pairs(map { [ "$sum $_->[0]", "$sum $_->[1]" ] } [ $x, $others[0] ], [ @others[ 1, 2 ] ], [ @others[ 3, 4 ] ]),
		6, 't' ],
	[ 'groups that are compared with their greatest sum',
		'SELECT count(*) FROM (SELECT status, sum(amount + 0) FROM orders WHERE quantity > 1 GROUP BY status '
		. 'HAVING sum(amount + 0) >= (SELECT max(s) FROM (SELECT sum(amount + 0) AS s FROM orders '
		. 'WHERE quantity > 1 GROUP BY status) q)) t', 2, '1' ],
	[ 'with the others', 'SELECT count(*) FROM (SELECT status, sum(amount + 0) FROM orders GROUP BY status '
		. 'HAVING sum(amount + 0) < (SELECT max(n) FROM (SELECT sum(amount + 0) AS n, status FROM orders '
		. 'GROUP BY status) q)) t', 2, '3' ],
	[ 'a top by what is shown',
		"SELECT count(n + s) FROM (SELECT channel, count(*) AS n, sum(quantity) AS s FROM orders "
		. "WHERE channel IN (SELECT channel FROM orders GROUP BY channel "
		. "ORDER BY count(*) DESC, sum(quantity) LIMIT 2) GROUP BY channel) t", undef, '2' ],
	[ 'a join of answers',
		"SELECT count(*) FROM (SELECT segment, count(*) AS n FROM customers GROUP BY segment) p JOIN "
		. "(SELECT count(*) AS n, segment FROM customers GROUP BY segment) q USING (segment, n)", 2, '3' ],
	[ 'averages', 'SELECT count(*) FROM (SELECT segment, avg(age) AS a FROM customers GROUP BY segment) p, '
		. '(SELECT avg(age) AS a, segment FROM customers GROUP BY segment) q WHERE p.segment = q.segment '
		. 'AND p.a IS DISTINCT FROM q.a', undef, '0' ],
	[ 'grouping sets', 'SELECT count(*) FROM (SELECT segment, region_id, count(*) FROM customers '
		. 'GROUP BY ROLLUP (segment, region_id) EXCEPT SELECT segment, region_id, count(*) FROM customers '
		. 'GROUP BY ROLLUP (segment, region_id)) t', 5, '0' ],
	[ 'groups that are decided about', 'SELECT count(*) FROM (SELECT email, count(*) FROM customers GROUP BY email '
		  . 'EXCEPT SELECT email, count(*) FROM customers GROUP BY email) t', undef, '0' ],
	[ 'medians', "SELECT (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) "
		  . "FROM customers) - (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY age) FROM customers)", 1, '0' ],
	[ 'rows of the past', "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT (SELECT sum(age) FROM customers "
		  . "WHERE age < 88) - (SELECT sum(age) FROM customers WHERE age < 88); COMMIT", 1, '0' ],
	[ 'a table whose answers do not repeat',
		pairs(map { [ ("sum(seconds) FROM visits WHERE seconds > $_") x 2 ] } 1 .. 3),
		6, 't' ],
	[ 'columns of one meaning',
		'SELECT sum(a) - sum(b) FROM (SELECT age AS a, age AS b FROM customers WHERE age > 60) c', 1, '0' ],
	[ 'columns of one meaning in groups',
		'SELECT count(*) FROM (SELECT segment, sum(a) = sum(b) AS same, count(a) AS n, avg(b) AS m FROM '
		. '(SELECT segment, age AS a, age AS b FROM customers WHERE age > 61) c GROUP BY segment) g WHERE same', 2,
		'3' ],
	[ 'one that was asked before',
		'SELECT sum(a) - sum(b), count(b) >= 0 FROM (SELECT age AS a, age AS b FROM customers WHERE age > 60) c', 1,
		'0|t' ],
	[ 'different epsilons', pairs(map {
		my $n = $_;
		[ map { "dp_sum(age, $_, 18, 90) FROM customers WHERE age > $n" } 0.01, 0.02 ]
	}
		70 .. 72), 9, 't' ])
{
	my ($name, $sql, $times, $expected) = @$case;
	my ($out, $charged) = asked($sql);
	is($out, $expected, "$name: the same");
	is($charged, $times, "$name: charged once") if defined $times;
	next if $name =~ /past|do not repeat|different/;
	($out, my $again) = asked($sql);
	is("$out $again", "$expected 0", "$name: again for nothing");
}

# What is asked beforehand counts it once, too.
my $sql = 'SELECT (SELECT count(*) FROM customers WHERE age > 50) - (SELECT count(*) FROM customers WHERE age > 50)';
like($a->value("EXPLAIN $sql"), qr/costs 0\.01 of .*answered before, free/s, 'EXPLAIN says which of the two is free');
is($a->value("SELECT sum(epsilon) FROM idp.cost('$sql')"), $epsilon, 'idp.cost counts one');

# Of what is kept a part is given, and a part drawn, for both.
asked('SELECT segment, count(*) FROM customers WHERE age > 50 GROUP BY segment');
my ($out,
	$charged) = asked('SELECT count(*) FROM (SELECT segment, count(*) AS n, count(*) FILTER (WHERE age > 60) AS s '
	. 'FROM customers WHERE age > 50 GROUP BY segment) p JOIN (SELECT count(*) FILTER '
	. '(WHERE age > 60) AS s, segment, count(*) AS n FROM customers WHERE age > 50 '
	. 'GROUP BY segment) q USING (segment, n, s)');
is("$out $charged", '3 2', 'one that was asked before, and a new one, of two nodes');

# The count was asked before, but not with the sum of an average: they are drawn together, and the new count is shown in
# all places.
my $counts = 'SELECT r.id, (SELECT count(*) FROM customers c '
  . 'WHERE c.age > 57 AND c.region_id = r.id) AS n FROM regions r';
asked($counts);
($out, $charged) = asked("SELECT count(*) FROM (SELECT a.m, a.n - b.n AS d FROM regions r LEFT JOIN LATERAL "
	. "(SELECT avg(age) AS m, count(*) AS n FROM customers c WHERE c.age > 57 "
	. "AND c.region_id = r.id) a ON true JOIN ($counts) b ON b.id = r.id) d WHERE d = 0 "
	. "AND m IS DISTINCT FROM -1");
is("$out $charged", '4 2', 'an average beside a count that was asked before');

# Cursors are read in turn.
$a->value('BEGIN; DECLARE pair CURSOR FOR SELECT segment, count(*) FROM customers WHERE age > 55 GROUP BY segment '
	  . 'UNION ALL SELECT segment, count(*) FROM customers WHERE age > 55 GROUP BY segment');
my @rows = map { $a->value('FETCH pair') } 1 .. 6;
$a->value('COMMIT');
is(join(' ', sort @rows[ 0 .. 2 ]), join(' ', sort @rows[ 3 .. 5 ]), 'a cursor over both');

# For more epsilon it is refined, once.
$a->value("SET idp.epsilon = " . 3 * $epsilon);
($out, $charged) =
  asked("SELECT (SELECT count(*) FROM customers WHERE $x) - (SELECT count(*) FROM customers WHERE $x)");
is("$out $charged", '0 2', 'refined for the difference, in both places');

done_testing();
