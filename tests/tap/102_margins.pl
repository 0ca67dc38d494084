# idp.margin(answer, confidence): the truth lies as near to the answer as it says, as often as it says, whatever the
# data; what has no margin has none; it costs nothing, and says nothing of rows.
#
# Coverage fails for a right implementation with a probability below FAILURE (1e-15) for each of the cases, of which
# there are fewer than 100.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ChernoffTest;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('margins', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
my $groups = 2000;
$s->value(<<"SQL");
SET client_min_messages = error;
CREATE ROLE analyst LOGIN;
CREATE TABLE items (id int PRIMARY KEY, shelf int NOT NULL, n int NOT NULL, price numeric(10, 2) NOT NULL,
  weight float8 NOT NULL, big numeric NOT NULL, note text);
INSERT INTO items SELECT i, 1 + i * 7919 % $groups, i % 21 - 10, (i % 1000) / 100.0, (i % 97) / 8.0, i % 50,
  'n' || i % 4 FROM generate_series(1, 12000) i;
CREATE TABLE persons (id int PRIMARY KEY, shelf int NOT NULL, age int NOT NULL);
INSERT INTO persons SELECT i, 1 + i % $groups, i % 90 FROM generate_series(1, 4000) i;
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL REFERENCES persons, pages int NOT NULL);
INSERT INTO visits SELECT i, 1 + i % 4000, i % 9 FROM generate_series(1, 8000) i;
SELECT idp.protect('items', 1e9, 'add_remove', delta => 0.1), idp.set_domain('items', 'shelf', 1, $groups),
  idp.set_domain('items', 'n', -10, 10), idp.set_domain('items', 'price', 0, 10),
  idp.set_domain('items', 'weight', 0, 12.5),
  idp.set_domain('items', 'big', 0, 49);
SELECT idp.protect('persons', 1e9, unit => 'id', repeat => 'forever'),
  idp.link('visits', 'person', 'persons', max_rows => 4), idp.set_domain('persons', 'shelf', 1, $groups),
  idp.set_domain('persons', 'age', 0, 120), idp.set_domain('visits', 'pages', 0, 9);
GRANT SELECT ON items, persons, visits TO analyst;
SQL
my $a = session($node);
$a->value('SET SESSION AUTHORIZATION analyst; SET idp.epsilon = 0.5');

# --- Coverage -------------------------------------------------------------------------------------

# answer, truth over the rows of a shelf, table
my @answers = (
	[ 'count(*)', 'count(*)', 'items' ], [ 'dp_count(0.5)', 'count(*)', 'items' ],
	[ 'dp_count(0.1)', 'count(*)', 'items' ], [ 'count(*)', 'count(*)', 'persons' ], [ 'sum(n)', 'sum(n)', 'items' ],
	[ 'dp_sum(n, 0.5, -10, 10)', 'sum(n)', 'items' ], [ 'dp_sum(n, 0.5, -1, 10)', 'sum(greatest(n, -1))', 'items' ],
		[ 'dp_sum(age, 0.5, -10, 120)', 'sum(age)', 'persons' ], [ 'sum(age)', 'sum(age)', 'persons' ],
	[ 'sum(price)', 'sum(price)', 'items' ], [ 'dp_sum(price, 20, 0, 10)', 'sum(price)', 'items' ],
		[ 'dp_sum(price, 2000, 0, 10)', 'sum(price)', 'items' ], [ 'sum(weight)', 'sum(weight)', 'items' ],
		[ 'dp_sum(weight, 3, 0, 12.5)', 'sum(weight)', 'items' ],
	[ 'sum(big)', 'sum(big)', 'items' ], [ 'sum(price * 2)', 'sum(price * 2)', 'items' ],
		[ 'dp_sum(n::numeric, 20, 0, 10)', 'sum(greatest(n, 0))', 'items' ], [ 'dp_sum(p, 1000, 0, 10)', 'sum(price)',
		'(SELECT shelf, price AS p, price FROM items) i' ],
	[ 'count(DISTINCT note)', 'count(DISTINCT note)', 'items' ], [ 'dp_count_distinct(note, 1)', 'count(DISTINCT note)',
		'items' ], [ 'dp_count_range(n, 0.3, 0, 5)', 'count(*) FILTER (WHERE n BETWEEN 0 AND 5)', 'items' ],
	[ 'count(*) FILTER (WHERE n > 2)', 'count(*) FILTER (WHERE n > 2)', 'items' ],
	[ 'count(*)::numeric', 'count(*)', 'items' ], [ 'greatest(5, dp_count(0.5))', 'greatest(5, count(*))', 'items' ],
	[ 'round(dp_sum(price, 20, 0, 10), 0)', 'sum(price)', 'items' ], [ 'round(dp_sum(price, 20, 0, 10))', 'sum(price)',
		'items' ], [ 'dp_sum(price, 20, 0, 10)::int', 'sum(price)', 'items' ], [ 'round(dp_sum(price, 50, 0, 10), -1)',
		'sum(price)', 'items' ],
	[ 'count(*)', 'count(*)', '(SELECT shelf, v.* FROM visits v JOIN persons p ON p.id = v.person) v' ], [ 'sum(pages)',
		'sum(pages)', '(SELECT shelf, v.* FROM visits v JOIN persons p ON p.id = v.person) v' ], );
