# Rows that are compared with an answer: WHERE amount > (SELECT avg(amount) FROM orders). The answer is drawn before a
# row of the outer query is read, whether or not there is one, and both are charged. What is no answer, but a value of
# protected rows, is refused as ever. That no person moves more than is charged for: 106_plain_units.pl.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my ($node, $s) = shop_server('compared_answers');
my $a = session($node);
$a->value("SET ROLE analyst; SET idp.epsilon = 0.5; SET idp.delta = 1e-9");
my $owner = session($node);
$owner->value('SET ROLE owner');
$_->{quiet} = 1 foreach $s, $a, $owner;

sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

# What it costs, as often as it is asked.
sub cost
{
	my ($sql) = @_;
	my $before = spent();
	my $got = $a->run($sql);
	return $got->{message} // sprintf '%.4g', spent() - $before;
}

# --- each question is itself, and free when it is asked again ---

my $average = '(SELECT avg(amount) FROM orders)';
my $rows = 'SELECT count(*) FROM orders WHERE amount >';
is(cost("SELECT $average"), 1, 'a sum and a count');
is(cost("$rows $average"), 0.5, 'the average is known by now');
is(cost("$rows $average"), 0, 'asked again');
is(cost("SELECT count(*) AS n FROM orders o WHERE o.amount > (SELECT avg(i.amount) AS a FROM orders i)"), 0,
	'under other names');
is(cost("$rows (SELECT avg(amount) * 2 FROM orders)"), 0.5, 'another multiple of it is another question');
is(cost("$rows (SELECT avg(amount) * 2.5 FROM orders)"), 0.5, '... and another');
is(cost("$rows $average * 2.5"), 0, 'a multiple outside is that one');
is(cost("$rows (SELECT avg(amount) FROM orders WHERE status = 'paid')"), 1.5,
	'so is one of other rows, which is drawn');
isnt($a->value("$rows (SELECT avg(amount) * 2.5 FROM orders)"), $a->value("$rows $average"), 'they have other answers');

# rows that are units by themselves, of a column that no domain lists
$s->value(<<'SQL');
SET ROLE owner;
CREATE TABLE incomes (age numeric(12, 4) NOT NULL);
INSERT INTO incomes SELECT 20 + i * 7.7919 % 60 FROM generate_series(1, 2000) i;
SELECT idp.protect('incomes', 1e6, 'add_remove', repeat => 'forever', delta => 0.1),
  idp.set_domain('incomes', 'age', 0, 100);
GRANT SELECT ON incomes TO analyst;
RESET ROLE;
SQL
my $over_two = 'SELECT count(*) FILTER (WHERE age > (SELECT avg(age) FROM incomes)), '
  . 'count(*) FILTER (WHERE age > (SELECT avg(age) + 5 FROM incomes)) FROM incomes';
my $turned = 'SELECT count(*) FILTER (WHERE age > (SELECT avg(age) + 5 FROM incomes)), '
  . 'count(*) FILTER (WHERE age > (SELECT avg(age) FROM incomes)) FROM incomes';
cmp_ok(cost($over_two), '>', 0, 'two values beside each other');
is(cost($turned), 0, '... in another order');
is($a->value($turned), join('|', reverse split /\|/, $a->value($over_two)), '... which show the same numbers');
my $by_key = "SELECT CASE WHEN age > (SELECT avg(age) %s FROM incomes) THEN 'a' ELSE 'b' END AS k, count(*) "
  . "FROM incomes GROUP BY 1 ORDER BY 1";
cmp_ok(cost(sprintf $by_key, ''), '>', 0, 'as a key');
is(cost(sprintf $by_key, ''), 0, '... again');
cmp_ok(cost(sprintf $by_key, '+ 7'), '>', 0, '... and another key');
isnt($a->value(sprintf $by_key, '+ 7'), $a->value(sprintf $by_key, ''), '... has other groups');

$a->value("PREPARE above(numeric) AS SELECT count(*) FILTER (WHERE age > (SELECT avg(age) + \$1 FROM incomes)) "
	  . "FROM incomes; SET plan_cache_mode = force_generic_plan");
cmp_ok(cost('EXECUTE above(11)'), '>', 0, 'a parameter within');
is(cost('EXECUTE above(11)'), 0, '... of the same value');
cmp_ok(cost('EXECUTE above(12)'), '>', 0, '... of another one');
$a->value('RESET plan_cache_mode; DEALLOCATE above');
my $session = 'SELECT count(*) FILTER (WHERE age > (SELECT avg(age) + length(current_user) FROM incomes)) FROM incomes';
cmp_ok(cost($session), '>', 0, 'what hangs on who asks');
cmp_ok(cost($session), '>', 0, '... is not given again');

