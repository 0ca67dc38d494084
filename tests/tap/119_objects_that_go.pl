# What a query over hidden rows names, and the server looks up again for single rows, must not go away while the
# query is open: an error would come for some rows and not for others. Nor is anything begun that others may see.
# Operators, types and collations of the role that asks are refused over hidden rows; those of columns, of superusers
# and of the server are not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest qw(costs spent);
use Test::More;

my $node = new_node('objects_that_go', "shared_preload_libraries = 'idp'", 'jit = off');
my $super = session($node);
my $s = session($node);
$super->value(<<'SQL');
CREATE ROLE keeper LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE team NOLOGIN; GRANT team TO analyst;
ALTER ROLE analyst NOINHERIT;
GRANT CREATE ON SCHEMA public TO keeper, team; CREATE EXTENSION citext;
CREATE OPERATOR public.<=> (leftarg = int, rightarg = int, function = int4eq, hashes);
CREATE TYPE trusted AS ENUM ('a', 'b');
SET ROLE keeper;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad'); CREATE TYPE unused AS ENUM ('one', 'two');
CREATE DOMAIN feeling AS mood;
CREATE TABLE persons (id int PRIMARY KEY, age int NOT NULL, m mood, f feeling);
INSERT INTO persons SELECT i, i % 90, 'ok', 'sad' FROM generate_series(1, 1000) i;
CREATE TABLE nums (n int PRIMARY KEY, k mood); INSERT INTO nums SELECT i, 'glad' FROM generate_series(0, 100) i;
GRANT SELECT ON nums, persons TO analyst;
SELECT idp.protect('persons', 1e9, unit => 'id');
SET ROLE team;
CREATE TYPE theirs AS ENUM ('a'); CREATE TABLE of_team (c theirs); GRANT SELECT ON of_team TO analyst;
RESET ROLE;
SQL
$s->value(<<'SQL');
SET ROLE analyst;
CREATE TEMP TABLE x ();
CREATE TYPE pg_temp.e AS ENUM ('a', 'b'); CREATE DOMAIN pg_temp.d AS text; CREATE DOMAIN pg_temp.de AS public.mood;
CREATE TEMP TABLE own_row (c text); CREATE TEMP VIEW v AS SELECT 'a'::pg_temp.e AS e WHERE false;
CREATE TEMP TABLE own (e pg_temp.e, a pg_temp.e[]);
CREATE OPERATOR pg_temp.=== (leftarg = int, rightarg = int, function = int4eq, hashes);
CREATE OPERATOR pg_temp.<<< (leftarg = int, rightarg = int, function = int4lt);
SET enable_mergejoin = off; SET enable_nestloop = off;
SQL

