# Random statements of an analyst: the questions of FuzzGrammar in all the ways that a client can ask them, and
# other statements that name hidden tables.
package FuzzStatements;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use FuzzExpressions qw(one_of maybe begin_statement scope condition number_of_rows one_row of_one_function);
use FuzzGrammar qw(query of_groups of_one_row of_steps of_kept_groups relation);
our @EXPORT_OK = qw(statement);

# --- settings ---------------------------------------------------------------------------------------------

my @settings = ((map { "enable_$_ = off" } qw(seqscan indexscan indexonlyscan bitmapscan hashjoin mergejoin nestloop
	hashagg sort material memoize incremental_sort)), "work_mem = '64kB'");
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
  . 'SET max_parallel_workers_per_gather = 2';
my $loops = 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off';
my $hashed = 'SET enable_sort = off; SET enable_mergejoin = off; SET enable_indexscan = off; SET enable_nestloop = off';
my $by_index = 'SET enable_seqscan = off; SET enable_bitmapscan = off';
my $compiled = "$by_index; SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = -1; "
  . "SET jit_optimize_above_cost = -1";

sub some_settings { return join '; ', map { "SET $_" } map { one_of(@settings) } 1 .. one_of(1, 2, 3) }

# --- ways to ask ------------------------------------------------------------------------------------------

sub explained
{
	my ($query, $major) = @_;
	my @options = grep { rand() < 0.3 } 'VERBOSE', 'COSTS OFF', 'SETTINGS', 'FORMAT '
	  . one_of('JSON', 'YAML', 'XML'), 'SUMMARY OFF';
	push @options, 'ANALYZE', 'TIMING OFF', 'SUMMARY OFF' if rand() < 0.1;
	my %once = map { $_ => 1 } @options;
	return 'EXPLAIN ' . (@options ? '(' . join(', ', sort keys %once) . ') ' : '') . $query;
}

# Parameters in the extended protocol, or of a prepared statement.
sub with_parameters
{
	begin_statement('int', 'text');
	my $query = rand() < 0.3 ? of_steps() : query(1);
	return { sql => $query, parameters => [ one_of(0, 1, 37, -1), one_of('Oslo', '(') ], portal => one_of(0, 0, 1),
		binary => one_of(0, 0, 1) } if rand() < 0.5;
	my $mode = one_of('auto', 'force_generic_plan', 'force_custom_plan');
	my $execute = one_of("EXECUTE s (37, 'Oslo')", "EXPLAIN EXECUTE s (37, 'Oslo')",
		"EXECUTE s (0, '('); EXECUTE s (1, '')", "EXECUTE s (-1, NULL)",
		"CREATE TEMP TABLE made AS EXECUTE s (1, '37')");
	return { sql => "SET plan_cache_mode = $mode; PREPARE s (int, text) AS $query; $execute", cleanup => 1 };
}

# By what a client, or another statement, reads the rows of an answer.
sub wrapped
{
	my ($query) = @_;
	return one_of(
		"COPY ($query) TO STDOUT" . maybe(0.4, ' WITH (FORMAT ' . one_of('csv, HEADER', 'binary', "text, NULL '-'")
			  . ')'), "CREATE TEMP TABLE made AS $query; SELECT * FROM made",
		"BEGIN; DECLARE k CURSOR FOR $query; FETCH k; MOVE ALL k",
		"BEGIN; DECLARE k SCROLL CURSOR WITH HOLD FOR $query; COMMIT; FETCH ALL k; FETCH "
		  . one_of('BACKWARD 1', 'FIRST', 'ABSOLUTE 2', '0') . ' k',
		"BEGIN; DECLARE k NO SCROLL CURSOR FOR $query; FETCH 0 k; FETCH BACKWARD k",
		"DO \$do\$ BEGIN PERFORM * FROM ($query) x; END \$do\$",
		"DO \$do\$ DECLARE x record; BEGIN FOR x IN $query LOOP RAISE NOTICE 'row'; END LOOP; "
		  . "EXCEPTION WHEN OTHERS THEN RAISE NOTICE '% %', SQLSTATE, SQLERRM; END \$do\$",
		"DO \$do\$ DECLARE k refcursor; x record; BEGIN OPEN k FOR $query; FETCH k INTO x; MOVE FORWARD ALL FROM k; "
		  . "RAISE NOTICE '%', FOUND; END \$do\$",
		"CREATE FUNCTION pg_temp.asked() RETURNS SETOF text LANGUAGE sql " . one_of('STABLE', 'VOLATILE')
		  . " AS \$f\$SELECT x::text FROM ($query) x\$f\$; SELECT * FROM pg_temp.asked() LIMIT " . number_of_rows(),
		"BEGIN; SAVEPOINT s; $query; ROLLBACK TO s; $query", "CREATE TEMP VIEW made AS $query; SELECT * FROM made",
		"SELECT * FROM ($query) x LIMIT " . number_of_rows(), "BEGIN; INSERT INTO mine SELECT 1000 FROM ($query) x");
}

