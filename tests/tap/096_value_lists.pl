# The values of a column, as a tool asks for them to fill the choices of a filter: of a hidden table those of the
# domain, for nothing, whatever rows there are.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('value_lists', 'jit = off', "session_preload_libraries = 'idp'");

# Databases that differ in all rows of the hidden table: other ones, none, and one person more.
my %rows = (
	few => "INSERT INTO orders SELECT i, (ARRAY['new', 'paid', 'odd'])[1 + i % 3], CASE WHEN i % 2 = 0 THEN i END, "
	  . "date '2024-01-01' + i, i FROM generate_series(1, 30) i",
	more => "INSERT INTO orders SELECT i, (ARRAY['new', 'paid', 'odd', 'odder'])[1 + i % 4], 3, date '2024-01-05', i "
	  . "FROM generate_series(1, 3000) i",
	none => '',);
my %database = map {
	my $name = $_;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	my $roles = $name eq 'few' ? 'CREATE ROLE keeper; CREATE ROLE analyst; CREATE ROLE of_status; CREATE ROLE stranger;'
	  : '';
	$node->safe_psql($name, <<"SQL");
$roles
GRANT ALL ON SCHEMA public TO keeper, analyst;
SET ROLE keeper;
CREATE TABLE orders (id int, status text NOT NULL, grade smallint, day date NOT NULL, amount int);
CREATE TABLE plain (status text, grade smallint);
INSERT INTO plain VALUES ('new', 1), ('odd', NULL), ('odd', 4);
$rows{$name};
CREATE VIEW sold AS SELECT status AS s, grade, day, amount FROM orders WHERE status <> 'lost';
CREATE VIEW listed AS SELECT DISTINCT status FROM orders;
CREATE VIEW invoked WITH (security_invoker) AS SELECT status FROM orders;
SELECT idp.protect('orders', 1000, 'add_remove');
SELECT idp.set_domain('orders', 'status', ARRAY['new', 'paid', 'lost', 'sent']),
  idp.set_domain('orders', 'grade', 1, 4), idp.set_domain('orders', 'day', '2023-12-01', '2024-02-29');
GRANT SELECT ON orders, plain, sold, listed, invoked TO analyst;
GRANT SELECT (status) ON orders TO of_status;
SQL
	$name => session($node, $name);
} sort { $a cmp $b } keys %rows;
my $s = session($node, 'few');    # a superuser
$_->value('SET ROLE analyst') foreach values %database;
my $a = $database{few};

