# Hidden tables: what reading their rows, or planning to, leaves where the role can see it: in tables of its own, in the
# choice of a plan, in statistics, in the stored form of keys, in what is executed again for a row that
# another session changed.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('traces', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper;
CREATE ROLE mallory;
CREATE ROLE bi;
GRANT pg_read_all_data TO bi;
GRANT CREATE ON SCHEMA public TO keeper, mallory;
SET ROLE keeper;
CREATE TABLE staff (id int, dept int, salary int, note text);
INSERT INTO staff SELECT i, i % 3, 30000 + (i * 7919) % 50000, repeat(md5(i::text), 100)
  FROM generate_series(1, 3000) i;
CREATE INDEX ON staff (salary);
CREATE TABLE other (LIKE staff);
INSERT INTO other SELECT id, dept, CASE salary WHEN 37919 THEN 37918 ELSE salary END, note FROM staff;
CREATE INDEX ON other (salary);
CREATE TABLE departments (id int PRIMARY KEY, name text);
INSERT INTO departments VALUES (0, 'a'), (1, 'b'), (2, 'c');
CREATE VIEW names AS SELECT * FROM departments;
SELECT idp.protect('staff', 1e9, delta => 0.5);
SELECT idp.protect('other', 1e9, delta => 0.5);
GRANT SELECT ON staff, other, departments, names TO mallory, bi;
ANALYZE staff, other, departments;
SET ROLE mallory;
CREATE TABLE mine (id int PRIMARY KEY, x int);
INSERT INTO mine VALUES (0, 1), (1, 2), (2, 3);
GRANT SELECT ON mine TO PUBLIC;
CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (9);
RESET ROLE;
ALTER TABLE parts OWNER TO keeper;
GRANT SELECT ON parts TO mallory;
SQL
my $mallory = session($node);
$mallory->value('SET ROLE mallory');

# --- tables that are read for hidden rows ---------------------------------------------------------------------