# What idp.margin says beforehand is what was found with the rows; the whole number is up to half of one from
# what was drawn.
foreach my $asked ('count(*) FROM visits', 'sum(pages) FROM visits',
	map { "$_ FROM visits v JOIN persons p ON p.id = v.person GROUP BY shelf LIMIT 1" } 'count(*)', 'sum(pages)')
{
	my ($linked, $from) = $asked =~ /^(\S+) (.*)/;
	my $margin = $a->value("SELECT idp.margin($linked) $from");
	my $kept = $s->value("SELECT margin FROM idp.answers WHERE 'visits' = ANY (tables) ORDER BY at DESC LIMIT 1");
	cmp_ok(abs($margin - 0.5 - $kept), '<', 1e-6 * $kept, "$asked: $margin, and $kept of what was drawn");
}

foreach my $case (@answers)
{
	my ($answer, $truth, $table) = @$case;
	my $query = sub {
		my ($confidence) = @_;
		return "SELECT shelf, $answer, idp.margin($answer, $confidence) FROM $table GROUP BY shelf ORDER BY shelf"
	};
	my %exact = map { split /\|/, $_, 2 } split /\n/,
		$s->value("SELECT k, coalesce(t, 0) FROM generate_series(1, $groups) k LEFT JOIN (SELECT shelf, $truth AS t "
		. "FROM $table GROUP BY shelf) q ON shelf = k");
	$exact{$_} ||= $truth =~ /^greatest/ ? 5 : 0 foreach 1 .. $groups;
	foreach my $confidence (0.5, 0.95)
	{
		my @rows = map { [ split /\|/ ] } split /\n/, $a->value($query->($confidence));
		my $margin = $rows[0][2];
		is(scalar(grep { $_->[2] ne $margin } @rows), 0, "one margin of all groups: $answer");
		my $within = sub {
			my ($reach) = @_;
			return scalar grep { abs($_->[1] - $exact{ $_->[0] }) <= $reach * (1 + 1e-12) } @rows
		};
		my $held = $within->($margin);
		ok(@rows == $groups && ($held / $groups >= $confidence || !is_improbable($held, $groups, $confidence)),
			"$answer of $table lies within $margin of the truth in $held of $groups draws at $confidence");
		next if $confidence < 0.95 || $margin < 2;
		# Errors below it may be cut off at 0; above it are 0.18 of Laplace noise, and of whole numbers a tenth: too few
		# once in 1e10 runs.
		my $above = grep { $_->[1] - $exact{ $_->[0] } > $margin / 3 } @rows;
		my $least = (1 - $confidence) / 2;
		ok($above / $groups > $least && is_improbable($above, $groups, $least),
			"... and by more than a third of that above it more often: $above");
	}
}
# What the law says where it is coarse: 20 / 10 000 per step, so that no noise is likely.
is($a->value('SELECT idp.margin(dp_count(20)), idp.margin(dp_count(20), 0.999999), idp.margin(dp_count(20), 1 - '
	. '1e-12), idp.margin(idp_count_range(n, 0.1, 0, 5)), idp.margin(dp_sum(n, 1, 0, 0)) FROM items'), '0|0|1|1|0',
	'few units');
is($a->value("SELECT idp.margin(dp_sum(n, 0.5, -10, 5), 0.9) = dp_error(0.5, 10, 0.9), idp.margin(dp_count(0.01)) = "
	. "dp_error(0.01, 1, 0.95), idp.margin(dp_sum(price, 0.5, 0, 10), 0.99) - dp_error(0.5, 10, 0.99, 0.01) "
	. "BETWEEN 0 AND 1e-12 FROM items"), 't|t|t', 'as dp_error of the sensitivity says');