# A table of the asker's own may say something else each time.
$s->value('CREATE TABLE mine (v int); ALTER TABLE mine OWNER TO analyst; INSERT INTO mine VALUES (100)');
$s->value('CREATE TABLE indexed (v int PRIMARY KEY); ALTER TABLE indexed OWNER TO analyst; '
	  . 'INSERT INTO indexed VALUES (100)');
foreach my $sql ("$rows (SELECT v FROM mine)", "$rows (SELECT max(v) FROM indexed)",
	"SELECT count(*) FILTER (WHERE age > (SELECT v - 60 FROM mine)) FROM incomes")
{
	$a->value('UPDATE mine SET v = 100; UPDATE indexed SET v = 100');
	my $low = $a->value($sql);
	$a->value('UPDATE mine SET v = 1900; UPDATE indexed SET v = 1900');
	cmp_ok($a->value($sql), '<', $low / 2, "another value of the same table: $sql");
}

# --- what is told in advance is what is charged ---

my $costs =
  $a->value("SELECT epsilon FROM idp.cost(\$\$ $rows (SELECT avg(amount) FROM orders WHERE channel = 'web') \$\$)");
is($costs, cost("$rows (SELECT avg(amount) FROM orders WHERE channel = 'web')"), 'idp.cost');
is(cost("EXPLAIN $rows (SELECT avg(amount) FROM orders WHERE channel = 'shop')"), 0, 'EXPLAIN is free');
my @answers = $a->value("EXPLAIN $rows (SELECT avg(amount) FROM orders WHERE channel = 'shop')") =~ /Answer: (\w+)/g;
is("@answers", 'dp_sum dp_sum dp_sum', '... and names all three');

# --- drawn first, whatever rows there are ---

# An answer that was drawn is known by then.
$s->value("SET ROLE owner; CREATE TABLE nobody (x int NOT NULL); SELECT idp.protect('nobody', 1e6), "
	  . "idp.set_domain('nobody', 'x', 0, 10); GRANT SELECT ON nobody TO analyst; RESET ROLE");
my $got = $a->run('SELECT count(*) FROM nobody WHERE x > (SELECT avg(quantity) FROM orders)');
ok(!defined $got->{message}, 'over a table without rows') or diag $got->{message};
is(cost('SELECT avg(quantity) FROM orders'), 0, '... the subquery is computed all the same');
like($a->run('SELECT count(*) FROM nobody WHERE x > (SELECT count(*) / 0 FROM nobody)')->{message},
	qr/^division by zero/, 'what fails fails before a row is read');

# --- values of tables that everybody may know are known by then, too, at whatever depth their level lies ---

$s->value("CREATE SCHEMA told AUTHORIZATION analyst; SET ROLE analyst; CREATE SEQUENCE told.calls; "
	  . "CREATE FUNCTION told.heard(int) RETURNS boolean IMMUTABLE "
	  . "LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''told.calls''); RETURN true; END'; RESET ROLE");
# a value that lies in a table, and is gone when it is looked for
$s->value(<<'SQL');
SET ROLE analyst;
CREATE TABLE told.big (v numeric);
ALTER TABLE told.big ALTER v SET STORAGE EXTERNAL;
CREATE FUNCTION told.refill() RETURNS void
  LANGUAGE plpgsql AS 'BEGIN TRUNCATE told.big; INSERT INTO told.big VALUES (repeat(''7'', 9000)::numeric); END';
SELECT told.refill();
CREATE FUNCTION told.gone(i int) RETURNS numeric IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE r numeric;
BEGIN
	SELECT v INTO r FROM told.big;
	PERFORM told.refill();
	RETURN r;
END $$;
CREATE FUNCTION told.asked(x numeric, y numeric) RETURNS boolean
  LANGUAGE sql AS 'SELECT dp_count(1e-9) IS NULL FROM incomes WHERE CASE WHEN age > y THEN age > x END';
RESET ROLE;
SQL
$a->value('SET idp.epsilon = 1e-9');
my @values = ('(SELECT told.gone(id) FROM regions WHERE id = 1)', '(SELECT v FROM told.big)',
	'(SELECT id FROM regions)', '(SELECT 1 / (id - 1) FROM regions WHERE id = 1)',
	'(SELECT name::int FROM regions WHERE id = 1)', '(SELECT max(id) FROM regions WHERE told.heard(id))',
	'(SELECT id FROM regions WHERE told.heard(id) ORDER BY id LIMIT 1)', '(SELECT told.heard(1)::int)');
