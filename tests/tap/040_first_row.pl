# Hidden tables: what the first row would meet. What depends on no row is decided before one is read, and stays: values
# of parameters, locks, collations, what the catalogs say. Else an error, or a message, would tell that a row
# came so far.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('first_row', 'jit = off', "session_preload_libraries = 'idp'", 'max_connections = 10',
	"timezone = 'UTC'");
my $s = session($node);
my $there = 37919;    # one has this salary, none has the next
my $absent = 37918;
my $has_icu = $s->value(q{SELECT count(*) FROM pg_collation WHERE collname = 'de-x-icu'});
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE mallory LOGIN;
GRANT CREATE ON SCHEMA public TO keeper, mallory;
SET ROLE keeper;
CREATE TABLE staff (id int, dept int, salary int, name text, d1 int, d2 int);
INSERT INTO staff SELECT i, i % 3, 30000 + (i * 7919) % 50000, 'n' || i, i % 7, i % 5 FROM generate_series(1, 3000) i;
CREATE INDEX ON staff (salary);
SELECT idp.protect('staff', 1e9);
CREATE TABLE customers (id int PRIMARY KEY);
INSERT INTO customers SELECT generate_series(1, 10);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL REFERENCES customers);
INSERT INTO orders SELECT i, CASE WHEN i <= 1000 THEN 1 ELSE 1 + i % 10 END FROM generate_series(1, 1500) i;
SELECT idp.protect('customers', 1e9, unit => 'id');
SELECT idp.link('orders', 'customer', 'customers');
GRANT SELECT ON staff, customers, orders TO mallory;
ANALYZE staff;
SET ROLE mallory;
CREATE TYPE pair AS (a int, b int);
CREATE TABLE p (id int PRIMARY KEY, c circle, l lseg, q pair, t text);
ALTER TABLE p ALTER t SET STORAGE EXTERNAL;
INSERT INTO p SELECT i, '<(0,0),1e200>', '[(-1.7e308,0),(1.7e308,0)]', '(1,2)', repeat('a', 100000)
  FROM generate_series(0, 2) i;
RESET ROLE;
ALTER TABLE p OWNER TO keeper;
GRANT SELECT ON p TO mallory;
SQL
sub as_mallory
{
	my $session = session($node);
	$session->value('SET ROLE mallory; SET plan_cache_mode = force_generic_plan');
	return $session;
}
my $mallory = as_mallory();

# What a session gets, messages and all, for a salary that is there and for one that is not.
sub outcomes
{
	my ($question, $new) = @_;
	return map {
		my $salary = $_;
		my $session = $new ? as_mallory() : $mallory;
		my $result = $session->run($question =~ s/SALARY/$salary/gr);
		$session->quit if $new;
		$result
	} $there, $absent;
}