# What it would cost.
sub cost
{
	my $query = one_of(\&of_one_row, \&of_steps, \&of_groups, (sub { query(1) }) x 3)->();
	return 'SELECT * FROM idp.cost($q$'
	  . one_of($query, $query, $query, "SELECT * FROM idp.cost(\$i\$$query\$i\$)", "EXPLAIN $query") . '$q$)';
}

# Rows that are sorted by more than a number.
sub of_sorted_rows
{
	return one_of(
		'SELECT dp_count(0.1) FROM (SELECT row_number() OVER (PARTITION BY customer ORDER BY '
		  . one_of('note, id', 'day, note, id') . ') AS r FROM orders) z WHERE r <= 2',
		'SELECT dp_sum(x, 0.1, 0, 9) FROM (SELECT customer, ' . one_of('count(DISTINCT note)',
			'max(length(note) ORDER BY note)') . ' AS x FROM orders GROUP BY customer) z');
}

# All that the server says of its work.
sub loud
{
	return "$compiled; EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) " . one_of(\&of_one_row, \&of_steps)->()
	  if rand() < 0.25;
	return 'SET client_min_messages = log; SET trace_sort = on; ' . of_sorted_rows() if rand() < 0.1;
	my $query = one_of(\&of_one_row, \&of_one_row, \&of_one_row, \&of_kept_groups, sub { query(1) })->();
	return 'SET client_min_messages = debug' . one_of(1 .. 5) . "; SET lc_time = 'C'; "
	  . maybe(0.3, 'SET trace_sort = on; ') . one_of('', "$by_index; ", "$compiled; ", "$compiled; ") . $query;
}

# A row of the analyst's that a rival changes at the same time, so that its conditions are evaluated again.
sub rechecked
{
	my ($major) = @_;
	my $where = 'WHERE ' . one_of('a.id = 37', one_row('a')) . maybe(0.2, ' AND ' . condition([ scope('a', 't') ]));
	my $asked = one_of(
		(map { "mine.x::numeric IN (SELECT dp_count(0.1)::numeric FROM $_ a $where)" } relation(), relation()),
		"mine.x IN (SELECT a.age FROM t a $where GROUP BY a.age HAVING dp_keep_group(0.1, 0.000000001))",
		"mine.x IN (SELECT a.age FROM t a $where)", "EXISTS (SELECT FROM t a $where AND a.age = mine.x)",
		"mine.x < (SELECT dp_count(0.1) FROM t a $where)",
		"(SELECT dp_count(0.1) FROM t a $where AND a.id < mine.x) IS NOT NULL");
	my $again = "mine.id = 1 AND ($asked OR mine.x < 1000000)";
	my $change = one_of(
		(map { "$_ WHERE $again" } "UPDATE mine SET note = 'seen'", 'DELETE FROM mine', 'SELECT id AS key0 FROM mine'),
		"UPDATE mine SET note = 'seen' FROM (SELECT dp_count(0.1) AS n FROM t a $where) q "
		  . "WHERE id = 1 AND (x = n OR x < 1000000)",
		"WITH c AS (UPDATE mine SET note = 'seen' WHERE id = 1 RETURNING *) SELECT id AS key0 FROM c mine WHERE $again",
		"INSERT INTO mine VALUES (1, 0, '') ON CONFLICT (id) DO UPDATE SET note = 'seen' WHERE $again",
		$major >= 15 ? "MERGE INTO mine USING nations n ON n.id = mine.id AND n.id = 1 WHEN MATCHED "
		  . "AND $again THEN UPDATE SET note = 'seen'" : ());
	$change .= ' FOR ' . one_of('UPDATE', 'NO KEY UPDATE', 'SHARE') if $change =~ /^SELECT/;
	return { sql => maybe(0.7, 'SET enable_seqscan = off; ') . 'BEGIN' . maybe(0.1, ' ISOLATION LEVEL REPEATABLE READ')
		  . "; $change; ROLLBACK", cleanup => 1, rival => 'UPDATE mine SET x = x' };
}

