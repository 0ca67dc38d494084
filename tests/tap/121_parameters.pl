# Parameters of prepared statements where a plan needs their values: in keys of groups, in what is added up, and in the
# OFFSET that an ORM writes over rows. As often as a statement is executed, it is answered, and costs what
# it costs once.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my ($node, $s) = shop_server('parameters');
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1000');

# What an execution gives, or how it is refused, and what it costs.
sub execute { return answer_and_cost($s, $a, "EXECUTE $_[0]") }

# [statement, arguments, the same with constants]
my @statements = (
	[ 'SELECT floor(amount / $1) * $2 AS bin, count(*) FROM orders GROUP BY 1 ORDER BY 1', '500, 500',
		'SELECT floor(amount / 500) * 500, count(*) FROM orders GROUP BY 1 ORDER BY 1' ],
	[ 'SELECT date_trunc($1, ordered_at) AS at, count(*) FROM orders GROUP BY 1 ORDER BY 1', "'quarter'",
		q{SELECT date_trunc('quarter', ordered_at), count(*) FROM orders GROUP BY 1 ORDER BY 1} ],
	[ 'SELECT CASE WHEN status = $1 THEN $2::text ELSE $3::text END AS kind, count(*) FROM orders WHERE quantity > $4 '
		  . 'GROUP BY 1 ORDER BY 1', "'new', 'n', 'old', 1",
		q{SELECT CASE WHEN status = 'new' THEN 'n' ELSE 'old' END, count(*) FROM orders WHERE quantity > 1 }
		  . q{GROUP BY 1 ORDER BY 1} ],
	[ 'SELECT bin, count(*) FROM (SELECT floor(amount / $1) * $2 AS bin, quantity FROM orders) o WHERE quantity < $3 '
		  . 'GROUP BY bin ORDER BY 1', '1000, 1000, 3',
		'SELECT bin, count(*) FROM (SELECT floor(amount / 1000) * 1000 AS bin, quantity FROM orders) o '
		  . 'WHERE quantity < 3 GROUP BY bin ORDER BY 1' ],
	[ 'SELECT status, sum(quantity * $1), count(*) FROM orders GROUP BY 1 ORDER BY 1', '3',
		'SELECT status, sum(quantity * 3), count(*) FROM orders GROUP BY 1 ORDER BY 1' ],
	[ 'SELECT sum(CASE WHEN quantity > $1 THEN $2 ELSE 0 END) FROM orders', '3, 2',
		'SELECT sum(CASE WHEN quantity > 3 THEN 2 ELSE 0 END) FROM orders' ],
	[ 'SELECT count(*) FROM (SELECT id FROM orders WHERE 1 = 1 OFFSET $1) o', '0',
		'SELECT count(*) FROM (SELECT id FROM orders WHERE 1 = 1 OFFSET 0) o' ],
	[ 'SELECT count(*), sum(amount) FROM (SELECT id, amount FROM orders WHERE status = $1 OFFSET $2) o', "'paid', 0",
		q{SELECT count(*), sum(amount) FROM (SELECT id, amount FROM orders WHERE status = 'paid') o} ],
	[ 'SELECT count(*) FROM (SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id '
		  . 'WHERE c.age < $1 OFFSET $2) o', '40, NULL', 'SELECT count(*) FROM (SELECT o.id FROM orders o '
		  . 'JOIN customers c ON c.id = o.customer_id WHERE c.age < 40) o' ],
	[ 'SELECT channel, count(*) FROM orders GROUP BY 1 ORDER BY 1 LIMIT $1 OFFSET $2', '2, 1',
		'SELECT channel, count(*) FROM orders GROUP BY 1 ORDER BY 1 LIMIT 2 OFFSET 1' ]);
my $number = 0;
foreach (@statements)
{
	my ($statement, $arguments, $constant) = @$_;
	my $name = 'p' . ++$number;
	$a->value("PREPARE $name AS $statement");
	my ($first, $cost) = execute("$name($arguments)");
	cmp_ok($cost, '>', 0, "$statement: is charged");
	my $true = $s->value("SET ROLE owner; $constant");
	$s->value('RESET ROLE');
	is(difference_but_empty($true, $first, 0.02), '', 'and near the truth');
	# more than the five executions after which the server may prefer a plan for all values
	is(join(' and ', execute("$name($arguments)")), "$first and 0", "execution $_") foreach 2 .. 8;
	$a->value("PREPARE c$number AS $constant");
	is(join(' and ', execute("c$number")), "$first and 0", 'a constant is the same question');
}

# Another value of it is another question.
cmp_ok((execute("p2('month')"))[1], '>', 0, 'other keys cost anew');
is(scalar(split /\n/, (execute("p2('month')"))[0]), 12, 'and are others');

