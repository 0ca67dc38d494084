# What is charged is what is drawn: ways to be charged for one answer and to get another, or several.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('one_draw');
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE t AS SELECT i AS id, i % 5 AS k FROM generate_series(1, 1000) i;
CREATE TABLE pub AS SELECT i AS x, i % 2 AS k, i % 5 AS q FROM generate_series(1, 5) i;
CREATE TABLE large (i int, k int) WITH (parallel_workers = 7);
INSERT INTO large SELECT i, i % 5 FROM generate_series(1, 300000) i;
CREATE TABLE tp (id int, k int, z int) PARTITION BY LIST (z);
CREATE TABLE p1 PARTITION OF tp FOR VALUES IN (1);
CREATE TABLE p2 PARTITION OF tp FOR VALUES IN (2);
INSERT INTO tp SELECT i, i % 5, 1 + i % 2 FROM generate_series(1, 1000) i;
CREATE TABLE made (id int, p int) PARTITION BY LIST (p);
CREATE TABLE made1 PARTITION OF made FOR VALUES IN (1);
CREATE TABLE made2 PARTITION OF made FOR VALUES IN (2);
ANALYZE;
SELECT idp.protect(r, 1e9, 'add_remove', 0.001) FROM unnest('{t, tp}'::regclass[]) r;
SQL