# --- other statements -------------------------------------------------------------------------------------

# Changes, and looks at what the server keeps of rows.
sub other
{
	my @scope = scope('t', 't');
	my $condition = one_of(condition(\@scope), one_row('t'));
	return { sql => one_of('COPY t FROM STDIN', 'COPY t (id) FROM STDIN', 'COPY part FROM STDIN WITH (FORMAT csv)',
		'BEGIN; COPY mine (id) FROM STDIN'), copied => "37\n", cleanup => 1 } if rand() < 0.08;
	my $sql = one_of(
		'COPY ' . one_of('t', 't (age)', 'bare', 'bare (extra)', 'part', 'part_1', 'v', 'customers', 'p') . ' TO STDOUT'
		  . maybe(0.3, ' WITH (FORMAT binary)'), "UPDATE t SET age = 1 WHERE $condition",
		"DELETE FROM t WHERE $condition", 'INSERT INTO t SELECT * FROM ' . relation(), 'TABLE customers',
		'SELECT count(*) FROM ONLY orders',
		'INSERT INTO t (id) VALUES (' . one_of(1, 37, 1000) . ')' . one_of('', ' RETURNING id',
			' ON CONFLICT DO NOTHING'), "SELECT query_to_xml(\$q\$" . query(0) . "\$q\$, true, true, '')",
		"SELECT * FROM pg_stats WHERE tablename IN ('t', 'orders', 'part_1')", 'SELECT idp.approved()',
		'SELECT * FROM idp.' . one_of('budget', 'domains', 'releases', "domain('t', 'city')"),
		"SELECT lo_get(loid) FROM pg_largeobject_metadata m (loid)", 'BEGIN; LOCK TABLE t', 'ANALYZE t',
		"SELECT nextval('touched')",
		'BEGIN ISOLATION LEVEL ' . one_of('SERIALIZABLE', 'REPEATABLE READ') . '; ' . query(0), 'SELECT a FROM t a',
		'MERGE INTO t USING departments d ON d.id = t.id WHEN MATCHED THEN DO NOTHING',
		"SELECT a.id FROM t a WHERE $condition FOR " . one_of('UPDATE', 'SHARE', 'KEY SHARE SKIP LOCKED'),
		"BEGIN; UPDATE mine SET note = 'seen' FROM t WHERE t.id = mine.id AND $condition",
		"BEGIN; DELETE FROM mine USING t WHERE t.id = mine.id AND $condition",
		'BEGIN; INSERT INTO mine SELECT 2000 + id FROM t WHERE ' . $condition);
	return { sql => $sql =~ s/\bt a WHERE t\./t a WHERE a./r, cleanup => 1 };
}

# A record: sql; parameters (of the extended protocol, or none), binary, portal (how many rows at once); copied,
# what is sent to COPY; rival, what another session changes meanwhile; cleanup, whether it leaves something behind.
sub statement
{
	my ($major) = @_;
	begin_statement();
	my $choice = rand();
	return with_parameters() if $choice < 0.07;
	if ($choice < 0.075 && $major >= 16)
	{
		begin_statement('int', 'text');
		return { sql => 'EXPLAIN (GENERIC_PLAN) ' . query(0) };
	}
	return { sql => of_one_function(), plain => 1 } if $choice < 0.285;
	return rechecked($major) if $choice < 0.305;
	return { sql => cost() } if $choice < 0.345;
	return { sql => loud(), cleanup => 1 } if $choice < 0.39;
	return { sql => maybe(0.8, "$loops; ") . of_steps(), cleanup => 1 } if $choice < 0.45;
	return { sql => one_of($hashed, "$hashed; SET work_mem = '64kB'", some_settings()) . '; ' . of_groups(),
		cleanup => 1 } if $choice < 0.50;
	return other() if $choice < 0.54;
	my $query = query(1);
	return { sql => $query, plain => 1 } if $choice < 0.74;
	return { sql => explained($query, $major) } if $choice < 0.82;
	return { sql => some_settings() . '; ' . one_of($query, $query, explained($query, $major)), cleanup => 1 }
	  if $choice < 0.92;
	return { sql => "$parallel; " . one_of($query, explained($query, $major)), cleanup => 1 } if $choice < 0.94;
	return { sql => wrapped($query), cleanup => 1 };
}

1;