# It is the same but for the answer; a pattern says what: undef, an answer.
sub tells_nothing
{
	my ($name, $question, $refusal, $new) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @outcomes = outcomes($question, $new);
	my @told = map { ($_->{err} // '') =~ s/<stdin>:\d+/<stdin>/gr =~ s/$there|$absent/SALARY/gr } @outcomes;
	is($told[0], $told[1], "$name: the same messages");
	return like($outcomes[0]->{message}, $refusal, "$name: refused") if defined $refusal;
	return is($outcomes[0]->{message}, undef, "$name: answered");
}

# --- a gate that somebody wrote -----------------------------------------------------------------------------

my $unfit = qr/cannot be applied to hidden rows|cannot be evaluated before hidden rows|cannot be computed over/;
my $written = qr/is the condition of policies of hidden tables/;
tells_nothing("a gate in $_", "SELECT dp_count(1e-18) FROM staff s $_", $written)
  foreach 'WHERE salary = SALARY OR idp.approved()', 'WHERE CASE WHEN salary = SALARY THEN idp.approved() END',
  'JOIN p ON p.id = s.dept AND CASE WHEN salary = SALARY THEN idp.approved() END',
  'WHERE salary = SALARY AND NOT idp.approved()',
  'JOIN (SELECT id FROM (SELECT * FROM p OFFSET 0) p WHERE idp.approved() OFFSET 0) l ON l.id = s.dept '
    . 'WHERE salary = SALARY';
tells_nothing('over a table that everybody may know', 'SELECT dp_count(1e-18) FROM staff s '
	  . 'JOIN (SELECT id FROM p WHERE idp.approved() OFFSET 0) l ON l.id = s.dept WHERE salary = SALARY', $written);
tells_nothing('in a filter',
	'SELECT dp_count(1e-18) FILTER (WHERE CASE WHEN salary = SALARY THEN idp.approved() END) FROM staff', $written);
tells_nothing('in an argument',
	'SELECT dp_sum(CASE WHEN salary = SALARY AND idp.approved() THEN 1 END, 1e-18, 0, 1) FROM staff', $written);

# --- functions of the server that are leakproof, and fail ------------------------------------------------------

tells_nothing("comparison of $_",
	"SELECT dp_count(1e-18) FROM staff s JOIN p ON p.id = s.dept WHERE salary = SALARY AND p.$_ < p.$_", $unfit)
  foreach qw(c l);

# --- what depends on no row is evaluated once ------------------------------------------------------------------

tells_nothing('a cursor whose session changes the time zone', <<'SQL');
BEGIN;
DECLARE c CURSOR FOR SELECT dp_count(1e-18) FROM staff
  WHERE CASE WHEN salary = SALARY THEN ('294276-12-31 23:59:59+00'::timestamptz)::timestamp > now()::timestamp END;
SET LOCAL TimeZone = 'Etc/GMT-14';
FETCH c;
COMMIT;
SQL
$mallory->value(q{PREPARE words (text, int) AS SELECT dp_count(1e-18) FROM staff }
	  . q{WHERE CASE WHEN salary = $2 THEN numnode(plainto_tsquery('english'::regconfig, $1)) = 0 END});
tells_nothing('a function that says something', q{EXECUTE words ('the', SALARY)});
$mallory->value('PREPARE choice (int, int) AS SELECT dp_count(1e-18) FROM staff '
	  . 'WHERE CASE WHEN $1 = 1 THEN salary = 2 WHEN salary = $2 THEN $1 = 2 END');
tells_nothing('a case of parameters alone', 'EXECUTE choice (2, SALARY)');
# a parameter whose text depends on a setting of the moment
my $opened = <<'SQL';
CREATE OR REPLACE FUNCTION opened(f float8, digits int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE c refcursor; answer bigint;
BEGIN
	SET LOCAL extra_float_digits = -14;
	SET LOCAL enable_seqscan = off;
	OPEN c FOR QUESTION;
	PERFORM set_config('extra_float_digits', digits::text, true);
	FETCH c INTO answer;
	RETURN answer;
END $$;
SELECT opened(1 / 3.0::float8, 3);
SQL
foreach my $condition ("substr(name, 1, 10 - length(f::text)) <> 'x'", 'length(f::text) > 5',
	"name LIKE repeat('%', length(f::text) - 3)")
{
	tells_nothing($condition,
		$opened =~ s/QUESTION/SELECT dp_count(1e-18) FROM staff WHERE salary = SALARY AND $condition/r);
}
is($mallory->value($opened =~ s/QUESTION/SELECT dp_count(1000) FROM staff WHERE salary > 0 AND length(f::text) > 5/r),
	'0', 'what is decided at the start stays');
my $ranked = 'SELECT dp_count(1000) FROM (SELECT *, row_number() OVER (PARTITION BY customer ORDER BY id) AS r '
  . 'FROM orders) o WHERE r <= (length(f::text) - 3) * 1000000';
is($mallory->value($opened =~ s/QUESTION/$ranked/r), '0', 'with no rows more than were charged');
foreach my $rows ('hidden', 'visible')
{
	$s->value("SELECT idp.protect('customers', 1e9, unit => 'id', rows => '$rows')");
	is($mallory->value($opened =~ s/QUESTION/$ranked/r), '0', "likewise where rows are $rows");
}

# --- locks ---------------------------------------------------------------------------------------------------------

$mallory->value(q{SET lock_timeout = '500ms'});
my $keeper = session($node);
$keeper->value('SET ROLE keeper; BEGIN; REINDEX TABLE p');
tells_nothing('long values whose table is locked', "SELECT dp_count(1e-18) FROM staff s WHERE salary = SALARY "
	  . "AND EXISTS (SELECT FROM p WHERE p.id = s.dept AND p.t > 'a')", qr/^canceling statement due to lock timeout/);
tells_nothing('read by a twin', "SELECT dp_count(1e-18) FROM staff s WHERE salary = SALARY AND EXISTS (SELECT FROM p "
	  . "WHERE p.id = s.dept AND p.t || 'a' > 'a')", qr/^canceling statement due to lock timeout/);
$keeper->value('ROLLBACK');
my $other = as_mallory();
$other->value('BEGIN; ALTER TYPE pair ADD ATTRIBUTE c int');
tells_nothing('a value with columns', 'SELECT dp_count(1e-18) FROM staff s '
	  . 'WHERE salary = SALARY AND EXISTS (SELECT FROM p WHERE p.id = s.dept AND p.q IS NOT NULL)', $unfit);
$other->value('ROLLBACK');
$mallory->value('RESET lock_timeout');

# A lock table without room: what a twin stands for is known before rows are read.
my @places = map { "z$_" } 1 .. 18;
$other->value("CREATE TABLE $_ ()") foreach @places;
my $filler = as_mallory();
my $full = q{DO $$ BEGIN FOR i IN 1..1000000 LOOP PERFORM pg_advisory_lock(i); END LOOP; }
  . q{EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END $$};
my @fetched;
foreach my $salary ($there, $absent)
{
	my $session = as_mallory();
	$session->value("BEGIN; DECLARE c CURSOR FOR SELECT dp_count(1e-18) FROM staff s "
		  . "WHERE salary = $salary AND d1 % d2 <> 77; LOCK TABLE " . join(', ', @places) . ' IN ACCESS SHARE MODE');
	like($filler->run($full)->{err}, qr/out of shared memory/, 'no lock is left');
	push @fetched, $session->run('FETCH c')->{message} // 'answered';
	$filler->value('SELECT pg_advisory_unlock_all()');
	$session->run('ROLLBACK');
	$session->quit;
}
is_deeply(\@fetched, [ 'answered', 'answered' ], 'a twin is answered, whether or not a row comes');

# --- collations -------------------------------------------------------------------------------------------------------

SKIP:
{
	skip 'no ICU', 1 unless $has_icu;
	$other->value("CREATE COLLATION own_$_ (provider = icu, locale = 'de')") foreach 1, 2;
	$other->value("CREATE COLLATION old (provider = icu, locale = 'de', version = '1')");
	my $n = 0;
	tells_nothing('a collation that its owner drops', "SELECT dp_count(1e-18) FROM staff WHERE salary = SALARY AND $_",
		$unfit, 1)
	  foreach q{lower(name COLLATE own_1) <> 'x'}, q{name || 'a' > 'b' COLLATE own_1},
	  q{greatest(name, 'a' COLLATE own_1) <> 'x'}, q{name COLLATE old > 'x'};
	tells_nothing('in an order',
		'SELECT dp_count(1e-18) FROM (SELECT * FROM staff WHERE salary = SALARY ORDER BY name COLLATE own_1) s', $unfit,
		1);
	tells_nothing('of an aggregate',
		'SELECT dp_count_distinct(name COLLATE own_1, 1e-18) FROM staff WHERE salary = SALARY', $unfit, 1);
	$s->value(q{UPDATE pg_collation SET collversion = '1' WHERE collname = 'de-x-icu'});
	tells_nothing('a collation of the server of another version',
		'SELECT dp_count(1e-18) FROM staff WHERE salary = SALARY AND lower(name COLLATE "de-x-icu") > \'a\'', undef, 1);
	tells_nothing('in a worker', "SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
		  . "SET min_parallel_table_scan_size = 0; "
		  . 'SELECT dp_count(1e-18) FROM staff WHERE salary = SALARY AND lower(name COLLATE "de-x-icu") > \'a\'', undef,
		1);
	$s->value(q{ALTER COLLATION "de-x-icu" REFRESH VERSION});
}

# --- settings that tell of rows, or change which there are ----------------------------------------

my $sorted = 'SELECT dp_count(DISTINCT d1, 1000) FROM staff WHERE salary <= SALARY';
my $traced = "SET client_min_messages = log; SET trace_sort = on; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(1000) "
  . "FROM (SELECT * FROM staff WHERE salary <= SALARY ORDER BY name OFFSET 0) s; FETCH c; CLOSE c; COMMIT; "
  . "RESET ALL; SET ROLE mallory";
my @traced = outcomes($traced);
unlike($_->{err} // '', qr/sort/, 'sorts tell nothing of themselves') foreach @traced;
is($mallory->value('SHOW trace_sort'), 'off', 'and the setting is as it was');
$s->value('SET ROLE keeper');
like($s->run('SET client_min_messages = log; SET trace_sort = on; SELECT count(*) FROM (SELECT * FROM staff '
	  . 'ORDER BY name OFFSET 0) s; RESET client_min_messages')->{err}, qr/sort/, 'those of others do');
$s->value('RESET trace_sort; RESET ROLE');

# by a function of hers, of the answers of one group, before the next; messages of sorts are not sent to her any more
$mallory->value(q{CREATE FUNCTION turn_on(bigint) RETURNS bool }
	  . q{LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('trace_sort', 'on', false); RETURN false; END $$});
unlike($mallory->run('SELECT p.id, dp_sum(DISTINCT s.d1, 1e-9, 0, 10) FROM p LEFT JOIN staff s ON s.dept = p.id '
	  . 'GROUP BY p.id HAVING turn_on(dp_sum(DISTINCT s.d1, 1e-9, 0, 10)::bigint)')->{err}, qr/LOG: .*sort/,
	'nor when a function over the answers turns that on');
is($mallory->value('SHOW trace_sort'), 'on', 'which it may');
$mallory->value('RESET ALL; SET ROLE mallory; SET plan_cache_mode = force_generic_plan');

# ignore_system_indexes: a warning for each long value
$s->value("ALTER TABLE staff ADD note text; UPDATE staff SET note = repeat(md5(id::text), 300) WHERE id < 5");
{
	local $ENV{PGOPTIONS} = '-c ignore_system_indexes=on';
	my $ignoring = as_mallory();
	unlike($ignoring->run(q{SELECT dp_count(1e-9) FROM staff WHERE note > 'a'})->{err}, qr/pg_toast/,
		'nor of long values that are fetched');
	$ignoring->quit;
}

# --- what the owner's queries are spared ----------------------------------------------------------

$keeper->value('SET plan_cache_mode = force_generic_plan');
$keeper->value('PREPARE spared (int) AS SELECT count(*) FROM staff WHERE $1 = 0 OR salary > 100 / $1');
is($keeper->value('EXECUTE spared (0)'), '3000', 'what is not evaluated does not fail');

$s->value("CREATE TABLE wide AS SELECT i AS id, repeat(md5(i::text), 20) AS t FROM generate_series(1, 3000) i; "
	  . "ALTER TABLE wide OWNER TO keeper; GRANT SELECT ON wide TO mallory; SET ROLE keeper; "
	  . "SELECT idp.protect('wide', 1e9); RESET ROLE");
$s->value("ALTER SYSTEM SET temp_file_limit = '64kB'");
$s->value('SELECT pg_reload_conf()');
my $limited = as_mallory();
$limited->value("SET work_mem = '64kB'");
is($limited->run('SELECT dp_count(1000) FROM (SELECT * FROM wide ORDER BY t OFFSET 0) s')->{message}, undef,
	'no limit of files ends what sorts hidden rows');
is($limited->value('SHOW temp_file_limit'), '64kB', 'and the setting is as it was');
$limited->value('RESET ROLE; SET ROLE keeper');
like($limited->run('SELECT count(*) FROM (SELECT * FROM wide ORDER BY t OFFSET 0) s')->{message},
	qr/^temporary file size exceeds/, 'the owner has it');

my $has_gin = $s->value(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'btree_gin'});
SKIP:
{
	skip 'no btree_gin', 1 unless $has_gin;
	$s->value(<<'SQL');
CREATE EXTENSION btree_gin;
CREATE TABLE many (id int, a int, b int);
INSERT INTO many SELECT i, 1, 1 FROM generate_series(1, 1001) i;
CREATE INDEX ON many USING gin (a, b);
GRANT SELECT ON many TO mallory;
SELECT idp.protect('many', 1e9, rows => 'visible');
VACUUM ANALYZE many;
SQL
	foreach my $rows ('visible', 'hidden')
	{
		$s->value("SELECT idp.protect('many', 1e9, rows => '$rows')");
		$mallory->value('SET enable_seqscan = off');
		is($mallory->value("SET gin_fuzzy_search_limit = $_; SELECT dp_count(1000) FROM many WHERE a = 1 AND b = 1"),
			1001, "all rows of an index, $rows, with a limit of $_") foreach 0, 100, 500;
		$mallory->value('RESET enable_seqscan; RESET gin_fuzzy_search_limit');
	}
}

done_testing();