sub refused
{
	my ($words, $sql, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	costs($super, 'persons', 0, $name // $sql,
		sub { like($s->run($sql)->{message} // 'answered', $words, $name // $sql) });
	return;
}
my $type = qr/^a value of a type that no column of the tables has cannot be applied to hidden rows of table "persons"/;
my $operator = qr/^an operator that belongs to no superuser cannot be applied to hidden rows of table "persons"/;

# rights of a role that he can become
$super->value('CREATE TABLE lookup (id int PRIMARY KEY); INSERT INTO lookup SELECT generate_series(1, 90); '
	  . 'ALTER TABLE lookup OWNER TO keeper; GRANT SELECT ON lookup TO analyst');
my $lookup = 'SELECT dp_count(7) FROM persons p JOIN lookup l ON l.id = p.age';
costs($super, 'persons', 7, 'who may only read',
	sub { is($s->run($lookup)->{message}, undef, 'a table that he, and whom he can become, may only read') });
foreach my $right ('UPDATE', 'INSERT', 'TRUNCATE', 'INSERT (id)', 'REFERENCES (id)')
{
	$super->value("GRANT $right ON lookup TO team");
	refused(qr/^table "lookup" cannot be joined to hidden rows/, $lookup,
		"a role that he can become, though he does not inherit from it, may $right");
	$super->value("REVOKE $right ON lookup FROM team");
}
$super->value('GRANT pg_write_all_data TO team');
refused(qr/^table "lookup" cannot be joined to hidden rows/, $lookup, 'or may write to all tables');
$super->value('REVOKE pg_write_all_data FROM team');
costs($super, 'persons', 7, 'again', sub { is($s->run($lookup)->{message}, undef, 'answered again') });

# types
my $own = "(CASE WHEN id = 17 AND age = 17 THEN 'a'::pg_temp.e END)";
refused($type, "SELECT dp_count(7) FROM persons WHERE $own\::text = 'a'", 'an enum, cast to text');
refused($type, "SELECT dp_count(7) FROM persons WHERE $own < 'b'", 'compared');
refused($type, "SELECT dp_count(7), (SELECT count(*) FROM v), (SELECT count(*) FROM own WHERE false) FROM persons "
	. "WHERE $own\::text = 'a'", 'though a view and a table of his own have it, which are closed');
refused($type, 'SELECT dp_count(7), (SELECT count(*) FROM of_team) FROM persons WHERE '
	  . ($own =~ s/pg_temp\.e/theirs/r) . "::text = 'a'", 'though a table of a role that he can become has it');
refused($type, 'SELECT dp_count(7) FROM persons WHERE ' . ($own =~ s/'a'::pg_temp\.e/'one'::unused/r)
	  . "::text = 'one'", 'of the owner, but of no column');
refused($type, 'SELECT dp_count(7) FROM persons WHERE ' . ($own =~ s/pg_temp\.e/trusted/r) . "::text = 'a'",
	'of a superuser, but of no column: nobody has looked up its values');
refused($type,
	q[SELECT dp_count(7) FROM persons WHERE (CASE WHEN id = 17 THEN 'a'::pg_temp.d ELSE 'b'::pg_temp.d END) = 'a'],
	'a domain of his own');
refused($type, q[SELECT dp_count(7) FROM persons WHERE (CASE WHEN id = 17 THEN ARRAY['a'::pg_temp.e] END) IS NOT NULL],
	'an array of his own');
refused($type,
	q[SELECT dp_count(7) FROM persons WHERE (CASE WHEN id = 17 THEN ROW('a')::own_row END) IS DISTINCT FROM NULL],
	'a row of his own');
refused($type, "PREPARE q AS SELECT dp_count(7) FROM persons WHERE $own\::text = 'a'; EXECUTE q", 'prepared');
$s->run('DEALLOCATE ALL');

$s->value('RESET ROLE; SET ROLE team');
$s->value(q[CREATE TABLE teams (id int PRIMARY KEY, c theirs, f text); ALTER TABLE teams ALTER f SET STORAGE PLAIN; ]
	  . q[INSERT INTO teams SELECT i, 'a', repeat('x', 1500) FROM generate_series(1, 5) i; ]
	  . q[SELECT idp.protect('teams', 1e9, unit => 'id'); GRANT SELECT ON teams TO analyst]);
$s->value('RESET ROLE; SET ROLE analyst');
refused(qr/^a value of a type that no column of the tables has/,
	'SELECT dp_count(7), (SELECT dp_count(7) FROM teams) FROM persons WHERE ' . ($own =~ s/pg_temp\.e/theirs/r)
	  . "::text = 'a'",
	'though a hidden table of a role that he can become has it');
refused(qr/^table "\w+" cannot be joined to hidden rows of table "\w+": it has to be of the same owner/,
	'SELECT dp_count(7) FROM persons p JOIN teams t ON t.id = p.id WHERE p.id = 17 AND p.age = 17',
	'hidden tables of two owners: each would see which of his pages were read');

$super->value(q[ALTER TYPE theirs OWNER TO team; SET ROLE team; GRANT USAGE ON TYPE theirs TO keeper; RESET ROLE; ]
	  . q[SET ROLE keeper; ALTER TABLE persons ADD k theirs DEFAULT 'a'; RESET ROLE]);
refused(qr/^a value of a type that another role owns cannot be applied to hidden rows of table "persons"/,
	q[SELECT dp_count(7) FROM persons WHERE id = 17 AND age = 17 AND k::text = 'a'],
	'of a column, but of a role that he can become: who drops a type drops its columns while they are read');

$super->value(
	q[CREATE SCHEMA words AUTHORIZATION team; GRANT ALL ON SCHEMA words TO keeper; SET ROLE keeper;
  CREATE TYPE words.tone AS ENUM ('low', 'high'); ALTER TABLE persons ADD w words.tone DEFAULT 'low'; RESET ROLE;
  CREATE OPERATOR words.=== (leftarg = int, rightarg = int, function = int4eq);
  GRANT USAGE ON SCHEMA words TO analyst]);
refused(qr/^a value of a type that another role owns/,
	q[SELECT dp_count(7) FROM persons WHERE id = 17 AND w::text = 'low'],
	'in a schema of a role that he can become, who can drop it');
refused(qr/^an operator that belongs to no superuser/,
	q[SELECT dp_count(7) FROM persons WHERE age OPERATOR(words.===) 17], 'an operator there');

# operators
refused($operator, 'SELECT dp_count(7) FROM persons p WHERE NOT EXISTS (SELECT FROM nums n '
	  . 'WHERE n.n = p.age AND p.age OPERATOR(pg_temp.===) n.n) AND p.id = 17 AND p.age < 18', 'in a hash join');
refused($operator, 'SELECT dp_count(7) FROM persons WHERE age OPERATOR(pg_temp.===) 3', 'in a condition');
refused($operator, 'SELECT dp_count(7) FROM persons WHERE age OPERATOR(pg_temp.===) ANY (ARRAY[3, 4])', 'with a list');
refused($operator, 'SELECT dp_count(7) FILTER (WHERE age OPERATOR(pg_temp.<<<) 3) FROM persons', 'in a filter');
refused(qr/cannot be applied to hidden rows/,
	'SELECT dp_count(7) FROM persons p WHERE NOT EXISTS (SELECT FROM nums n WHERE n.n = p.age '
	. 'AND p.age <=> n.n) AND p.id = 17',
	'of a superuser, in a hash join: its hash function would be looked for with the first row');

# workers, which would be started with the first row of the other side of a join, and fail by a setting
$super->value(<<'SQL');
SET ROLE keeper;
CREATE TABLE visits (id int PRIMARY KEY, person int NOT NULL REFERENCES persons, cost int NOT NULL);
INSERT INTO visits SELECT i, 1 + i % 1000, i % 50 FROM generate_series(1, 3000) i;
SELECT idp.link('visits', 'person', 'persons'); GRANT SELECT ON visits TO analyst;
RESET ROLE;
SQL
$s->value(q[CREATE TEXT SEARCH CONFIGURATION pg_temp.cfg (COPY = pg_catalog.simple); ]
	  . q[SET default_text_search_config = 'pg_temp.cfg']);
$s->value('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	  . 'SET enable_mergejoin = off; SET enable_hashjoin = off');
my $joined = 'SELECT dp_count(7) FROM persons p JOIN (SELECT person, max(cost) m FROM visits '
  . 'GROUP BY person OFFSET 0) g ON g.person = p.id WHERE p.id = 17 AND p.age = 17';
foreach my $sql ($joined, $joined =~ s/age = 17/age = 18/r, 'SELECT dp_count(7) FROM persons p '
	  . 'WHERE EXISTS (SELECT FROM visits v WHERE v.person = p.id AND v.cost = 3) AND p.id = 17')
{
	unlike(steps_of($s, $sql), qr/GATHER/, "no workers: $sql");
	is($s->run($sql)->{message}, undef, 'answered');
}
like(steps_of($s, 'SELECT dp_count(7) FROM visits'), qr/GATHER/, 'without joins there are some');
$s->value('RESET default_text_search_config; RESET enable_mergejoin; RESET enable_hashjoin');

# A row that has the server look something up hears what other sessions have committed: everybody hears that with an
# answer, whatever the rows. Else a catalog cache that is out of date would tell.
my %heard;
foreach my $age (17, 18)
{
	my ($one, $two, $three) = map { my $session = session($node); $session->value('SET ROLE analyst'); $session }
	  1 .. 3;
	my $oid = $two->value("CREATE TEMP TABLE gone (x int); SELECT 'gone'::regclass::oid");
	$one->value("SELECT has_table_privilege($oid\::oid, 'SELECT')");
	$one->value('BEGIN ISOLATION LEVEL REPEATABLE READ');
	$one->value("DECLARE p CURSOR FOR SELECT has_table_privilege($oid\::oid, 'SELECT') "
		  . "FROM generate_series(1, 9); FETCH p");
	$one->value("DECLARE c CURSOR FOR SELECT dp_count(1) FROM persons WHERE id = 17 AND age = $age AND m::text = 'ok'");
	$three->value(q[DO $$BEGIN FOR i IN 1 .. 150 LOOP EXECUTE 'CREATE TEMP TABLE y (a int, b text, ]
		  . q[c int PRIMARY KEY)'; EXECUTE 'DROP TABLE y'; END LOOP; END$$]);
	$one->value('FETCH p; DECLARE w CURSOR FOR SELECT dp_count(1) '
		  . 'FROM (SELECT person FROM visits WHERE cost = 3 GROUP BY person) q; FETCH w; CLOSE w; FETCH p');
	$two->value('DROP TABLE gone');
	$one->value('FETCH c');
	$heard{$age} = $one->value('FETCH p');
	$one->value('ROLLBACK');
	$_->quit foreach $one, $two, $three;
}
is($heard{17}, $heard{18}, 'what the session has heard of others does not depend on rows');

# what lasts
foreach my $sql (q[SELECT dp_count(7) FROM persons ]
	  . q[WHERE m = 'ok' AND m::text <> 'x' AND (CASE WHEN age > 1 THEN 'sad' ELSE m END) < 'glad'],
	q[SELECT dp_count(7) FROM persons WHERE f::mood < 'ok' AND f::text = 'sad'],
	q[SELECT dp_count(7) FROM persons p JOIN nums n ON n.n = p.age WHERE n.k::text = 'glad' AND n.k > p.m],
		q[SELECT dp_count(7) FROM persons WHERE age <=> 3], q[SELECT dp_count(7) FROM persons WHERE m IN ('sad', 'ok')],
	'SELECT dp_count(7) FROM persons p WHERE NOT EXISTS (SELECT FROM nums n WHERE n.n = p.age) AND p.id = 17')
{
	costs($super, 'persons', 7, $sql, sub { is($s->run($sql)->{message}, undef, "answered: $sql") });
}

# a cursor that is open keeps what it reads
$s->value('BEGIN');
is($s->run(q[DECLARE c CURSOR FOR SELECT dp_count(7) FROM persons WHERE m::text = 'ok'])->{message}, undef, 'a cursor');
like($s->run('DROP TYPE mood CASCADE')->{message} // 'dropped', qr/^must be owner of type mood/,
	'whose types are not his');
$s->run('ROLLBACK');
$super->value('SET ROLE keeper; BEGIN');
$s->value(q[BEGIN; DECLARE c CURSOR FOR SELECT dp_count(7) FROM persons WHERE m::text = 'ok']);
like($super->run('SET lock_timeout = 200; ALTER TABLE persons DROP COLUMN m')->{message} // 'dropped',
	qr/^canceling statement due to lock timeout/, 'and nobody drops their columns meanwhile');
$super->run('ROLLBACK');
is($s->run('FETCH c')->{message}, undef, 'it is read');
$s->run('ROLLBACK');

$_->quit foreach $super, $s;
$node->stop;
done_testing();
