# Tables that are read in batches: whatever private aggregates collect of them is the same without.
#
#   IDP_BATCH_STATEMENTS    how many random statements (200)
#   IDP_BATCH_SEED          where to begin (1)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use BatchGrammar;
use IdpTest;
use Test::More;
use Time::HiRes qw(time);

my $statements = $ENV{IDP_BATCH_STATEMENTS} // 200;
my $seed = $ENV{IDP_BATCH_SEED} // 1;
my $node = new_node('batches', 'fsync = off', 'synchronous_commit = off', 'max_parallel_workers = 8',
	'track_functions = none');
my $s = session($node);
$s->value($_) foreach state_aggregates();

# --- which shapes are read in batches ---------------------------------------------------------------------

# A batch is in memory of its own. A function that is asked of each row sees whether there is one: the server
# believes that it reads nothing.
$s->value(<<'SQL');
CREATE FUNCTION in_batch(i integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM pg_backend_memory_contexts WHERE name = 'idp batches');
END $$;
CREATE TABLE t (id integer, k text, x float8, wide text);
INSERT INTO t SELECT i, 'key ' || i % 3, i / 3.0, repeat(md5(i::text), 3) FROM generate_series(1, 300) i;
CREATE INDEX ON t (id);
CREATE TABLE parts (id integer, k text, x float8) PARTITION BY LIST (k);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN ('key 0');
CREATE TABLE parts_1 PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT id, k, x FROM t;
VACUUM (ANALYZE) t, parts;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET enable_indexonlyscan = off;
SQL

# How many of all rows a statement has read in batches; of private calls with no noise to speak of.
my $seen = 'dp_count(1000) FILTER (WHERE in_batch(id))';
sub seen { my ($sql) = @_; return $s->value("SELECT sum(n) FROM ($sql) r (n)") }
sub all_but
{
	my ($first, $sql, $name) = @_;
	is(seen($sql), 300 - $first, "$name: all rows but $first come in batches");
	return;
}
sub none { my ($sql, $name) = @_; is(seen($sql), 0, "$name: no row comes in a batch"); return }

all_but(1, "SELECT $seen FROM t", 'no groups');
all_but(1, "SELECT $seen FROM t WHERE x + 1 > 0 AND id > 0", 'conditions');
all_but(1, "SELECT $seen FROM t GROUP BY k", 'groups');
all_but(1, "SELECT $seen FROM t GROUP BY id % 3", 'groups of an expression');
all_but(1, "SELECT $seen FROM (SELECT id, upper(k) AS u FROM t) v WHERE u <> ''", 'a subquery');
all_but(2, "SELECT $seen FROM parts", 'parts');
all_but(1, "SELECT sum(n) FROM (SELECT $seen AS n, count(*), count(k), idp_median(x, 1) FROM t) r", 'count beside it');
{
	my $prepared = $s->value("SET plan_cache_mode = force_generic_plan; PREPARE p (int) AS SELECT $seen FROM t "
		  . "WHERE id > \$1; EXECUTE p (0); RESET plan_cache_mode");
	is($prepared, 299, 'a parameter: all rows but one come in batches');
}
$s->value('SET idp.batches = off');
none("SELECT $seen FROM t", 'off');
$s->value('SET idp.batches = on');
none("SELECT $seen FROM t WHERE ctid IS NOT NULL", 'a column of the system');
none("SELECT $seen FROM t WHERE t IS NOT NULL", 'rows as a whole');
none("SELECT $seen FROM t WHERE random() >= 0", 'a condition that is volatile');
none("SELECT $seen FROM t TABLESAMPLE SYSTEM (100)", 'a sample');
none("SELECT $seen + 0 * sum(id) FROM t", 'another aggregate');
none("SELECT $seen + 0 * count(DISTINCT x) FROM t", 'different values');
none("SELECT $seen + 0 * length(string_agg(k, '' ORDER BY x)) FROM t", 'values in order');
none("SELECT $seen FROM t GROUP BY GROUPING SETS ((k), (id))", 'grouping sets');
none("SELECT $seen FROM t GROUP BY in_batch(id)", 'a key that a function of others makes');
none("SELECT $seen FROM t WHERE NOT in_batch(id)", 'two functions of others');
none("SELECT $seen FROM t WHERE id > (SELECT 0) AND id = ANY (SELECT id FROM t)", 'a join');
none("SET enable_hashagg = off; SELECT $seen FROM t GROUP BY k; RESET enable_hashagg" =~ s/^(.*?); (.*); (.*)$/$2/r,
	'sorted groups')
  if $s->value('SET enable_hashagg = off') eq '';
