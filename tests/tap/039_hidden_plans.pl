# Hidden tables: what steps of a plan do of their own, beside showing rows. Expressions stand in many places
# of a plan, and some steps run only where a hidden row is there: none of them may fail, or call a
# function of the analyst's, for some rows and not for others.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('hidden_plans', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE mallory LOGIN;
GRANT CREATE ON SCHEMA public TO keeper, mallory;
SET ROLE keeper;
CREATE TABLE staff (id int, dept int, salary int, at timestamptz NOT NULL);
INSERT INTO staff SELECT i, i % 3, 30000 + (i * 7919) % 50000, timestamptz '2026-03-29 01:30:00Z'
  FROM generate_series(1, 3000) i;
CREATE INDEX ON staff (salary);
SELECT idp.protect('staff', 1e9);
GRANT SELECT ON staff TO mallory;
ANALYZE staff;
SET ROLE mallory;
CREATE TABLE p (id int PRIMARY KEY);
INSERT INTO p SELECT generate_series(0, 9);
CREATE TABLE own AS SELECT * FROM p;
ALTER TABLE own ADD PRIMARY KEY (id);
CREATE TABLE parts (k int PRIMARY KEY) PARTITION BY RANGE (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (-100000) TO (0);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (0) TO (100000);
INSERT INTO parts SELECT generate_series(-99999, 99999);
CREATE TABLE texts (id int PRIMARY KEY, t text);
INSERT INTO texts SELECT i, repeat('a', 100000) FROM generate_series(0, 9) i;
CREATE TABLE times (ts timestamp PRIMARY KEY);
INSERT INTO times VALUES ('2026-03-29 02:30'), ('2026-03-29 03:00');
CREATE FUNCTION tell(int) RETURNS int
  LANGUAGE plpgsql STABLE PARALLEL SAFE COST 0.0001 AS $$BEGIN RAISE NOTICE 'called with %', $1; RETURN $1; END$$;
ANALYZE p, parts, texts, times;
RESET ROLE;
ALTER TABLE p OWNER TO keeper; ALTER TABLE parts OWNER TO keeper; ALTER TABLE parts_1 OWNER TO keeper;
ALTER TABLE parts_2 OWNER TO keeper; ALTER TABLE texts OWNER TO keeper; ALTER TABLE times OWNER TO keeper;
GRANT SELECT ON p, parts, texts, times TO mallory;
SQL
my $mallory = session($node);
$mallory->value('SET ROLE mallory; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; '
	  . 'SET enable_memoize = off');

my $there = 37919;    # one has this salary, none has the next
my $absent = 37918;

# What happens is the same whether or not the salary $there is that of a row; a pattern says how: undef,
# an answer. Functions are called for no row.
sub tells_nothing
{
	my ($name, $question, $refusal, $session) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @outcomes = map { my $salary = $_; (($session // $mallory)->run($question =~ s/SALARY/$salary/gr)) }
	  $there, $absent;
	is($outcomes[0]->{message}, $outcomes[1]->{message}, "$name: fails for both or for neither");
	unlike($outcomes[0]->{err}, qr/called with/, "$name: no function is told a value");
	return like($outcomes[0]->{message}, $refusal, "$name: refused") if defined $refusal;
	return is($outcomes[0]->{message}, undef, "$name: answered");
}

# --- a function of the analyst's in all places ------------------------------------------------------------

my $unfit = qr/^function tell\(integer\) cannot be (applied to|evaluated before) hidden rows/;
my $late = qr/$unfit|^table "p" cannot be looked up for hidden rows/;
my $one = 'salary = SALARY';
tells_nothing('run condition of a window',
	"SELECT dp_count(1) FROM staff s, LATERAL (SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) r "
	. "FROM p WHERE id = s.dept) z WHERE r <= tell(s.salary) OFFSET 0) l WHERE $one", $late);
tells_nothing('the same of ranks',
	"SELECT dp_count(1) FROM staff s, LATERAL (SELECT id FROM (SELECT id, dense_rank() OVER (ORDER BY id) r "
	. "FROM p WHERE id = s.dept) z WHERE r <= tell(s.salary) OFFSET 0) l WHERE $one", $late);
tells_nothing('run-time pruning of partitions',
	"SELECT dp_count(1) FROM staff s WHERE $one AND EXISTS (SELECT 1 FROM parts WHERE k = tell(s.salary))", $unfit);

# --- rows that are looked at again ------------------------------------------------------------------------

# A row that another session changes meanwhile has its conditions evaluated again, by plans of their own.
my $again = qr/^rows of table "staff" are hidden from role "mallory"/;
my $among = "id::numeric IN (SELECT dp_count(1)::numeric FROM staff WHERE $one)";
tells_nothing('UPDATE with a subquery', "UPDATE own SET id = id WHERE id = 1 AND ($among OR id < 100)", $again);
tells_nothing('DELETE with one', "DELETE FROM own WHERE id = 100 AND ($among OR id > 100)", $again);
tells_nothing('FOR UPDATE with one', "SELECT * FROM own WHERE id = 1 AND ($among OR id < 100) FOR UPDATE", $again);
tells_nothing('a CTE that changes rows',
	"WITH c AS (UPDATE own SET id = id WHERE id = 1 RETURNING id) SELECT FROM c WHERE $among OR id < 100", $again);
tells_nothing('a scalar subquery',
	"UPDATE own SET id = id WHERE id = 1 AND (id < (SELECT dp_count(1) FROM staff WHERE $one) OR id < 100)");
tells_nothing('a subquery that changes nothing', "SELECT id FROM p WHERE $among OR id < 100");

# --- what is compiled -------------------------------------------------------------------------------------

# Expressions are compiled with the first row that meets one, and a message says so.
my $compiling = session($node);
$compiling->value('SET ROLE mallory; SET jit = on; SET jit_above_cost = 0; SET client_min_messages = debug1');
my $compiled = sub {
	my ($salary) = @_;
	return $compiling->run("SELECT dp_count(1e-9) FROM staff s JOIN p ON p.id = s.dept "
		  . "WHERE s.salary = $salary AND p.id + s.id > 0")->{err}
};
is($compiled->($there), $compiled->($absent), 'no message tells that an expression was evaluated');

# Some functions say what they do; each new value of lc_time has this one say it once more.
my $saying = sub {
	my ($salary, $locale) = @_;
	return $compiling->run("SET client_min_messages = debug5; SET lc_time = '$locale'; "
		  . "SELECT dp_count(1e-9) FROM staff s WHERE s.salary = $salary "
		  . "AND to_char('2020-01-01'::timestamp + s.dept * interval '1 day', 'TMMonth') <> 'x'; "
		  . "SET client_min_messages = notice")->{err};
};
unlike($saying->($_->[0], $_->[1]), qr/cache_locale_time/, "nor that a function was called, $_->[0]")
  foreach [ $there, 'C' ], [ $absent, 'POSIX' ];

# --- steps that fail by themselves ------------------------------------------------------------------------

# from 18 on this is planned as a join by an expression, in which no bound is seen
tells_nothing('pruning that divides by zero',
	"SELECT dp_count(1) FROM staff s WHERE EXISTS (SELECT 1 FROM parts WHERE k = 1 / (s.salary - SALARY))",
	$major >= 18 ? qr/cannot be computed over a join/ : undef);
tells_nothing('LIMIT', "SELECT dp_count(1) FROM staff s JOIN (SELECT * FROM p LIMIT -1) l ON l.id = s.dept WHERE $one",
	qr/^a negative LIMIT or OFFSET cannot be applied/);
tells_nothing('OFFSET',
	"SELECT dp_count(1) FROM staff s JOIN (SELECT * FROM p OFFSET -1) l ON l.id = s.dept WHERE $one",
	qr/^a negative LIMIT or OFFSET cannot be applied/);
tells_nothing('OFFSET that is computed',
	"SELECT dp_count(1) FROM staff s JOIN (SELECT * FROM p OFFSET (now() < '2000-01-01'::timestamptz)::int - "
	. "1) l ON l.id = s.dept WHERE $one", qr/^a negative LIMIT or OFFSET cannot be applied/);
tells_nothing('LIMIT of the row',
	"SELECT dp_count(1) FROM staff s, LATERAL (SELECT id FROM p WHERE id = s.dept LIMIT s.salary - 37920) l "
	. "WHERE $one",
	qr/^a LIMIT or OFFSET that is not the same for all rows cannot be applied|^table "p" cannot be looked up/);
tells_nothing('LIMIT that is none', "SELECT dp_count(1) FROM staff s "
	  . "JOIN (SELECT * FROM p ORDER BY id LIMIT ALL OFFSET 0) l ON l.id = s.dept WHERE $one");
tells_nothing('LIMIT of public rows, which may be others each time',
	"SELECT dp_count(1) FROM staff s JOIN (SELECT * FROM p ORDER BY id LIMIT 5 OFFSET 0) l ON l.id = s.dept "
	. "WHERE $one", qr/cannot be computed over a join/);
tells_nothing('FETCH of a parameter',
	"PREPARE few(int) AS SELECT dp_count(1) FROM staff s JOIN (SELECT * FROM p LIMIT \$1) l ON l.id = s.dept "
	. "WHERE $one; EXECUTE few(-1); DEALLOCATE few", qr/^a negative LIMIT or OFFSET cannot be applied/);
tells_nothing('expression of a table that is public',
	"SELECT dp_count(1) FROM staff s JOIN p ON p.id = s.dept AND tell(p.id) = p.id WHERE $one", $unfit);
tells_nothing('the same of constants',
	"SELECT dp_count(1) FROM staff s JOIN p ON p.id = s.dept AND tell(0) = 0 WHERE $one",
	qr/^function tell\(integer\) cannot be evaluated before hidden rows/);
tells_nothing('function in FROM',
	"SELECT dp_count(1) FROM staff s JOIN generate_series(0, 9) g ON g = s.dept WHERE $one",
	qr/^a function that returns sets cannot be applied/);
tells_nothing('function in SELECT',
	"SELECT dp_count(1) FROM staff s JOIN (SELECT DISTINCT generate_series(0, 9) AS g) l ON g = s.dept "
	. "WHERE $one", qr/^a function that returns sets cannot be applied/);
tells_nothing('subquery that runs late',
	"SELECT dp_count(1) FROM staff s JOIN p ON p.id = s.dept WHERE $one AND p.id >= (SELECT 1 / count(*) - 1 "
	. "FROM p WHERE id > 100)", qr/^table "p" cannot be looked up for hidden rows/);
tells_nothing('VALUES', "SELECT dp_count(1) "
	  . "FROM staff s, LATERAL (SELECT * FROM (VALUES (1 / (s.salary - SALARY))) v(x) OFFSET 0) l WHERE $one");

# Rows in order by a comparison that depends on the time zone: the hour that does not exist is out of order.
my $ordered = session($node);
$ordered->value("SET ROLE mallory; SET TimeZone = 'Europe/Berlin'; SET enable_nestloop = off; "
	  . "SET enable_hashjoin = off");
tells_nothing('merge join by a stable comparison', "SELECT dp_count(1) FROM staff s JOIN times ON ts = at WHERE $one",
	qr/cannot be computed over a join|^function timestamp\w+eq\w+\(.*\) cannot be applied/, $ordered);
$ordered->value('RESET enable_nestloop; SET enable_mergejoin = off');
tells_nothing('nor is it a key', "SELECT dp_count(1) FROM staff s JOIN times ON ts = at WHERE $one",
	qr/cannot be computed over a join/, $ordered);
$ordered->quit;

# --- the stack --------------------------------------------------------------------------------------------

my $many = '%a' x 60000 . '%b';
tells_nothing('LIKE that calls itself',
	"SELECT dp_count(1) FROM staff s JOIN (SELECT * FROM texts WHERE t LIKE '$many') l ON l.id = s.dept "
	. "WHERE $one", qr/^function textlike\(text,text\) cannot be applied/);
tells_nothing('LIKE', "SELECT dp_count(1) FROM staff s JOIN (SELECT * FROM texts WHERE t LIKE '" . '%a' x 16
	  . "b') l ON l.id = s.dept WHERE $one");

# Functions that call themselves leave as little of it as they like.
$mallory->value(<<'SQL');
CREATE FUNCTION deep(n int, question text) RETURNS bigint LANGUAGE plpgsql AS $$DECLARE answer bigint;
BEGIN IF n > 0 THEN RETURN deep(n - 1, question); END IF; EXECUTE question INTO answer; RETURN answer; END$$;
CREATE FUNCTION deep_fetch(n int, answers refcursor) RETURNS bigint LANGUAGE plpgsql AS $$DECLARE answer bigint;
BEGIN IF n > 0 THEN RETURN deep_fetch(n - 1, answers); END IF; FETCH answers INTO answer; RETURN answer; END$$;
CREATE FUNCTION open_and_fetch(n int, question text) RETURNS bigint LANGUAGE plpgsql AS $$DECLARE answers refcursor;
BEGIN OPEN answers FOR EXECUTE question; RETURN deep_fetch(n, answers); END$$;
SQL
my ($fits, $fails) = (1, 4000);
while ($fails - $fits > 1)
{
	my $n = int(($fits + $fails) / 2);
	defined $mallory->run("SELECT deep($n, 'SELECT 1')")->{message} ? $fails = $n : $fits = $n;
}
my $deep = int(0.8 * $fits);
cmp_ok($deep, '>', 20, 'there is a stack to use up');
my $too_deep = qr/^too little of the stack is left/;
my $count = 'SELECT dp_count(1) FROM staff s JOIN p ON p.id = s.dept WHERE s.salary = SALARY';
tells_nothing('a question deep in functions', "SELECT deep($deep, '$count')", $too_deep);
tells_nothing('a cursor that is read there', "SELECT open_and_fetch($deep, '$count')", $too_deep);
tells_nothing('a question less deep', "SELECT deep(5, '$count'), open_and_fetch(5, '$count')");
my $nested = 'SELECT id FROM p';
$nested = "SELECT id FROM ($nested ORDER BY id LIMIT 9) l" foreach 1 .. 150;
tells_nothing('a deep plan', "SELECT dp_count(1) FROM staff s JOIN ($nested OFFSET 0) l ON l.id = s.dept WHERE $one",
	qr/^rows of table "staff" are hidden/);

$mallory->quit;
$s->quit;
$node->stop;
done_testing();