sub refused_with
{
	my ($result, $pattern, $name) = @_;
	like($result->{message} // '', $pattern, $name);
}

# --- arguments that change between the start and the rows ---

# They are evaluated once, when the query starts: what was charged is what is answered.
foreach my $call ("dp_count(current_setting('my.eps')::float8)", "idp_median(id, current_setting('my.eps')::float8)",
	"dp_sum(id, current_setting('my.eps')::float8, 0, 1000)")
{
	my %answers;
	foreach (1 .. 5)
	{
		costs($s, 't', '0.001', "$call, changed before the first row", sub {
			my $answer = $s->run("SET my.eps = '0.001'; BEGIN; DECLARE c CURSOR FOR SELECT $call FROM t; "
				  . "SET LOCAL my.eps = '1000'; FETCH c; COMMIT");
			is($answer->{sqlstate}, undef, 'answered');
			$answers{ $answer->{out} } = 1 });
	}
	cmp_ok(scalar keys %answers, '>', 1, "$call: with the noise that was charged");
}
costs($s, 't', '0.001', 'a named one', sub {
	$s->value(q[SET my.eps = '0.001'; BEGIN; DECLARE c CURSOR FOR SELECT dp_count(current_setting('my.eps')::float8, ]
		  . q['changed') FROM t; SET LOCAL my.eps = '1000'; FETCH c; COMMIT]) });
is($s->value(q[SELECT epsilon FROM idp.releases WHERE name = 'changed']), '0.001', 'stored as it was charged');

# --- a state that brings its own request along ---

$s->value(q[CREATE AGGREGATE state_of(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = 'empty')]);
my $state = $s->value('SELECT state_of(1000.0)');
$s->value("CREATE AGGREGATE own_count(float8) (SFUNC = idp.dp_count_accum, STYPE = idp_state, INITCOND = '$state', "
	  . "FINALFUNC = idp.count_final, FINALFUNC_MODIFY = READ_WRITE)");
refused_with($s->run('SELECT own_count(0.001) FROM t'), qr/^aggregate own_count cannot be charged/,
	'an initial state of another epsilon');
refused_with($s->run('SELECT state_of(1.0) FROM t'), qr/^aggregate state_of cannot be charged/, 'no final function');

# --- plans that compute one aggregate several times ---

# The node of answers reads its aggregation once, and gives what it kept: however often it is read, in
# whichever process, and for each row of another query. Answers at epsilon 0.01 differ in nearly every draw.
$s->value('SET parallel_setup_cost = 0; SET parallel_tuple_cost = 1; SET max_parallel_workers_per_gather = 8; '
	  . 'SET min_parallel_table_scan_size = 0');
costs($s, 't', '0.01', 'the same groups beside a parallel scan', sub {
	is($s->value(<<'SQL'), 5, 'the same groups beside a parallel scan: one draw') });
SELECT count(DISTINCT (k, c)) FROM (
  SELECT g.k, g.c, count(*) FROM large b
  JOIN (SELECT k, dp_count(0.01) AS c FROM t GROUP BY k) g USING (k) GROUP BY 1, 2) q
SQL
$s->value('RESET ALL');

$s->value('SET enable_hashagg = off; SET enable_hashjoin = off; SET enable_nestloop = off; '
	  . 'SET max_parallel_workers_per_gather = 0');
costs($s, 't', '0.01', 'below a Material that cannot go back', sub {
	my @seen = map { split } split /\n/, $s->value(<<'SQL');
SELECT (SELECT string_agg(DISTINCT format('(%s,%s)', g.k, g.c), ' ') FROM pub q
  LEFT JOIN (SELECT k, dp_count(0.01) AS c FROM t GROUP BY k) g ON q.k = g.k AND g.c <> q.x
  WHERE q.x < p.x) FROM pub p WHERE p.k = 1
SQL
	my %seen = map { $_ => 1 } grep { /\d/ && $_ ne '(,)' } @seen;
	my %keys = map { /^\((\d+),/ ? ($1 => 1) : () } keys %seen;
	is(scalar keys %seen, scalar keys %keys, 'below a Material that cannot go back: one draw for each key') });
$s->value('RESET ALL');
costs($s, 't', '0.01', 'in RETURNING, for each partition', sub {
	is($s->value(<<'SQL'), 't', 'in RETURNING, for each partition: one draw') });
WITH r AS (INSERT INTO made SELECT i, p FROM generate_series(-2000, 2000) i, generate_series(1, 2) p
  RETURNING p, id, id IN (SELECT dp_count(0.01) FROM t GROUP BY k) AS f)
SELECT count(DISTINCT ids) <= 1 FROM (SELECT p, array_agg(id ORDER BY id) FILTER (WHERE f) AS ids FROM r GROUP BY 1) s
SQL
costs($s, 't', '0.01', 'for each row of another query', sub {
	is($s->value(<<'SQL'), '1|4', 'for each row of another query: one draw') });
SELECT count(DISTINCT c), count(*) FROM (SELECT (SELECT dp_count(0.01) FROM t OFFSET o.x * 0) AS c
  FROM generate_series(0, 3) o (x)) q
SQL
costs($s, 't', '0.01', 'by a join that reads it for each row', sub {
	is($s->value(<<'SQL'), '1|3', 'by a join that reads it for each row: one draw') });
SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(DISTINCT c), count(*) FROM generate_series(1, 3) g
  LEFT JOIN (SELECT dp_count(0.01) AS c FROM t) s ON s.c::float8 + g IS NOT NULL;
SQL
$s->value('RESET ALL');
costs($s, 't', '0', 'one that depends on the row', sub {
	refused_with($s->run('SELECT (SELECT dp_count(0.01) FROM t WHERE t.k = o.k) FROM pub o'),
		qr/outer query|rows that are read again|a subquery/, 'one that depends on the row: refused') });
costs($s, 't', '0.01', 'a cursor that goes back and forth', sub {
	my @rows = split /\n/, $s->value('BEGIN; DECLARE c SCROLL CURSOR FOR SELECT k, dp_count(0.01) FROM t GROUP BY k; '
		  . 'FETCH ALL FROM c; FETCH BACKWARD ALL FROM c; FETCH ALL FROM c; COMMIT');
	my %rows = map { $_ => 1 } @rows;
	is(scalar(@rows) . ' ' . scalar(keys %rows), '15 5', 'a cursor that goes back and forth: one draw') });

# --- parts of one table that are asked differently ---

costs($s, 'tp', '1000.001', 'partitions with epsilons of their own', sub { $s->value(<<'SQL') });
SELECT k, dp_count(e) FROM (SELECT k, 0.001::float8 AS e FROM p1 OFFSET 0) s GROUP BY k UNION ALL
SELECT k, dp_count(e) FROM (SELECT k, 1000::float8 AS e FROM p2 OFFSET 0) s GROUP BY k
SQL
costs($s, 'tp', '2', 'partitions with grouping sets of their own', sub { $s->value(<<'SQL') });
SELECT k, dp_count(0.5) FROM p1 WHERE id < 0 GROUP BY k UNION ALL
SELECT k, dp_count(0.5) FROM p2 GROUP BY GROUPING SETS ((k), (k), (k))
SQL

# --- releases that began before the table was protected ---

$s->value(<<'SQL');
CREATE TABLE q (id int, z int) PARTITION BY LIST (z);
CREATE TABLE q1 PARTITION OF q FOR VALUES IN (1);
INSERT INTO q SELECT i, 1 FROM generate_series(1, 777) i;
CREATE TABLE r AS SELECT * FROM q;
CREATE TABLE mother (id int);
CREATE TABLE father (id int);
CREATE TABLE child () INHERITS (mother, father);
INSERT INTO child SELECT id FROM q;
SELECT dp_count(0.001, 'partition') FROM q1;
SELECT dp_count(0.001, 'several') FROM r, (SELECT 1 FROM pub LIMIT 1) s;
SELECT dp_count(0.001, 'alone') FROM r;
SELECT dp_count(0.001, 'child') FROM child;
SELECT idp.protect('q1', 1, min_epsilon => 0.1, rows => 'visible'), idp.protect('r', 1, rows => 'visible'),
  idp.protect('father', 1, rows => 'visible');
SQL
my $exhausted = qr/^privacy budget of table "[\w.]+" is exhausted/;
foreach my $query ("idp.relax('partition', 1000)", "(SELECT dp_count(1000, 'partition') FROM q1)",
	"idp.relax('alone', 1000)", "idp.relax('child', 1000)", "(SELECT dp_count(1000, 'child') FROM child)")
{
	refused_with($s->run("SELECT $query"), $exhausted, "$query is charged");
}
refused_with($s->run("SELECT idp.relax('several', 1000)"),
	qr/^release "several" cannot be charged to protected table "r"/, 'rows of a join cannot be');
# through the table it is a part of it is another question; a release of 0.2.0 does not know, and is charged
my $through = "SELECT dp_count(1000, 'partition') FROM q";
refused_with($s->run($through), qr/^release "partition" stands for another question/,
	'the release of a partition is not that of the table');
$s->value("UPDATE idp.chain SET condition = NULL WHERE name = 'partition'");
refused_with($s->run($through), $exhausted, 'one of 0.2.0 is charged to the partition');
refused_with($s->run("SELECT idp.relax('partition', 0.05)"), qr/^epsilon is below the minimum of table "q1"/,
	'and keeps the minimum');
costs($s, 'r', '0.5', 'what fits', sub { $s->value("SELECT idp.relax('alone', 0.5)") });

# --- tables that come and go ---

$s->value(<<'SQL');
CREATE ROLE eve;
GRANT ALL ON SCHEMA public TO eve;
CREATE TABLE secret AS SELECT 1 AS x;
SELECT idp.protect('secret', 1);
SELECT dp_count(1) FROM secret;
DROP TABLE secret;
SET ROLE eve;
CREATE TABLE secret AS SELECT 1 AS x;
SELECT idp.protect('public.secret', 1000000);
ALTER TABLE secret RENAME TO junk;
RESET ROLE;
CREATE TABLE secret AS SELECT 1 AS x;
SQL
refused_with($s->run('SELECT dp_count(1) FROM secret'), $exhausted,
	'a table of the same name does not take an account away');
$s->value("CREATE TABLE other AS SELECT 1 AS x; SELECT idp.protect('other', 1); DROP TABLE secret; "
	  . "ALTER TABLE other RENAME TO secret");
refused_with($s->run('SELECT dp_count(1) FROM secret'), qr/has the name of one that was dropped/,
	'nor does a protected one');

$s->value("CREATE TEMP TABLE passing AS SELECT 1 AS x; SELECT dp_count(1, 'passing') FROM passing");
$s->value("BEGIN; CREATE TABLE undone AS SELECT 1 AS x; SELECT dp_count(1, 'undone') FROM undone; ROLLBACK");
is($s->value("SET ROLE eve; SELECT count(*) FROM idp.releases WHERE name IN ('passing', 'undone')"), 0,
	'releases of tables that are gone trouble nobody');
$s->value('RESET ROLE');
is($s->value("SELECT count(*) FROM idp.releases WHERE name IN ('passing', 'undone')"), 2, 'their role still sees them');

$s->alive('after all that');
$s->quit;
$node->stop;
done_testing();