$s->value('RESET enable_hashagg; RESET enable_indexscan; SET enable_seqscan = off');
none("SELECT $seen FROM t WHERE id > 0", 'an index');
$s->value('RESET ALL');

# --- what stays ------------------------------------------------------------------------------------------

sub on_and_off
{
	my ($sql, $name, $setting) = @_;
	my @outcomes = map {
		my $r = $s->run("SET idp.batches = $_; $sql");
		[ $r->{out}, $r->{sqlstate} // '', $r->{message} // '' ]
	} qw(on off);
	$s->value('RESET idp.batches');
	is_deeply($outcomes[0], $outcomes[1], $name);
	return $outcomes[0];
}

# EXPLAIN ANALYZE counts rows as they are, of a member too.
foreach my $sql ("SELECT dp_count(1) FROM t WHERE id % 3 = 0 AND k <> 'key 5'",
	'SELECT k, idp_median(x, 1) FROM t GROUP BY k', 'SELECT dp_count(1) FROM parts WHERE x > 10',
	'SELECT r.n FROM generate_series(1, 4) i, LATERAL (SELECT dp_count(1) AS n FROM t WHERE id > i) r')
{
	$s->value($sql);    # what is looked up in catalogs, first
	on_and_off("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS) $sql", "EXPLAIN ANALYZE: $sql");
}

# What a condition says of a row is said once, in the order of the rows, and of no row that one before it has left out.
$s->value(<<'SQL');
CREATE FUNCTION tells(i integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 1000 AS $$ BEGIN RAISE NOTICE 'row %',
  i; RETURN i % 2 = 0; END $$;
CREATE VIEW even WITH (security_barrier) AS SELECT * FROM t WHERE id % 2 = 0;
SQL
foreach my $sql ('SELECT dp_count(1000) FROM t WHERE tells(id) AND x < 50',
	'SELECT dp_count(1000) FROM t WHERE id < 20 AND tells(id)',
	'SELECT dp_count(1000) FROM even WHERE tells(id) AND id < 40',
	'SELECT k, dp_count(1000) FROM even WHERE tells(id) GROUP BY k ORDER BY k')
{
	my @said = map { $s->run("SET idp.batches = $_; $sql")->{err} =~ s/^psql:.*?: //mgr } qw(on off);
	is($said[0], $said[1], "what conditions say: $sql");
	like($said[0], qr/row \d/, '… and they say something') ;
}
my $failing = on_and_off('SELECT dp_count(1000) FROM t WHERE 1 / (id - 200) = 0', 'a condition that fails');
is($failing->[1], '22012', '… fails');
my $behind_null = on_and_off('SELECT dp_count(1000) FILTER (WHERE nullif(id, 200) < 5000 '
	  . 'AND 1 / (id - 200) = 0) FROM t', 'one behind another that is NULL, in a FILTER');
is($behind_null->[1], '22012', '… fails');
on_and_off('SELECT dp_count(1000) FILTER (WHERE none = 5 AND 1 / (id - 200) = 0) '
	  . 'FROM (SELECT id, nullif(x, x) AS none FROM t OFFSET 0) q', 'above a subquery');
on_and_off('SELECT dp_count(1000) FROM t WHERE id <> 200 AND 1 / (id - 200) = 0',
	'one that a first condition keeps from failing');

# Statistics of the table count its rows.
{
	my $counted = "(SELECT seq_tup_read + 1000000 * seq_scan FROM pg_stat_xact_user_tables WHERE relname = 't')";
	foreach my $setting (qw(on off))
	{
		$s->value("SET idp.batches = $setting; BEGIN");
		my $before = $s->value("SELECT $counted");
		$s->value('SELECT dp_count(1) FROM t WHERE x > 5');
		is($s->value("SELECT $counted - $before"), 1000300,
			"the scan and the rows of the table are counted, batches $setting");
		$s->value('COMMIT');
	}
}

# A statement that takes long is cancelled at once.
{
	$s->value('CREATE TABLE many AS SELECT i AS id FROM generate_series(1, 200000) i');
	my $start = time;
	my $r = $s->run_within('200ms', 'SELECT count(n) FROM generate_series(1, 1000) i, '
		  . 'LATERAL (SELECT idp_median(id, 1) AS n FROM many WHERE id > i) r');
	is($r->{sqlstate}, '57014', 'cancelled');
	cmp_ok(time - $start, '<', 5, '… at once');
}

# Predicate locks: of two transactions that each count what the other adds, one fails.
{
	my $other = session($node);
	$s->value('CREATE TABLE both_count (x integer); INSERT INTO both_count VALUES (1), (2), (3)');
	$_->value('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(1) FROM both_count') foreach $s, $other;
	$_->value('INSERT INTO both_count VALUES (4)') foreach $s, $other;
	my @ends = map { $_->run('COMMIT')->{sqlstate} // '' } $s, $other;
	is_deeply(\@ends, [ '', '40001' ], 'serializable transactions notice each other');
	$other->value('ROLLBACK');
}

# Cursors, and changes of the same transaction.
on_and_off(<<'SQL', 'a cursor');
BEGIN; DECLARE c SCROLL CURSOR FOR SELECT k, plainly(idp_sum_state(x, 1, 0, 50)) FROM t GROUP BY k ORDER BY k;
FETCH 2 FROM c; UPDATE t SET x = 1; MOVE BACKWARD 1 FROM c; FETCH 2 FROM c; COMMIT; UPDATE t SET x = id / 3.0;
SQL
on_and_off('BEGIN; UPDATE t SET x = x + 1 WHERE id < 100; DELETE FROM t WHERE id > 250; '
	  . 'SELECT plainly(idp_median_state(x, 1)) FROM t; ROLLBACK', 'own changes');
on_and_off('BEGIN; SAVEPOINT a; INSERT INTO t SELECT * FROM t; ROLLBACK TO a; '
	  . 'SELECT plainly(idp_median_state(x, 1)) FROM t; COMMIT', 'what was taken back');

# A row that another transaction changed is looked at again, and what is computed for it.
{
	my $other = session($node);
	foreach my $setting (qw(on off))
	{
		$s->value("SET idp.batches = $setting");
		$other->value('BEGIN; UPDATE t SET x = -1 WHERE id = 7');
		$s->start('UPDATE t SET wide = wide '
			  . 'WHERE id = 7 AND x < (SELECT dp_count(1000) FROM parts p WHERE p.id < t.id + 100) RETURNING x');
		$other->value('SELECT pg_sleep(0.2); COMMIT');
		is($s->finish->{out}, '-1', "a row that was changed meanwhile, batches $setting");
		$other->value('UPDATE t SET x = id / 3.0 WHERE id = 7');
	}
	$s->value('RESET idp.batches');
}

# Hidden rows: groups of a domain, and groups that are decided about. Asked twice for the same epsilon, an answer is the
# one that was given: here each costs another one.
$s->value(<<'SQL');
CREATE ROLE analyst;
CREATE TABLE hidden AS SELECT id, id % 5 AS k, x FROM t;
ALTER TABLE hidden ALTER k SET NOT NULL;
GRANT SELECT ON hidden TO analyst;
SELECT idp.protect('hidden', 1e9, delta => 0.5), idp.set_domain('hidden', 'k', 0, 6);
SQL
foreach my $sql ('SELECT k, dp_count(epsilon) FROM hidden GROUP BY k',
	'SELECT k, dp_count(epsilon) FROM hidden WHERE id < 200 AND k IN (1, 6) GROUP BY k',
	'SELECT dp_count(epsilon) FROM hidden',
	'SELECT id % 3, dp_count(epsilon) FROM hidden GROUP BY id % 3 HAVING dp_keep_group(10, 1e-3)')
{
	my %answers;
	foreach my $try ([ on => 1000 ], [ off => 1001 ])
	{
		my ($setting, $epsilon) = @$try;
		$answers{$setting} = $s->run("SET ROLE analyst; SET idp.batches = $setting; " . ($sql =~ s/epsilon/$epsilon/r)
			  . '; RESET ROLE; RESET idp.batches')->{out};
	}
	is($answers{on}, $answers{off}, "hidden rows: $sql");
	like($answers{on}, qr/\d/, '… has answers');
}
like($s->run('SET ROLE analyst; SELECT idp_median(x, 1) FILTER (WHERE tells(id)) FROM hidden; RESET ROLE')->{err},
	qr/ERROR/, 'a function that tells is refused');
like($s->run('SET ROLE analyst; SELECT plainly(idp_median_state(x, 1)) FROM hidden; RESET ROLE')->{message}, qr/hidden/,
	'so are rows that are hidden');

# --- random statements over random tables -----------------------------------------------------------------

srand $seed;
my ($tried, $wrong, $failed) = (0, 0, 0);
my $start = time;
$s->{quiet} = 1;
my @settings = ("work_mem = '64kB'", "work_mem = '64kB'", "work_mem = '4MB'", 'enable_hashagg = off',
	'enable_sort = off', 'enable_partitionwise_aggregate = on');
# Sends all statements about a table at once: to wait for each takes longer than they do.
sub outcomes_of
{
	my (@tried) = @_;
	my $text = '';
	foreach my $i (0 .. $#tried)
	{
		foreach my $setting (qw(on off))
		{
			$text .= "\\echo == $i $setting\nBEGIN;\nSET LOCAL idp.batches = $setting;\n$tried[$i];\n\\if :ERROR\n"
			  . "\\echo error :SQLSTATE :LAST_ERROR_MESSAGE\n\\endif\nROLLBACK;\n";
		}
	}
	my %outcomes;
	my @parts = split /^== (\d+) (on|off)\n/m, $s->run($text)->{out} . "\n", -1;
	shift @parts;
	while (my ($i, $setting, $printed) = splice @parts, 0, 3) { $outcomes{$setting}[$i] = $printed =~ s/\n+\z//r }
	return \%outcomes;
}

while ($tried < $statements && $wrong <= 5)
{
	my $table = "r$tried";
	my ($sql, $columns) = random_table($table);
	my $made = $s->run(join ";\n", @$sql);
	diag "@$sql: $made->{err}" if defined $made->{sqlstate};
	my @tried;
	while (@tried < 25 && $tried < $statements)
	{
		++$tried;
		my $workers = (0, 0, 0, 1, 2, 4)[ rand 6 ];
		my $change = rand() < 0.1 ? "UPDATE $table SET id = id + 1 WHERE id % 7 = 0" : '';
		my $statement = random_statement($table, $columns, $workers > 0 || $change ne '');
		push @tried, join '; ', (map { "SET LOCAL $_" } "max_parallel_workers_per_gather = $workers",
			($workers ? ('parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0')
				  : ()),
			(rand() < 0.4 ? $settings[ rand @settings ] : ())), grep { $_ ne '' } $change, $statement;
	}
	my $outcomes = outcomes_of(@tried);
	foreach my $i (0 .. $#tried)
	{
		my ($on, $off) = map { $outcomes->{$_}[$i] // 'none' } qw(on off);
		$failed++ if $on =~ /^error /m;
		next if $on eq $off;
		last if ++$wrong > 5;
		diag join "\n", "seed $seed, statement " . ($tried - $#tried + $i)
		  . " differs", @$sql, $tried[$i], '--- on', substr($on, 0, 2000), '--- off', substr($off, 0, 2000);
	}
	$s->run("DROP TABLE IF EXISTS $table CASCADE");
}
$s->{quiet} = 0;
is($wrong, 0, "seed $seed: statements are the same in batches, all $tried of them");
note sprintf '%d statements, %d of them failed, %.1f s', $statements, $failed, time - $start;
cmp_ok($failed, '<', $statements / 5, '… and most of them succeed');
$s->alive('afterwards');
done_testing();