# The digits of values are those that the executor finds; where there are none, it is no wider.
foreach my $value ('big', 'price * 2', 'n::numeric', 'round(big, 2)', 'coalesced', 'given')
{
	my $margin = "idp.margin(dp_sum($value, 0.5, 0, 40), 0.9)";
	my $rows = '(SELECT *, abs(big) AS given, CASE WHEN n > 0 THEN price * 2 ELSE big END AS coalesced FROM items) i';
	my $most = $value eq 'coalesced' ? 1.5 : 1.000001;    # of what a query may choose nothing is known
	is($a->value("SELECT $margin / dp_error(0.5, 40, 0.9, 0) BETWEEN 0.999999 AND $most FROM $rows"), 't',
		"steps of $value");
}
is($a->value('SELECT idp.margin(dp_sum(age, 0.5, -10, 5), 0.9) = dp_error(0.5, 15, 0.9), idp.margin(dp_sum(age, 0.5, '
	. '1, 5), 0.9) = dp_error(0.5, 5, 0.9) FROM persons'), 't|t', 'where neighbours substitute a row');
is($a->value("SELECT dp_count(1e-9), idp.margin(dp_count(1e-9)) BETWEEN 2.99e9 AND 3e9 FROM items") =~ s/.*[|]//r, 't',
	'a margin of billions');

# --- What has none --------------------------------------------------------------------------------

foreach my $answer ('avg(n)', 'dp_avg(n, 1, 0, 9)', 'min(n)', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY n)',
	'stddev(n)', 'dp_median(n, 1, 0, 9)', 'idp_median(n, 1)', 'idp_sum(n, 1, 0, 9)', 'dp_sum(n, 1)',
	'dp_mode(n, 1, ARRAY[1, 2])',
	'dp_histogram(n, 1, 0, 9, 3)', 'count(*) + 1', '2 * count(*)', 'sum(n) / count(*)', 'count(*) - sum(n)',
		"dp_count(1)::text", 'greatest(count(*), sum(n))', 'CASE WHEN count(*) > 5 THEN count(*) END', '5', "'x'::text",
		'NULL::int')
{
	is($a->value("SELECT idp.margin($answer), count(*) > 0 FROM items"), '|t', "no margin: $answer");
}
is($s->value("SELECT dp_count(1, 'margins'), idp.margin(dp_count(1, 'margins')) FROM items") =~ s/.*[|]//r, '',
	'of a release');
is($s->value('SELECT count(*), idp.margin(count(*)) FROM items'), '12000|', 'of an exact count, of who sees rows');
is($a->value('SELECT idp.margin(c) FROM (SELECT count(*) AS c FROM items) q'), '', 'of an answer of another SELECT');
is($s->value('SELECT idp.margin(dp_count(1)) FROM generate_series(1, 9)'), '3', 'of rows that nobody protects');

# --- In a statement -------------------------------------------------------------------------------

is($a->value('SELECT shelf, idp.margin(count(*)) FROM items GROUP BY 1 HAVING idp.margin(count(*), 0.9) > 1 '
	  . 'ORDER BY idp.margin(count(*)), 1 LIMIT 1'), '1|6', 'HAVING, ORDER BY, LIMIT');
is($a->value('SELECT idp.margin(count(*)), sum(idp.margin(count(*))) OVER () FROM items GROUP BY shelf LIMIT 1'),
	"6|" . 6 * $groups, 'windows');
is($a->value('SELECT m, c > 0 FROM (SELECT count(*) AS c, idp.margin(confidence => 0.5, answer => count(*)) '
	  . 'AS m FROM items) q'), '1|t', 'a subquery, and names of arguments');
is($a->value('WITH q AS (SELECT idp.margin(count(*)) m, count(*) c FROM items) SELECT m FROM q'), '6', 'a CTE');
$s->value('CREATE VIEW counted WITH (security_invoker) AS SELECT count(*) AS c, idp.margin(count(*)) AS m FROM items; '
	  . 'GRANT SELECT ON counted TO analyst');
is($a->value('SELECT m FROM counted'), '6', 'a view');
is($a->value('SELECT shelf IS NULL, idp.margin(count(*)) FROM items GROUP BY ROLLUP (shelf) ORDER BY 1 DESC LIMIT 1'),
	't|6', 'ROLLUP');
is($a->value('SELECT (SELECT idp.margin(count(*)) FROM persons), '
	  . '(SELECT idp.margin(count(DISTINCT person)) FROM visits)'), '6|6', 'scalar subqueries');
