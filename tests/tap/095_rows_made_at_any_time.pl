# Rows of a materialized CTE are made when some part of the query asks for them, and kept. What the settings and the
# clock say may be another thing for each of them, so what is made of that is no value that all rows of a person have.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('rows_made_at_any_time', 'fsync = off', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE analyst;
CREATE TABLE persons (id integer PRIMARY KEY, born date NOT NULL);
CREATE TABLE orders (id integer PRIMARY KEY, person integer NOT NULL REFERENCES persons, day integer NOT NULL);
INSERT INTO persons SELECT i, date '1990-01-01' + i FROM generate_series(1, 40) i;
INSERT INTO orders SELECT 12 * i + d, i, d FROM generate_series(1, 40) i, generate_series(1, 12) d;
CREATE TABLE twelve (id integer PRIMARY KEY, f numeric(3,2) NOT NULL, t interval NOT NULL);
INSERT INTO twelve SELECT i, 0.12, '1 day 1 hour' FROM generate_series(1, 12) i;
ANALYZE persons, orders, twelve;
SELECT idp.protect('persons', 1e9, 'add_remove', rows => 'visible', unit => 'id'),
  idp.link('orders', 'person', 'persons');
GRANT SELECT ON persons, orders, twelve TO analyst;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

# what each row of the CTE is, and what changes that while it is read
my %ways = (
	'a setting of our own' => [ "current_setting('my.k')", '', "set_config('my.k', id::text, false)" ],
	'the form of dates' => [ "date '2020-02-01'::text", '',
		"set_config('datestyle', (ARRAY['iso', 'german', 'sql, dmy', 'sql, mdy'])[id % 4 + 1], false)" ],
	'the digits of a float that is the same in all rows' => [ 'f::float8::text', 'WHERE f = 0.12',
		"set_config('extra_float_digits', (-3 - id)::text, false)" ],
	'the form of an interval that is the same in all rows' => [ 'make_interval(secs => f::float8)::text',
		'WHERE f = 0.12', "set_config('intervalstyle', (ARRAY['iso_8601', 'postgres'])[id % 2 + 1], false)" ],
	'a zone by its abbreviation' => [ "timezone('EST', timezone('UTC', "
		  . "timezone('IST', timestamp '2020-01-01' + f * interval '0')))", 'WHERE f = 0.12',
		"set_config('timezone_abbreviations', (ARRAY['Default', 'Australia', 'India'])[id % 3 + 1], false)" ],
	'the name of the schema' => [ 'current_schema', '',
		"set_config('search_path', (ARRAY['public', 'pg_catalog'])[id % 2 + 1], false)" ],);
sub asks
{
	my ($made, $condition, $change) = @_;
	my $persons = 'SELECT o.person, z.k FROM orders o JOIN z ON z.id = o.day GROUP BY 1, 2';
	return map { "WITH z AS MATERIALIZED (SELECT id, $made AS k FROM twelve $condition) "
		  . "SELECT (SELECT count($change) FROM z), ($_ FROM ($persons) q)" } 'SELECT dp_count(1e6)', 'SELECT count(*)';
}
foreach my $way (sort keys %ways)
{
	my ($private, $native) = asks(@{ $ways{$way} });
	$s->value("SET my.k = '0'");
	like($s->run($private)->{message}, qr/cannot be computed over/, "$way: refused");
	$s->value('RESET ALL');
	$s->value("SET my.k = '0'");
	cmp_ok($s->value("SELECT count FROM ($native) s (n, count)"), '>', 40,
		"$way: and rightly, 40 persons have more than 40 rows");
	$s->value('RESET ALL');
}

# The same in a cursor, by what happens between two parts of it that are read.
like($s->run("SET my.k = '0'; BEGIN; DECLARE c CURSOR FOR WITH z AS MATERIALIZED (SELECT id, "
	  . "current_setting('my.k') AS k FROM twelve) SELECT id, NULL::bigint AS n FROM z UNION ALL SELECT 0, dp_count(1) "
	  . "FROM (SELECT o.person, z.k FROM orders o JOIN z ON z.id = o.day GROUP BY 1, 2) q; FETCH 1 FROM c")->{message},
	qr/cannot be computed over/, 'a cursor: refused');
$s->run('ROLLBACK');

# What does not hang on them is answered; so is what one part of the query makes and reads at once.
my %answered = (
	'arithmetic of a constant' => 'WITH z AS MATERIALIZED (SELECT id, f * 2 AS k FROM twelve WHERE f = 0.12) '
	  . 'SELECT o.person, z.k FROM orders o JOIN z ON z.id = o.day GROUP BY 1, 2',
	'what follows from the unit' => 'WITH z AS MATERIALIZED (SELECT o.person, extract(year FROM p.born) AS k '
	  . 'FROM orders o JOIN persons p ON p.id = o.person GROUP BY 1, 2) SELECT a.person, a.k FROM z a '
	  . 'JOIN z b ON a.person = b.person',
	'of settings, in a subquery' => "SELECT o.person, z.k FROM orders o "
	  . "JOIN (SELECT id, current_setting('DateStyle') AS k FROM twelve) z ON z.id = o.day GROUP BY 1, 2",
	'of the clock, in a subquery' => 'SELECT p.id, age(now(), p.born) AS k FROM orders o '
	  . 'JOIN persons p ON p.id = o.person GROUP BY 1, 2',
	'of settings, in a CTE that is read as a subquery' => "WITH z AS (SELECT p.id, p.born::text AS k FROM persons p) "
	  . "SELECT o.person, z.k FROM orders o JOIN z ON z.id = o.person GROUP BY 1, 2",);
sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }
foreach my $name (sort keys %answered)
{
	my $before = spent();
	is($s->run("SELECT dp_count(1) FROM ($answered{$name}) q")->{sqlstate}, undef, "$name: answered");
	is(spent() - $before, 1, "$name: for one epsilon");
}

# What anybody may alter between two parts that are read: a text search configuration.
like($s->run("CREATE TEXT SEARCH CONFIGURATION public.ours (COPY = simple); SELECT dp_count(1) "
	  . "FROM (WITH z AS MATERIALIZED (SELECT o.id, o.person, to_tsvector('public.ours'::regconfig, 'a word') AS k "
	  . "FROM orders o) SELECT a.person, a.k FROM z a GROUP BY 1, 2) q")->{message} // '',
	qr/cannot be computed over|^$/, 'a text search configuration: refused');

# Over hidden rows constants are evaluated once, before the first row is read.
$s->value("SELECT idp.protect('persons', 1e9, 'add_remove', rows => 'hidden', unit => 'id')");
my ($private) = asks(@{ $ways{'a setting of our own'} });
$a->value("SET my.k = '0'");
is($a->value("SELECT n FROM ($private) s (c, n)"), 40, 'hidden rows: 40 persons have 40 rows');

$a->quit;
$s->quit;
$node->stop;
done_testing();