sub in_all
{
	my ($sql) = @_;
	my %answers = map {
		$_ => join '|', map { $_ // '' } $database{$_}->run($sql)->@{ 'out', 'sqlstate', 'message', 'detail', 'hint' }
	} keys %database;
	return @answers{ sort keys %answers };
}

# --- What is answered -----------------------------------------------------------------------------

# A query, and what it is of the keys: k has the product of all of them.
my $keys = "SELECT status, grade::smallint, date '2023-12-01' + d AS day FROM unnest(ARRAY['new', 'paid', 'lost', "
  . "'sent']) status, unnest(ARRAY[1, 2, 3, 4, NULL]) grade, generate_series(0, 90) d";
foreach my $case (
	'SELECT DISTINCT status FROM k ORDER BY 1',
	'SELECT status FROM k GROUP BY 1 ORDER BY 1 DESC',
	'SELECT status FROM k GROUP BY status ORDER BY status LIMIT 2 OFFSET 1',
	'SELECT DISTINCT grade FROM k ORDER BY 1',
	'SELECT DISTINCT grade FROM k WHERE grade IS NOT NULL ORDER BY 1',
	'SELECT DISTINCT coalesce(grade, 0) + 1 FROM k ORDER BY 1',
	'SELECT DISTINCT status, grade FROM k WHERE status > \'m\' ORDER BY 2, 1',
	"SELECT DISTINCT date_trunc('month', day) FROM k ORDER BY 1",
	"SELECT extract(year FROM day), extract(month FROM day) FROM k GROUP BY 1, 2 ORDER BY 1, 2",
	"SELECT DISTINCT status FROM k WHERE status IN ('paid', 'sent', 'none') ORDER BY 1",
	"SELECT DISTINCT status FROM k WHERE status ILIKE '%n%' AND day >= '2024-01-01' ORDER BY 1",
	"SELECT DISTINCT status FROM k WHERE status = 'odd'",
	"SELECT status FROM k WHERE random() >= 0 GROUP BY status HAVING length(status) = 4 ORDER BY upper(status)",
	'SELECT DISTINCT ON (status) status, grade FROM k ORDER BY status, grade DESC',
	'SELECT status, row_number() OVER (ORDER BY status) FROM k GROUP BY status ORDER BY 1',
	'SELECT status, generate_series(1, 2) FROM k GROUP BY status ORDER BY 1, 2',
	'SELECT status, grade FROM k GROUP BY ROLLUP (status, grade) ORDER BY 1, 2',
	'SELECT count(*), max(status) FROM (SELECT DISTINCT status FROM k) x',
	'SELECT p.status, x.status FROM plain p LEFT JOIN (SELECT status FROM k GROUP BY 1) x USING (status) ORDER BY 1',
	"SELECT * FROM plain WHERE status IN (SELECT DISTINCT status FROM k) ORDER BY 1, 2",
	'SELECT DISTINCT status FROM (SELECT status, grade, amount FROM k WHERE grade > 2) x ORDER BY 1',
	'WITH x AS (SELECT * FROM k) SELECT DISTINCT status FROM x ORDER BY 1',
	'WITH x AS MATERIALIZED (SELECT DISTINCT status FROM k) SELECT * FROM x UNION ALL SELECT * FROM x ORDER BY 1',
	'SELECT s.status FROM (SELECT status FROM k GROUP BY status) AS s WHERE s.status LIKE \'p%\'',
	"SELECT status FROM k UNION SELECT grade::text FROM k WHERE grade > 1 UNION ALL SELECT 'all' ORDER BY 1",)
{
	my $asked = $case =~ s/\bFROM k\b/FROM orders/gr;
	my $expected = $s->value($case =~ s/\bFROM k\b/FROM (SELECT *, 1 AS amount FROM ($keys) k) k/gr);
	my @answers = in_all($asked);
	is($answers[0], "$expected||||", "answered from the domain: $asked");
	is($_, $answers[0], '... the same of other rows') foreach @answers[ 1, 2 ];
	is($a->value("SELECT count(*) FROM idp.cost(\$\$$asked\$\$)"), 0, '... for nothing');
}
# Conditions on other columns leave nothing out.
foreach my $case (
	"SELECT DISTINCT status FROM orders WHERE amount > 3 AND status <> 'lost' ORDER BY 1",
	"SELECT status FROM (SELECT status, amount / 2 AS half FROM orders WHERE status <> 'lost') x WHERE half = 7 "
	  . 'GROUP BY status ORDER BY status',
	"SELECT * FROM (SELECT DISTINCT s FROM sold WHERE amount IS NULL) x ORDER BY 1",)
{
	my @answers = in_all($case);
	is($answers[0], "new\npaid\nsent||||", "whatever the rows are: $case");
	is($_, $answers[0], '... the same of other rows') foreach @answers[ 1, 2 ];
	like($a->run($case)->{err}, qr/NOTICE:.*values of the domains are listed, whatever "amount"/, '... and says so');
}
is($a->value("SELECT count(*) FROM (SELECT status, grade, sum(amount) FROM orders WHERE amount > 3 GROUP BY 1, 2) x"),
	20, 'how many groups there are');
is($a->value('SELECT DISTINCT s FROM sold ORDER BY 1'), "new\npaid\nsent", 'a view');
is($a->value('SELECT * FROM listed ORDER BY 1'), "lost\nnew\npaid\nsent", 'a view that asks itself');
is($a->value('SELECT status FROM invoked GROUP BY 1 ORDER BY 1'), "lost\nnew\npaid\nsent",
	'a view with the rights of who asks');
is($a->value("PREPARE p(text) AS SELECT DISTINCT status FROM orders WHERE status > \$1 ORDER BY 1; "
	  . "SET plan_cache_mode = force_generic_plan; EXECUTE p('n')"), "new\npaid\nsent", 'prepared');
is($a->value('CREATE TEMP TABLE kept AS SELECT DISTINCT status FROM orders; '
	  . 'SELECT count(*) FROM kept; DROP TABLE kept'), 4, 'CREATE TABLE AS');
is($a->value("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT DISTINCT status FROM orders ORDER BY 1; FETCH 3 FROM c; "
	  . "FETCH PRIOR FROM c; COMMIT"), "lost\nnew\npaid\nnew", 'a cursor');
is($a->value('COPY (SELECT DISTINCT status FROM orders ORDER BY 1) TO STDOUT'), "lost\nnew\npaid\nsent", 'COPY');
is($s->value('SELECT count(*) FROM idp.ledger'), 0, 'nothing of all that is charged');

# --- No row is read -------------------------------------------------------------------------------

my @plans =
  in_all('EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) SELECT DISTINCT status FROM orders ORDER BY 1');
like($plans[0], qr/Values Scan on keys/, 'EXPLAIN shows a list');
unlike($plans[0], qr/Scan on (public\.)?orders/, '... and no scan of the table');
is($_, $plans[0], '... the same of other rows') foreach @plans[ 1, 2 ];
$s->value("ALTER TABLE orders ADD CONSTRAINT never CHECK (amount < 0) NOT VALID; BEGIN; DELETE FROM orders");
is($a->value('SELECT DISTINCT status FROM orders ORDER BY 1'), "lost\nnew\npaid\nsent",
	'while another session deletes all rows');
$s->value('ROLLBACK; ALTER TABLE orders DROP CONSTRAINT never');

# --- What is refused, as ever ---------------------------------------------------------------------

foreach my $case (
	'SELECT DISTINCT amount FROM orders',
	'SELECT DISTINCT status, amount FROM orders',
	'SELECT DISTINCT 1 FROM orders',
	'SELECT status FROM orders',
	'SELECT ALL status FROM orders LIMIT 1',
	'SELECT DISTINCT orders FROM orders',
	'SELECT DISTINCT ctid FROM orders',
	'SELECT DISTINCT status, ctid FROM orders',
	'SELECT DISTINCT tableoid, status FROM orders',
	'SELECT DISTINCT status, row_number() OVER () FROM orders',
	'SELECT DISTINCT status FROM orders TABLESAMPLE BERNOULLI (100)',
	'SELECT DISTINCT o.status FROM orders o JOIN plain p ON p.status > o.status AND o.amount = 3',
	'SELECT DISTINCT o.status FROM orders o JOIN plain p ON p.grade = o.amount',
	'SELECT DISTINCT status FROM orders o WHERE EXISTS (SELECT FROM plain p WHERE p.status = o.status)',
	'SELECT (SELECT o.status FROM plain LIMIT 1) FROM orders o GROUP BY o.status',
	'SELECT status FROM orders UNION ALL SELECT status FROM orders',
	'SELECT status FROM orders UNION SELECT status FROM orders TABLESAMPLE BERNOULLI (100)',
	'SELECT status FROM orders UNION (SELECT status FROM orders LIMIT 1)',
	'SELECT status FROM orders UNION SELECT status FROM orders WHERE amount > 2',
	'SELECT status FROM orders INTERSECT SELECT status FROM plain',
	'SELECT p.status FROM plain p, LATERAL (SELECT DISTINCT o.status FROM orders o WHERE o.status = p.status) x',
	'SELECT DISTINCT status FROM (SELECT status FROM orders LIMIT 1) x',
	'SELECT max(status) FROM (SELECT DISTINCT status FROM orders WHERE amount > 2) x',
	'SELECT DISTINCT status FROM orders WHERE amount > 2 AND EXISTS (SELECT FROM plain p WHERE p.status = \'new\')',
	'SELECT DISTINCT status FROM orders WHERE amount > random()',
	"SELECT DISTINCT status FROM orders WHERE length(status) > amount",
	"SELECT * FROM plain WHERE status IN (SELECT DISTINCT status FROM orders WHERE amount > 2)",
	'SELECT DISTINCT status FROM (SELECT status FROM orders OFFSET 1) x',
	'SELECT DISTINCT status FROM (SELECT status, unnest(ARRAY[1, 2]) FROM orders) x',
	'SELECT DISTINCT status FROM orders FOR UPDATE',
	'SELECT dp_count(1) FROM (SELECT DISTINCT status FROM orders) x',)
{
	my @answers = in_all($case);
	like($answers[0], qr/\|(42501|0A000)\|/, "refused: $case");
	is($_, $answers[0], '... in the same words of other rows') foreach @answers[ 1, 2 ];
}

is($_->value('SELECT DISTINCT o.status FROM orders o JOIN plain p ON p.status = o.status'), 'new',
	'a join on the value leaves out the others') foreach values %database;
is($_->value('SELECT DISTINCT o.status FROM orders o, orders b WHERE o.status = b.status ORDER BY 1'),
	"lost\nnew\npaid\nsent", '... with itself: none') foreach values %database;

# --- Who is told what -----------------------------------------------------------------------------

my $distinct = 'SELECT DISTINCT status FROM orders ORDER BY 1';
is($s->value("SET ROLE keeper; $distinct"), "new\nodd\npaid", 'the owner sees her rows');
is($s->value("RESET ROLE; $distinct"), "new\nodd\npaid", 'a superuser those there are');
is($s->value("SET ROLE of_status; $distinct"), "lost\nnew\npaid\nsent", 'a right to the column is enough');
is($s->run('SELECT DISTINCT grade FROM orders')->{sqlstate}, '42501', '... for that column');
is($s->run('SELECT DISTINCT status FROM orders WHERE grade > 2')->{message}, 'permission denied for table orders',
	'... named in a condition too');
is($s->run("SET ROLE stranger; $distinct")->{message}, 'permission denied for table orders',
	'without a right there is no answer');
is($s->run("SET ROLE analyst; SELECT DISTINCT day FROM orders")->{out} =~ tr/\n//, 90, 'each day');

# One plan that is kept does not pass from who sees rows to who does not, nor back.
$s->value("RESET ROLE; SET plan_cache_mode = force_generic_plan; PREPARE q AS $distinct; "
	  . "PREPARE v AS SELECT DISTINCT s FROM sold ORDER BY 1");
foreach my $turn (1, 2)
{
	is($s->value('EXECUTE q'), "new\nodd\npaid", "prepared, turn $turn, a superuser");
	is($s->value('SET ROLE analyst; EXECUTE q'), "lost\nnew\npaid\nsent", '... an analyst');
	is($s->value('RESET ROLE; EXECUTE q'), "new\nodd\npaid", '... and back');
}
is($s->value('SET ROLE analyst; PREPARE w AS SELECT DISTINCT s FROM sold ORDER BY 1; EXECUTE w; RESET ROLE; EXECUTE w'),
	"new\npaid\nsent\nnew\nodd\npaid", 'through a view with the rights of its owner');
$s->value("SELECT idp.set_domain('orders', 'status', ARRAY['new'])");
is($s->value('SET ROLE analyst; EXECUTE q'), 'new', 'prepared, with another domain since');
$s->value("RESET ROLE; SELECT idp.drop_domain('orders', 'status')");
is($s->run('SET ROLE analyst; EXECUTE q')->{sqlstate}, '42501', 'prepared, without a domain since');
$s->value("RESET ROLE; SELECT idp.protect('orders', 1000, 'add_remove', rows => 'visible'); "
	  . "SELECT idp.set_domain('orders', 'status', ARRAY['new'])");
is($s->value("SET ROLE analyst; $distinct"), "new\nodd\npaid", 'of visible rows those there are');

# Too many to list: how many there are follows from the declaration.
$s->value("RESET ROLE; SELECT idp.protect('orders', 1000, 'add_remove', rows => 'hidden'); "
	  . "SELECT idp.set_domain('orders', 'day', '1940-01-01', '2006-12-31')");
is($s->run('SET ROLE analyst; SELECT DISTINCT day FROM orders')->{message}, q{GROUP BY of column "day" has 24472 keys, }
	  . q{more than 10000: group by something coarser, such as date_trunc('year', day)}, 'too many');
is($s->value("SELECT count(*) FROM (SELECT DISTINCT date_trunc('year', day) FROM orders) x"), 67, '... and coarser');

done_testing();