my @late = (
	'SELECT count(*) >= 0 FROM orders WHERE CASE WHEN %s THEN amount > %s END',
	'SELECT count(*) >= 0 FROM orders WHERE %s AND amount > %s',
	'SELECT count(*) >= 0 FROM orders o JOIN customers c ON c.id = o.customer_id AND CASE WHEN %s THEN amount > %s END',
	'SELECT status, count(*) >= 0 FROM orders WHERE CASE WHEN %s THEN amount > %s END GROUP BY status ORDER BY 1',
	'SELECT CASE WHEN %s THEN amount > %s END AS k, count(*) >= 0 FROM orders GROUP BY 1 ORDER BY 1',
	'SELECT sum(CASE WHEN %s THEN quantity + %s END) IS NULL FROM orders',
	'SELECT count(*) FILTER (WHERE CASE WHEN %s THEN amount > %s END) >= 0 FROM orders',
	'SELECT count(DISTINCT customer_id) >= 0 FROM orders WHERE CASE WHEN %s THEN amount > %s END',
	'SELECT count(*) >= 0 FROM customers c '
	  . 'WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND CASE WHEN %s THEN amount > %s END)',
	'SELECT count(*) >= 0 FROM (SELECT * FROM orders WHERE CASE WHEN %s THEN amount > %s END OFFSET 0) o',
	'SELECT r.name, (SELECT count(*) >= 0 FROM customers c JOIN orders o ON o.customer_id = c.id '
	  . 'WHERE c.region_id = r.id AND CASE WHEN %s THEN amount > %s END) FROM regions r ORDER BY 1',
	'SELECT dp_count(1e-9) >= 0 IS NULL FROM (SELECT age AS amount FROM incomes OFFSET 0) i '
	  . 'WHERE CASE WHEN %s THEN amount > %s END',
	# of CTEs, which hang elsewhere, and are read with the first answer, whichever reads them
	'WITH x AS MATERIALIZED (SELECT customer_id FROM orders WHERE CASE WHEN %s THEN amount > %s END) '
	  . 'SELECT count(*) >= 0 FROM x',
	'WITH x AS MATERIALIZED (SELECT amount FROM (SELECT age AS amount FROM incomes) i WHERE CASE WHEN %s THEN amount '
	  . '> %s END) SELECT (SELECT dp_count(1e-9) FROM incomes) IS NULL, (SELECT dp_count(1e-9) FROM x) IS NULL',
	'WITH x AS MATERIALIZED (SELECT amount FROM (SELECT age AS amount FROM incomes) i '
	  . 'WHERE CASE WHEN %s THEN amount > %s END), y AS MATERIALIZED (SELECT * FROM x) SELECT dp_count(1e-9) IS NULL '
	  . 'FROM y, regions WHERE regions.id = 1');