# An OFFSET that skips rows: of a count it is taken off.
my $refused = 'an aggregate of hidden rows cannot skip rows: OFFSET has to be 0, not 3';
is((execute('p7(3)'))[0], (execute('p7(0)'))[0] - 3, 'rows behind the offset are counted');
is((execute('p7(5)'))[1], 0, 'for nothing, once all are');
is(join(' and ', execute("p8('paid', 3)")), "$refused and 0", 'other aggregates skip no rows');
# where the server says that they must not be negative
# A plan without values says nothing of keys that these decide.
$a->value('PREPARE silent AS SELECT floor(quantity / $1) * $1, count(*) FROM orders GROUP BY 1');
unlike(join('', map { $a->run('EXECUTE silent (2)')->{err} // '' } 1 .. 7), qr/NOTICE/, 'keys by parameters are known');

$a->value('PREPARE n AS SELECT count(*) FROM (SELECT id FROM orders WHERE 1 = 1 LIMIT $1 OFFSET $2) o');
is($a->value('EXECUTE n (-5, 0)'), 0, 'a negative LIMIT by a parameter is none');
is($a->value('EXECUTE n (NULL, -300)'), $a->value('SELECT count(*) FROM orders WHERE 1 = 1'),
	'... and a negative OFFSET leaves out none');
$a->value('PREPARE q AS SELECT sum(amount) FROM (SELECT amount FROM orders WHERE 1 = 1 OFFSET $1) o');
is(join(' and ', execute('q(3)')), "$refused and 0", 'nor by the first execution') foreach 1 .. 7;
cmp_ok((execute('q(0)'))[1], '>', 0, 'what skips none is answered');
is((execute('q(0)'))[1], 0, 'and repeats');
like($a->run('SELECT sum(amount) FROM (SELECT amount FROM orders OFFSET 3) o')->{message},
	qr/LIMIT: choose rows with WHERE/, 'nor by a constant');
is($a->value('SELECT idp.skips_nothing(0), idp.skips_nothing(NULL)'), 't|t', 'what stands for it');

# An OFFSET of public rows stays.
my $regions = 'SELECT count(*) FROM customers WHERE region_id IN (SELECT id FROM regions ORDER BY id OFFSET $1)';
$a->value("PREPARE r AS $regions");
isnt((execute('r(2)'))[0], (execute('r(0)'))[0], 'an OFFSET of public rows skips some');

# Plans for all values.
$a->value('SET plan_cache_mode = force_generic_plan');
is(join(' and ', execute('q(3)')), "$refused and 0", 'rows are not skipped by a plan for all values');
is((execute('q(0)'))[1], 0, 'which answers');
is((execute('p7(3)'))[0], (execute('p7(0)'))[0] - 3, 'and counts what is behind an offset');
is(join(' and ', execute('p1(500, 500)')), 'what is grouped or added up follows from a parameter, '
	  . 'and a generic plan has no value for it: set plan_cache_mode to auto and 0', 'it has no keys');
$a->value('RESET plan_cache_mode');
is((execute('p1(500, 500)'))[1], 0, 'then one is made that has');

# The same in functions, whose variables are parameters.
$a->value(<<'SQL');
CREATE FUNCTION pg_temp.bins(size numeric) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT string_agg(bin || ':' || n, ' ' ORDER BY bin)
	  FROM (SELECT floor(amount / size) * size AS bin, count(*) AS n FROM orders GROUP BY 1) b);
END $$;
SQL
my $in_function = $a->value('SELECT pg_temp.bins(500)');
is($a->value('SELECT pg_temp.bins(500)'), $in_function, "call $_") foreach 1 .. 7;
isnt($a->value('SELECT pg_temp.bins(1000)'), $in_function, 'another value');

# An enum that is written as text, as Prisma casts it, is its label: one question in all forms, over linked tables too.
$s->value(<<'SQL');
SET ROLE owner;
CREATE TYPE mood AS ENUM ('good', 'bad', 'none');
CREATE TABLE marks (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, mood mood NOT NULL);
INSERT INTO marks SELECT row_number() OVER (), i, (ARRAY['good', 'bad', 'none'])[1 + (i + n) % 3]::mood
  FROM generate_series(1, 1000) i, generate_series(1, 2) n;
SELECT idp.link('marks', 'customer_id', 'customers', max_rows => 2);
GRANT SELECT ON marks TO analyst;
RESET ROLE;
SQL
my ($good, $paid) = answer_and_cost($s, $a, "SELECT count(*) FROM marks WHERE mood = 'good'");
cmp_ok($paid, '>', 0, 'a label');
is(join(' ', answer_and_cost($s, $a, "SELECT count(*) FROM marks WHERE mood = $_")), "$good 0", "the same: $_")
  foreach "CAST('good'::text AS mood)", "'good'::text::mood";
$a->value('PREPARE marked(text) AS SELECT count(*) FROM marks WHERE mood = CAST($1::text AS mood)');
is(join(' ', execute("marked('good')")), "$good 0", 'a parameter');
cmp_ok((execute("marked('bad')"))[1], '>', 0, 'another label');
$a->value('PREPARE listed(text[]) AS SELECT count(*) FROM marks WHERE mood = ANY($1::mood[])');
cmp_ok((execute("listed('{good,bad}')"))[1], '>', 0, 'a list');
is((execute("listed('{good,bad}')"))[1], 0, 'the list again');
like($a->run("EXECUTE listed('{good,better}')")->{message}, qr/^invalid input value for enum mood: "better"/,
	'no label');

$_->quit foreach $s, $a;
$node->stop;
done_testing();