my $own = qr/^table "\w+" cannot be joined to hidden rows of table "staff"/;
sub asked
{
	my ($name, $question, $refusal, $session) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $result = ($session // $mallory)->run($question);
	like($result->{hint}, qr/Have the owner of "staff" own it/, 'with a way out') if ($refusal // '') eq $own;
	return defined $refusal ? like($result->{message} // 'answered', $refusal, "$name: refused")
	  : is($result->{message}, undef, "$name: answered");
}

asked('a table of the owner', 'SELECT dp_count(1) FROM staff s JOIN departments d ON d.id = s.dept');
asked('a view of the owner', 'SELECT dp_count(1) FROM staff s JOIN names d ON d.id = s.dept');
asked('a table of her own', 'SELECT dp_count(1) FROM staff s JOIN mine m ON m.id = s.dept', $own);
asked('in a subquery', 'SELECT dp_count(1) FROM staff s WHERE EXISTS (SELECT FROM mine m WHERE m.id = s.dept)', $own);
asked('as the groups', 'SELECT m.id, dp_count(1) FILTER (WHERE s.id IS NOT NULL) FROM mine m '
	  . 'LEFT JOIN staff s ON s.dept = m.id GROUP BY m.id', $own);
asked('a part of hers', 'SELECT dp_count(1) FROM staff s JOIN parts p ON p.id = s.dept', $own);
asked('a temporary table',
	'CREATE TEMP TABLE t (id int PRIMARY KEY); SELECT dp_count(1) FROM staff s JOIN t ON t.id = s.dept', $own);
asked('a catalog', 'SELECT dp_count(1) FROM staff s JOIN pg_class c ON c.oid = s.dept', $own);
asked('beside the answer', 'SELECT * FROM mine, (SELECT dp_count(1) FROM staff) s');
foreach my $right ('INSERT', 'UPDATE (name)', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER')
{
	$s->value("GRANT $right ON departments TO mallory");
	asked("with the right to $right", 'SELECT dp_count(1) FROM staff s JOIN departments d ON d.id = s.dept', $own);
	$s->value("REVOKE $right ON departments FROM mallory");
}
$s->value('GRANT UPDATE ON departments TO mallory');
my $b = session($node);
$b->value('SET SESSION AUTHORIZATION mallory');
$s->value('GRANT bi TO mallory');
asked('by another role of the session',
	'SET ROLE bi; SELECT dp_count(1) FROM staff s JOIN departments d ON d.id = s.dept', $own, $b);
$b->value('RESET ROLE');
$s->value('REVOKE UPDATE ON departments FROM mallory');
asked('and without', 'SELECT dp_count(1) FROM staff s JOIN departments d ON d.id = s.dept', undef, $b);
my $keeper = session($node);
$keeper->value('SET ROLE keeper');
asked('the owner', 'SELECT count(*), dp_count(1) FROM staff s JOIN mine m ON m.id = s.dept', undef, $keeper);

# Such a table is read to its end and kept, whatever the hidden rows are: what is in memory of it afterwards, or where
# the next scan of it begins, tells nothing. Pages are counted by EXPLAIN, which may read it.
$s->value(<<'SQL');
SET ROLE keeper;
CREATE TABLE looked_up (id int PRIMARY KEY, x int, pad text) WITH (fillfactor = 100);
ALTER TABLE looked_up ALTER pad SET STORAGE PLAIN;
INSERT INTO looked_up SELECT i, i, repeat('x', 7000) FROM generate_series(37900, 37939) i;
GRANT SELECT ON looked_up TO mallory;
ANALYZE looked_up;
RESET ROLE;
SQL
my %questions = (
	join => 'SELECT dp_count(1e-9) FROM TABLE s JOIN looked_up l ON l.id = s.salary '
	  . 'WHERE l.x > 0 AND s.salary BETWEEN 37919 AND 37919',
	exists => 'SELECT dp_count(1e-9) FROM TABLE s '
	  . 'WHERE s.salary BETWEEN 37919 AND 37919 AND EXISTS (SELECT FROM looked_up l WHERE l.id = s.salary)',
	absent => 'SELECT dp_count(1e-9) FROM TABLE s WHERE s.salary BETWEEN 37919 AND 37919 AND NOT EXISTS (SELECT '
	  . 'FROM looked_up l WHERE l.id = s.salary)',
	outer => 'SELECT dp_count(1e-9) FROM TABLE s LEFT JOIN looked_up l ON l.id = s.salary '
	  . 'WHERE s.salary BETWEEN 37919 AND 37919 AND l.x IS NOT NULL');
my @methods = ('', 'SET enable_hashjoin = off; SET enable_mergejoin = off',
	'SET enable_hashjoin = off; SET enable_nestloop = off',
	'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; '
	. 'SET enable_memoize = off; SET enable_seqscan = off');
foreach my $name (sort keys %questions)
{
	foreach my $method (@methods)
	{
		my @read = map {
			my $question = $questions{$name} =~ s/TABLE/$_/r;
			my $session = session($node);
			$session->value("SET ROLE mallory; $method");
			my $result = $session->run("BEGIN; $question");
			my $rows = $session->run(q{SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables }
				  . q{WHERE relname = 'looked_up'})->{out};
			$session->quit;
			[ $result->{message} // 'answered', $rows ]
		} qw(staff other);
		is_deeply($read[0], $read[1], "$name, '$method': as many rows are read, whatever the hidden ones are");
		is_deeply($read[0], [ 'answered', 40 ], 'all of them');
	}
}
asked('a lookup for each row',
	'SELECT dp_count(1) FROM staff s, LATERAL (SELECT x FROM looked_up l WHERE l.id = s.salary OFFSET 0) l '
	. 'WHERE l.x > 0', qr/^table "looked_up" cannot be looked up for hidden rows of table "staff"/);
asked('a lookup of several tables for each row',
	"SELECT dp_count(1) FROM staff s, LATERAL (SELECT id FROM looked_up UNION ALL SELECT s.salary "
	. "FROM looked_up) l WHERE l.id = s.salary",
	qr/^table "looked_up" cannot be looked up for hidden rows of table "staff"/);
$mallory->value("SET $force_parallel = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	  . "SET min_parallel_table_scan_size = 0");
unlike(steps_of($mallory, 'SELECT dp_count(1) FROM staff s JOIN looked_up l ON l.id = s.salary'), qr/GATHER/,
	'by one process');
like(steps_of($mallory, 'SELECT dp_count(1) FROM staff s'), qr/GATHER/, 'others by several');
$mallory->value('RESET ALL; SET ROLE mallory');

# --- statistics and what is planned by them ---------------------------------------------------------------------

# The cost of a page at which another plan is chosen tells how many rows are expected.
foreach my $condition ('salary = 37919', 'salary = 37918', 'salary < 30001', 'salary BETWEEN 37919 AND 37930', 'id = 5',
	'dept = 1', "note = 'x'")
{
	foreach my $cost (0.1, 1, 2, 4, 8, 16, 19, 19.42, 19.43, 20, 40, 100)
	{
		$mallory->value("SET random_page_cost = $cost");
		my @plans = map { steps_of($mallory, "SELECT dp_count(1) FROM $_ WHERE $condition") } qw(staff other);
		is($plans[0], $plans[1], "$condition with pages at $cost: one plan");
	}
}
like($keeper->value('EXPLAIN SELECT count(*) FROM staff WHERE dept = 1'), qr/rows=1000/,
	'the owner plans by statistics');
$mallory->value('RESET random_page_cost');
like(steps_of($mallory, 'SELECT dp_count(1) FROM staff WHERE salary = 37919'), qr/INDEX|BITMAP/,
	'an index is used as ever');
$s->value("CREATE STATISTICS together ON dept, salary FROM staff; CREATE STATISTICS together_too ON dept, salary "
	  . "FROM other; ANALYZE staff, other");
is(steps_of($mallory, 'SELECT dp_count(1) FROM staff WHERE dept = 1 AND salary = 37919'), steps_of($mallory,
	'SELECT dp_count(1) FROM other WHERE dept = 1 AND salary = 37919'), 'nor by those of several columns');
SKIP:
{
	skip 'EXPLAIN (MEMORY) is newer', 1 if $major < 17;
	$s->value(q{CREATE TABLE w_4 AS SELECT i AS id, repeat(chr(96 + i), 992) AS t FROM generate_series(1, 4) i;
		CREATE TABLE w_5 AS SELECT i AS id, repeat(chr(96 + i), 992) AS t FROM generate_series(1, 5) i;
		ANALYZE w_4, w_5;
		GRANT SELECT ON w_4, w_5 TO mallory; SELECT idp.protect('w_4', 10); SELECT idp.protect('w_5', 10)});
	my @memory = map {
		my $table = $_;
		$mallory->value("EXPLAIN (MEMORY, COSTS OFF) SELECT dp_count(1) FROM $table WHERE t < 'b'") =~ s/w_\d/w/gr
	} qw(w_4 w_5);
	is($memory[0], $memory[1], 'what the planner takes of memory does not follow statistics');
}

# Roles that may read all tables, and pass no row security.
my $bi = session($node);
$s->value('GRANT CREATE ON SCHEMA public TO bi');
$bi->value('SET ROLE bi; CREATE VIEW seen AS SELECT starelid, stavalues1::text FROM pg_statistic');
$s->value('CREATE INDEX lower_dept ON staff ((dept + 1)); ANALYZE staff');
my $toast = $s->value(q{SELECT reltoastrelid::regclass FROM pg_class WHERE relname = 'staff'});
my $hidden = qr/are hidden from role "bi"/;
foreach my $question ("SELECT chunk_data FROM $toast", "COPY $toast TO STDOUT", "SELECT count(*) FROM $toast",
	'SELECT stavalues1 FROM pg_statistic', 'SELECT (SELECT count(*) FROM pg_statistic_ext_data)',
	'COPY pg_statistic TO STDOUT', 'SELECT count(*) FROM pg_stats', 'SELECT count(*) FROM pg_stats_ext',
	'SELECT * FROM seen')
{
	like($bi->run($question)->{message} // 'answered', $hidden, "refused: $question");
}
like($bi->run('SELECT count(*) FROM pg_stats')->{message}, qr/in a role without pg_read_all_data$/,
	'the views of statistics have those of indexes, too');
$s->value('CREATE ROLE plain; GRANT SELECT ON staff, other, seen TO plain');
my $plain = session($node);
$plain->value('SET ROLE plain');
is($plain->value(q{SELECT count(*) FROM pg_stats WHERE tablename IN ('staff', 'other', 'lower_dept')}), '0',
	'and show others nothing of hidden tables');
# a view of pg_statistic is no view of the server's, whoever reads it
like($plain->run('SELECT * FROM seen')->{message}, qr/are hidden from role "plain"/,
	"refused: another's view of statistics");
$s->value('CREATE VIEW of_superuser AS SELECT count(*) FROM pg_statistic; GRANT SELECT ON of_superuser TO plain, bi');
like($plain->value('SELECT * FROM of_superuser'), qr/^\d+$/, "a superuser's view is his");
like($bi->run('SELECT * FROM of_superuser')->{message}, $hidden, '... but for roles that may read all tables');
is($bi->run('SELECT count(*) FROM mine')->{message}, undef, 'other tables too');
is($s->run("SELECT count(*) FROM $toast, pg_statistic")->{message}, undef, 'superusers read all');

# --- the stored form of keys ---------------------------------------------------------------------------------------

$s->value(<<'SQL');
SET ROLE keeper;
CREATE TABLE kinds (id int PRIMARY KEY, t text);
INSERT INTO kinds VALUES (37919, repeat('a', 3000));
ALTER TABLE kinds ALTER t SET STORAGE EXTERNAL;
INSERT INTO kinds VALUES (37917, repeat('a', 3000));
GRANT SELECT ON kinds TO mallory;
CREATE TABLE words (id int, t text);
INSERT INTO words SELECT i, repeat('b', 3000) FROM generate_series(1, 500) i;
ALTER TABLE words ALTER t SET STORAGE EXTERNAL;
INSERT INTO words SELECT i, repeat('b', 3000) FROM generate_series(1, 500) i;
SELECT idp.protect('words', 1e9, delta => 0.5);
GRANT SELECT ON words TO mallory;
RESET ROLE;
SQL
$mallory->value('SET enable_nestloop = off; SET enable_mergejoin = off');
foreach my $table (qw(staff other))
{
	is($mallory->value("SELECT pg_column_size(k.t) FROM kinds k LEFT JOIN $table s ON s.salary = k.id GROUP BY k.t "
		. "HAVING dp_count(1e-9) FILTER (WHERE s.id IS NOT NULL) IS NOT NULL"), 3004,
		"the key of public groups, with $table");
}
is($mallory->value("SELECT pg_column_size(t) FROM words WHERE id $_ GROUP BY t HAVING dp_keep_group(1000, 1e-9)"), 3004,
	"the key of a group that is kept, of rows $_") foreach '> 0', '= 1';
is($mallory->value('SELECT count(*) FROM (SELECT t FROM words GROUP BY t '
	  . 'HAVING dp_keep_group(1000, 1e-9) AND length(t) = 3000) s'), 1, 'and in a condition');

# --- what is executed again ------------------------------------------------------------------------------------------

my $again = qr/^rows of table "staff" are hidden/;
my $count = 'SELECT 1 AS k, dp_count(1e-9) n FROM staff';
asked($_, $_, $again) foreach
  "UPDATE mine SET x = 7 FROM ($count UNION ALL $count) q WHERE mine.id = q.k",
  "UPDATE mine SET x = 7 FROM ($count) q WHERE mine.id = q.k",
  "SELECT mine.x FROM mine, ($count UNION ALL $count) q WHERE mine.id = q.k FOR UPDATE OF mine",
  "DELETE FROM mine USING ($count) q WHERE mine.id = q.k",
  "WITH c AS MATERIALIZED ($count) UPDATE mine SET x = 7 FROM c WHERE mine.id = c.k",
  "WITH c AS (UPDATE mine SET x = 7 FROM ($count) q WHERE mine.id = q.k RETURNING x) SELECT * FROM c",
  'UPDATE mine SET x = 7 WHERE id IN (SELECT dp_count(1e-9) FROM staff)',
  "UPDATE mine SET x = 7 FROM (SELECT 1::int8 AS one "
    . "UNION ALL (SELECT (SELECT dp_count(1e-9) FROM staff) AS one LIMIT 1)) q WHERE mine.id = 1 AND q.one <> 1";
asked($_, $_) foreach
  'UPDATE mine SET x = (SELECT dp_count(1000) FROM staff WHERE salary > 70000)',
  "INSERT INTO mine SELECT 100 + k, 5 FROM ($count) q",
  "WITH c AS (INSERT INTO mine SELECT 200 + k, 5 FROM ($count) q RETURNING x) SELECT * FROM c",
  'UPDATE mine SET x = 7 WHERE id > (SELECT dp_count(1e-9) FROM staff)';

# --- what is evaluated though nothing is selected ---------------------------------------------------------------------

my $spent = q{SELECT trim_scale(spent) FROM idp.budget WHERE table_name = 'staff'};
my $before = $s->value($spent);
$mallory->run('SELECT 1 FROM mine LIMIT 0 OFFSET (SELECT dp_count(7) FROM staff)');
is($s->value("SELECT trim_scale(($spent) - $before)"), '7', 'the OFFSET of LIMIT 0 is charged');

# --- what a statement counts that calls a function which asks -------------------------------------

$mallory->value(q{CREATE FUNCTION told(relation text, condition text) RETURNS numeric }
	  . q{LANGUAGE plpgsql AS $$ DECLARE answer numeric; BEGIN EXECUTE format('SELECT dp_count(1e-9) FROM %I }
	  . q{WHERE %s', relation, condition) INTO answer; RETURN answer; END $$});
my %counted;
foreach my $condition ('salary = 37918', 'salary = 37919', 'salary < 40000', 'salary > 0')
{
	my $question = "EXPLAIN (ANALYZE, BUFFERS, WAL, COSTS OFF, TIMING OFF, SUMMARY OFF) "
	  . "SELECT told('staff', \$\$$condition\$\$)";
	$mallory->value($question);
	push @{ $counted{ $mallory->value($question) =~ s/read=\d+ *//gr } }, $condition;
}
is(scalar keys %counted, 1, 'buffers of hidden rows are not counted') or diag explain \%counted;

done_testing();