foreach my $mode ('force_generic_plan', 'force_custom_plan')
{
	$a->value("SET plan_cache_mode = $mode; "
		  . "PREPARE p(float8, float8) AS SELECT dp_count(\$1) IS NULL, idp.margin(dp_count(\$1), \$2) FROM items");
	is($a->value("EXECUTE p($_->[0], $_->[1])"), "f|$_->[2]", "$mode: parameters")
	  foreach [ 1, 0.95, 3 ], [ 0.1, 0.95, 30 ], [ 0.1, 0.5, 7 ], [ 1, 0.95, 3 ];
	$a->value('DEALLOCATE p; RESET plan_cache_mode');
}
is($a->value('SELECT idp.margin(count(*), NULL) FROM items'), '', 'no confidence');
my $before = entries($s, 'items');
foreach my $bad ('0', '1', '-1', '1.5', "'NaN'", "'Infinity'", '0.5 + 0.5')
{
	my $r = $a->run("SELECT idp.margin(count(*), $bad) FROM items");
	is($r->{sqlstate} // 'none', '22023', "confidence $bad");
	like($r->{message}, qr/^confidence must be greater than 0 and less than 1/, '... says so');
}
is(entries($s, 'items'), $before, 'before anything is charged');
is($a->run('PREPARE bad(float8) AS SELECT idp.margin(count(*), $1) FROM items; '
	  . 'SET plan_cache_mode = force_generic_plan; EXECUTE bad(2)')->{sqlstate}, '22023', 'a bad parameter');
$a->value('RESET plan_cache_mode');

# --- What it costs, and follows from --------------------------------------------------------------

costs($s, 'items', '0.5', 'with the answer',
	sub { $a->value('SELECT count(*), idp.margin(count(*)), idp.margin(count(*), 0.5) FROM items') });
is($a->value($_ =~ s/SELECT (.*)/SELECT * FROM idp.cost('SELECT $1')/r), 'items|0.5|0|0',
	"costs: $_") foreach 'SELECT count(*), idp.margin(count(*)) FROM items', 'SELECT idp.margin(count(*)) FROM items';
my $asked = 'SELECT idp.margin(count(*)), idp.margin(sum(age), 0.9), idp.margin(dp_count(0.001)) FROM persons';
my $margins = $a->value($asked);
is($a->value($asked), $margins, 'answered before: the same');
costs($s, 'persons', 0, '... free', sub { $a->value($asked) });
$a->value('SET plan_cache_mode = force_generic_plan; '
	  . 'PREPARE kept AS SELECT idp.margin(dp_sum(n, 0.5, -10, 5), 0.9) FROM items');
my $added = $a->value('EXECUTE kept');
is($added, $s->value('SELECT dp_error(0.5, 10, 0.9)'), 'of a plan that is kept');
$s->value("DELETE FROM visits; DELETE FROM items WHERE id > 3; SELECT idp.forget_answers('persons')");
is($a->value($asked), $margins, 'of other rows: the same');
is($a->value('EXECUTE kept'), $added, '... in a plan that is kept');
$s->value("SET client_min_messages = error; SELECT idp.protect('items', 1e9, 'substitute')");
is($a->value('EXECUTE kept'), $s->value('SELECT dp_error(0.5, 15, 0.9)'), 'of other neighbours: what these ask for');

# The function that it becomes is nobody's way to read memory or rows.
is($a->value("SELECT idp.margin_of(1, 0.95, 0, 'dp_count(double precision)'::regprocedure::oid, "
	  . "'{}', -1, 0.5::float8)"), '6', 'called as the planner does');
foreach my $call ("1, 0.95, 0, 'dp_count(double precision)'::regprocedure::oid, '{}', -1, '0.5'::text",
	"1, 0.95, 0, 'dp_count(double precision)'::regprocedure::oid, '{}', -1, 0.5::float8, 1",
	"1, 0.95, 0, 'lower(text)'::regprocedure::oid, '{}', -1, 'a'::text",
	"1, 0.95, 0, 0::oid, '{}', -1, 1", "1, 0.95, 0, NULL::oid, '{}', -1, 1",
		"1, 0.95, 0, 'dp_sum(integer,double precision,integer,integer)'::regprocedure::oid, '{}', -1, 1::bigint, "
		. "1::bigint, 0::bigint, 1::bigint")
{
	is($a->run("SELECT idp.margin_of($call)")->{out} // '', '', "nothing: margin_of($call)");
}
$a->alive('a server that lives') if $a->can('alive');
is($a->run('SELECT idp.margin_of(1, 0.95, 0, \'dp_count(double precision)\'::regprocedure::oid, '
	  . 'NULL, -1, -5::float8)')->{out}, '', 'without tables');
isnt($a->run('SELECT idp.margin_of(1, 0.95, 0, \'dp_count(double precision)\'::regprocedure::oid, '
	  . 'ARRAY[0]::oid[], -1, -5::float8)')->{sqlstate}, undef, 'a bad epsilon');

$node->stop;
done_testing();
