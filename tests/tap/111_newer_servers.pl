# What servers have that are newer than PostgreSQL 15, in the hands of an analyst, and of an owner who links tables: a
# case runs from the version on that it names. What no rule knows is refused.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

plan skip_all => 'this server has nothing of it' if $major < 16;

my $node = new_node('newer', "shared_preload_libraries = 'idp'", 'jit = off');
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO keeper;
SET ROLE keeper;
CREATE TABLE persons (id int PRIMARY KEY, region int, age int, born date);
INSERT INTO persons SELECT i, i % 4, 20 + i % 40, '2000-01-01' FROM generate_series(1, 400) i;
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL, cost int);
INSERT INTO visits SELECT i, 1 + i % 400, i % 100 FROM generate_series(1, 1200) i;
GRANT SELECT, INSERT, UPDATE, DELETE ON persons, visits TO analyst;
SELECT idp.protect('persons', 1e9, unit => 'id');
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

# --- refused ---

my $fails = qr/^an expression of a kind that can fail cannot be/;
my $unknown = qr/cannot be applied to hidden rows/;
my $change = qr/ is refused: rows of table "persons" are hidden/;
foreach my $case (
	# another row's value
	[ 16, 'SELECT any_value(age) FROM persons', qr/any_value is not answered/ ],
	[ 16, 'SELECT region, any_value(age), dp_count(1) FROM persons GROUP BY region', qr/any_value is not answered/ ],
	[ 16, 'SELECT dp_count(1) FROM (SELECT id, any_value(age) a FROM persons GROUP BY id) q WHERE a > 30', $unknown ],
	# JSON
	[ 16, 'SELECT dp_count(1) FROM persons WHERE age::text IS JSON', $fails ],
	[ 16, 'SELECT dp_count(1) FROM persons WHERE JSON_ARRAY(age) IS NOT NULL', $fails ],
	[ 16, 'SELECT dp_count(1) FROM persons WHERE JSON_OBJECT(\'a\': age) IS NOT NULL', $fails ],
	[ 16, 'SELECT JSON_ARRAYAGG(age) FROM persons', qr/is not answered/ ],
	[ 17, 'SELECT dp_count(1) FROM persons WHERE JSON_SCALAR(age) IS NOT NULL', $fails ],
	[ 17, q{SELECT dp_count(1) FROM persons WHERE JSON_EXISTS(to_jsonb(age), '$')}, $fails ],
	[ 17, q{SELECT dp_count(1) FROM persons WHERE JSON_VALUE(to_jsonb(age), '$' RETURNING int ERROR ON ERROR) = 1},
		$fails ],
	[ 17, q{SELECT dp_count(1) FROM persons WHERE JSON_VALUE(jsonb '1', '$' RETURNING int ERROR ON ERROR) = age},
		$fails ],
	[ 17, q{SELECT * FROM JSON_TABLE((SELECT jsonb_agg(age) FROM persons), '$[*]' COLUMNS (a int PATH '$')) j},
		qr/jsonb_agg is not answered/ ],
	[ 17, q{SELECT dp_count(1) FROM persons, JSON_TABLE(jsonb_build_array(age), '$[*]' COLUMNS (a int PATH '$')) j},
		qr/are hidden/ ],
	# functions
	[ 17, 'SELECT dp_count(1) FROM persons WHERE random(1, age) = 1', $unknown ],
	[ 17, 'SELECT dp_count(1) FROM persons WHERE to_bin(age) IS NULL', $unknown ],
	[ 18, 'SELECT dp_count(1) FROM persons WHERE gamma(age) > 3', $unknown ],
	[ 18, q{SELECT dp_count(1) FROM persons WHERE casefold(age::text) = 'a'}, $unknown ],
	[ 18, q{SELECT dp_count(1) FROM persons WHERE age::bytea = '\x00'}, $unknown ],
	[ 18, 'SELECT dp_count(1) FROM persons WHERE uuidv7() IS NULL', qr/^function uuidv7\(\) cannot be evaluated/ ],
	# rows that are changed
	[ 17, 'MERGE INTO persons p USING (SELECT 1 AS id) s ON p.id = s.id WHEN MATCHED THEN DO NOTHING '
		  . 'RETURNING merge_action(), p.age', qr/^MERGE$change/ ],
	[ 18, 'INSERT INTO persons VALUES (-1, 1, 1) RETURNING old.age, new.age', qr/^INSERT … RETURNING$change/ ],
	[ 18, 'UPDATE persons SET age = age WHERE id = 1 RETURNING old.age', qr/^UPDATE$change/ ],
	[ 18, 'DELETE FROM persons RETURNING old.age', qr/^DELETE$change/ ],
	# statistics, which whoever maintains a table may write
	[ 18, q{SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', 'persons', 'reltuples', 1::real)},
		qr/permission denied/ ],)
{
	my ($version, $sql, $why) = @$case;
	next if $major < $version;
	like($a->run($sql)->{message} // 'answered', $why, "from $version on refused: $sql");
}

# --- what rows refer to ---

my $joined = 'SELECT dp_count(100) FROM (SELECT p.id FROM visits v JOIN persons p ON p.id = v.person GROUP BY p.id) q';
SKIP:
{
	skip 'foreign keys are enforced, and of all time', 1 if $major < 18;
	my $link = "SELECT idp.link('visits', 'person', 'persons', max_rows => 3)";
	$s->value('ALTER TABLE visits ADD CONSTRAINT whose FOREIGN KEY (person) REFERENCES persons NOT ENFORCED');
	is($s->run($link)->{detail}, 'Its foreign key is not enforced: rows may refer to nothing.',
		'no link by a foreign key that is not enforced');
	$s->value("ALTER TABLE visits ALTER CONSTRAINT whose ENFORCED; $link");
	cmp_ok(abs($a->value($joined) - 400), '<', 3, 'one that is, is followed');
	$s->value('ALTER TABLE visits ALTER CONSTRAINT whose NOT ENFORCED');
	like($a->run($joined)->{message} // 'answered', qr/^dp_count of protected table/,
		'... not when it is enforced no more');
	$s->value('ALTER TABLE visits ALTER CONSTRAINT whose ENFORCED');
	cmp_ok(abs($a->value($joined) - 400), '<', 3, '... and again when it is');

	# a key and a foreign key of each instant are none of rows; they need contrib/btree_gist
	skip 'no btree_gist', 1
	  if $s->value(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'btree_gist'}) == 0;
	$s->value(<<'SQL');
RESET ROLE;
CREATE EXTENSION btree_gist;
SET ROLE keeper;
CREATE TABLE jobs (person int, during daterange, PRIMARY KEY (person, during WITHOUT OVERLAPS));
CREATE TABLE pay (person int, during daterange,
  FOREIGN KEY (person, PERIOD during) REFERENCES jobs (person, PERIOD during));
SQL
	like($s->run("SELECT idp.protect('jobs', 1, unit => 'person')")->{message}, qr/does not tell units apart/,
		'WITHOUT OVERLAPS: no key of a unit');
	$s->value('ALTER TABLE jobs ADD FOREIGN KEY (person) REFERENCES persons');
	$s->value("SELECT idp.link('jobs', 'person', 'persons')");
	is($s->run("SELECT idp.link('pay', 'person', 'jobs')")->{detail},
		'No foreign key on this column alone refers to that table.', 'PERIOD: no link');
}

# --- columns that are computed when they are read ---

SKIP:
{
	skip 'generated columns are stored', 1 if $major < 18;
	$s->value(<<'SQL');
RESET ROLE;
SET ROLE keeper;
ALTER TABLE persons ADD whose int GENERATED ALWAYS AS (id) VIRTUAL,
  ADD bad int GENERATED ALWAYS AS (1 / (age - 37)) VIRTUAL,
  ADD fails text GENERATED ALWAYS AS (to_bin(age)) VIRTUAL, ADD digit int GENERATED ALWAYS AS (age % 10) VIRTUAL;
SELECT idp.set_domain('persons', 'digit', ARRAY[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
SQL
	like($a->run('SELECT dp_count(1) FROM persons WHERE fails IS NULL')->{message} // 'answered', $unknown,
		'what computes them has to be total');
	is($a->run('SELECT dp_sum(bad, 1, 0, 9) FROM persons')->{message}, undef,
		'... or have a twin that is, where it would fail');
	my @groups = split /\n/, $a->value('SELECT digit, round(dp_count(100)) FROM persons GROUP BY digit ORDER BY 1');
	is(scalar @groups, 11, 'they have the keys of their domain, and NULL');
	is($groups[3], '3|40', '... and their answers');
	is($a->value('SELECT round(dp_count(100)) FROM persons WHERE digit = 3'), '40', '... as conditions do');
}

# --- NOT NULL, without being validated ---

SKIP:
{
	skip 'NOT NULL is validated', 1 if $major < 18;
	$s->value('ALTER TABLE persons ADD CONSTRAINT placed NOT NULL region NOT VALID');
	$s->value("SELECT idp.set_domain('persons', 'region', ARRAY[0, 1, 2, 3])");
	my $groups = "SELECT string_agg(coalesce(region::text, 'null'), ' ' ORDER BY region) "
	  . "FROM (SELECT region, dp_count(1) AS n FROM persons GROUP BY region) q WHERE n IS NOT NULL";
	is($a->value($groups), '0 1 2 3 null', 'not validated: NULL is a key');
	$s->value('ALTER TABLE persons VALIDATE CONSTRAINT placed');
	is($a->value($groups), '0 1 2 3', 'validated: it is none');
}

done_testing();