my $told = sub {
	my ($sql) = @_;
	$a->value("SELECT setval('told.calls', 1)");
	my $got = $a->run($sql);
	# which of a number and its negative it is is noise
	return join ' ', ($got->{message} // 'answered') =~ s/\d+/N/gr, 'calls:',
	  $a->value('SELECT last_value FROM told.calls');
};
foreach my $form (@late)
{
	my @differ = grep { $told->(sprintf $form, 'amount > -1', $_) ne $told->(sprintf $form, 'amount < -1', $_) }
	  @values;
	is("@differ", '', "the same whether or not a row is compared with it: $form")
	  or diag map { "$_: " . $told->(sprintf $form, $_, $differ[0]) . "\n" } 'amount > -1', 'amount < -1';
}
is($told->('SELECT told.asked(told.gone(id), 1000) FROM regions WHERE id = 1'),
	$told->('SELECT told.asked(told.gone(id), 0) FROM regions WHERE id = 1'), 'a parameter that lies elsewhere');
$a->value('SET idp.epsilon = 0.5');

# The least and greatest values of an index are subqueries of the planner's: where they hang on rows they are computed
# for each.
foreach my $lateral ('SELECT max(id) AS m FROM regions WHERE id <= i.age',
	'SELECT min(v) AS m FROM indexed WHERE v > i.age', 'SELECT max(id) AS m FROM regions WHERE 1 / (i.age - 30) < 2',
	'SELECT max(v) AS m FROM indexed WHERE told.heard(i.age::int)',
	'SELECT max(m) AS m FROM (SELECT id AS m FROM regions WHERE id < i.age UNION ALL SELECT id FROM regions) u')
{
	my $before = spent();
	my @refused = map { $a->run(sprintf $_, $lateral)->{message} } 'SELECT dp_count(0.1) FROM incomes i, '
	  . 'LATERAL (%s) l WHERE l.m > 0', 'SELECT count(*) FROM incomes i LEFT JOIN LATERAL (%s) l ON true WHERE l.m > 0';
	ok(2 == grep({ defined } @refused) && spent() == $before, "refused for each row: $lateral")
	  or diag explain \@refused;
}

# --- values of protected rows are no answers ---

$s->value(<<'SQL');
SET ROLE owner;
CREATE TABLE seen (x int NOT NULL);
INSERT INTO seen SELECT generate_series(1, 100);
SELECT idp.protect('seen', 1e6, rows => 'visible');
GRANT SELECT ON seen TO analyst;
RESET ROLE;
SQL
foreach my $sql (
	'SELECT dp_count(0.1) FROM seen WHERE x > (SELECT max(x) - 5 FROM seen)',
	'SELECT dp_count(0.1) FILTER (WHERE x > (SELECT max(x) - 5 FROM seen)) FROM seen',
	'SELECT dp_count(0.1) FROM seen, (SELECT max(x) - 5 AS m FROM seen) a WHERE x > a.m',
	'SELECT dp_count(0.1) FROM nobody WHERE x > (SELECT max(x) FROM seen)',
	'SELECT dp_count(0.1) FROM customers WHERE age > (SELECT max(x) FROM seen)',
	# beside answers
	(map { "SELECT dp_count(0.1) FROM seen WHERE x > (SELECT $_ FROM seen)" }
		  'dp_count(0.1) * 0 + (SELECT max(x) - 5 FROM seen)',
		'dp_count(0.1) * 0 + array_length(array(SELECT x FROM seen), 1) - 5',
		'CASE WHEN EXISTS (SELECT 1 FROM seen WHERE x = 9) THEN 7 ELSE dp_count(0.1) END',
		'CASE WHEN 9 IN (SELECT x FROM seen) THEN 7 ELSE dp_count(0.1) END',
		'CASE WHEN dp_count(0.1) IN (SELECT x FROM seen) THEN 7 END',
		'(WITH m AS MATERIALIZED (SELECT max(x) AS m FROM seen) SELECT m FROM m) - 5 + 0 * dp_count(0.1)'),
	'SELECT dp_count(0.1) FROM seen WHERE x > (WITH m AS MATERIALIZED (SELECT max(x) AS m FROM seen) '
	  . 'SELECT dp_count(0.1) * 0 + (SELECT m FROM m) FROM seen)',
	'SELECT dp_count(0.1) FROM seen WHERE x > (SELECT n FROM (SELECT dp_count(0.1) AS n FROM seen) a '
	  . 'WHERE n > (SELECT max(x) FROM seen))',
	'WITH m AS MATERIALIZED (SELECT max(x) AS m FROM seen) SELECT dp_count(0.1) FROM seen WHERE x > (SELECT m FROM m)',
	"SELECT idp_count(0.1, 'a name') FROM seen WHERE x > (SELECT dp_avg(x, 0.1, 0, 100) FROM seen)",
	'SELECT dp_count(0.1) FROM orders o WHERE amount > (SELECT dp_avg(amount, 0.1, 0, 2000) FROM orders i '
	  . 'WHERE i.status = o.status)')
{
	my $before = spent();
	my $refused = $a->run($sql)->{message};
	ok(defined $refused && spent() == $before, "refused: $sql") or diag($refused // 'answered');
}
$s->value("SET ROLE owner; CREATE FUNCTION greatest_seen() RETURNS int STABLE "
	  . "LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT max(x) FROM seen); END'; RESET ROLE");
ok(defined $a->run("SELECT dp_count(0.1) FROM seen WHERE x > (SELECT $_)")->{message}, "refused: $_")
  foreach 'greatest_seen() - 5', 'random() * 100';
my $seen = $a->run('SELECT dp_count(1000) FROM seen WHERE x > (SELECT dp_max_global(x, 1000, 0, 100) - 10 FROM seen)');
ok(!defined $seen->{message}, 'answers about visible rows are values, too') or diag $seen->{message};

# An audit would compare answers to other values.
ok(defined $owner->run("SELECT * FROM idp.audit(\$\$ $rows $average \$\$)")->{message}, 'an audit refuses it');

done_testing();
