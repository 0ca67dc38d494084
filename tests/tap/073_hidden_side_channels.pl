# Hidden tables: what the server tells of rows other than by showing them: errors of constraints, of
# the table and of others that refer to it; locks; and rows that are synthesized.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

# The check is tested, not what becomes of plain aggregates before: tests/tap/099_plain_sql.pl.
my $node = new_node('hidden_side_channels', 'idp.rewrite = off', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO keeper, analyst;
SET ROLE keeper;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

# --- a session that has just used the table hides it ------------------------------------------------

$s->value(<<'SQL');
CREATE TABLE used (k int, ssn int) PARTITION BY LIST (k);
CREATE TABLE used_1 PARTITION OF used FOR VALUES IN (1);
CREATE TABLE used_2 PARTITION OF used FOR VALUES IN (2) PARTITION BY LIST (ssn);
CREATE TABLE used_2_1 PARTITION OF used_2 FOR VALUES IN (1);
INSERT INTO used VALUES (1, 1), (2, 1);
SELECT count(*) FROM used;
SELECT count(*) FROM used_2;
SQL
is($s->run("SELECT idp.protect('used', 10, rows => 'hidden')")->{message}, undef,
	'a partitioned table that the session has just used');
is($s->value("SELECT rows FROM idp.protection WHERE table_name = 'used'"), 'hidden', 'is hidden');
is($s->run("SELECT idp.protect('used', 10, rows => 'visible')")->{message}, undef, 'shown again');
is($s->value("SELECT count(*) FROM pg_policy WHERE polrelid = ANY ('{used,used_1,used_2,used_2_1}'::regclass[])"), 0,
	'without a trace of the lock');
$s->run("BEGIN; SELECT idp.protect('used', 10, rows => 'hidden'); ROLLBACK");
is($s->run("SELECT idp.protect('used', 10, rows => 'hidden')")->{message}, undef,
	'hidden in a transaction that is rolled back, and in the next');
$s->run("SELECT idp.unprotect('used')");
$s = session($node);
$s->value('SET ROLE keeper');

# --- a transaction that is older than the parts of the table, or than the lock --------------------------

my $old = session($node);
my @lock = qw(older_1 older_2 older_2_1);
sub locked
{
	return $s->value("SELECT string_agg(DISTINCT part || ' ' || is_enabled || ' ' || has_lock, ', ' "
		  . "ORDER BY part || ' ' || is_enabled || ' ' || has_lock) FROM idp.part_locks('older')");
}
foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	$s->value('CREATE TABLE older (k int, ssn int) PARTITION BY LIST (k); CREATE TABLE older_1 PARTITION OF older '
		  . 'FOR VALUES IN (1)');
	$old->value("BEGIN ISOLATION LEVEL $level; SET LOCAL ROLE keeper; SELECT count(*) FROM idp.budget");
	$s->value('CREATE TABLE older_2 PARTITION OF older FOR VALUES IN (2) PARTITION BY LIST (ssn); '
		  . 'CREATE TABLE older_2_1 PARTITION OF older_2 FOR VALUES IN (1)');
	is($old->run("SELECT idp.protect('older', 10); COMMIT")->{message}, undef,
		"$level: hidden in a transaction that is older than some parts");
	is(locked(), join(', ', map { "$_ true true" } 'older', @lock), 'each of them has the lock');
	$old->value("BEGIN ISOLATION LEVEL $level; SET LOCAL ROLE keeper; SELECT count(*) FROM idp.budget");
	$s->value("SELECT idp.unprotect('older')");
	is($old->run("SELECT idp.protect('older', 20); COMMIT")->{message}, undef,
		"$level: hidden by one that saw another lock");
	is(locked(), join(', ', map { "$_ true true" } 'older', @lock), 'they have it again');
	$old->value("BEGIN ISOLATION LEVEL $level; SET LOCAL ROLE keeper; SELECT count(*) FROM idp.budget");
	$s->value('CREATE TABLE older_3 PARTITION OF older FOR VALUES IN (3)');
	is($old->run('ALTER TABLE older_3 RENAME TO older_4; ALTER TABLE older RENAME TO older_0; COMMIT')->{message},
		undef, "$level: renamed by one that is older than the lock");
	$s->value('ALTER TABLE older_0 RENAME TO older');
	is(locked(), join(', ', map { "$_ true true" } 'older', @lock, 'older_4'), 'the lock stays');
	$old->value("BEGIN ISOLATION LEVEL $level; SET LOCAL ROLE keeper; SELECT count(*) FROM idp.budget");
	$s->value('CREATE TABLE older_5 (LIKE older) PARTITION BY LIST (ssn); CREATE TABLE older_5_1 PARTITION OF older_5 '
		  . 'FOR VALUES IN (1)');
	is($old->run('ALTER TABLE older ATTACH PARTITION older_5 FOR VALUES IN (5); COMMIT')->{message}, undef,
		"$level: a table is attached by one that does not see its parts");
	like(locked(), qr/older_5 true true, older_5_1 true true$/, 'they are hidden with it');
	$old->value("BEGIN ISOLATION LEVEL $level; SET LOCAL ROLE keeper; SELECT count(*) FROM idp.budget");
	$s->value('CREATE TABLE older_6 PARTITION OF older FOR VALUES IN (6)');
	is($old->run("SELECT idp.unprotect('older'); COMMIT")->{message}, undef,
		"$level: shown by one that does not see a part");
	is($s->value("SELECT count(*) FILTER (WHERE is_enabled OR has_lock OR has_all_rows), count(*) "
		  . "FROM idp.part_locks('older')"), '0|8', 'none keeps the lock');
	$s->value('DROP TABLE older');
}
$old->quit;

# --- INSERT: constraints of what the rows are passed on to -------------------------------------------

$s->value('CREATE TABLE plain (x int); CREATE TABLE heir () INHERITS (plain)');
$s->value("SELECT idp.protect(name, 10, rows => 'hidden') FROM unnest(ARRAY['used', 'plain']::regclass[]) name");
$s->value('GRANT SELECT, INSERT ON used, used_1, used_2, used_2_1, plain, heir TO analyst');
my $refused = qr/^INSERT is refused: rows of table "\w+" are hidden from role "analyst"/;

sub insert { return $a->run("BEGIN; INSERT INTO $_[0]; ROLLBACK")->{message} // 'inserted' }
sub insert_refused
{
	my ($name, @rows) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	foreach (@rows)
	{
		like(insert($_), $refused, "$name: INSERT INTO $_");
		$a->run('ROLLBACK');
	}
	return;
}
is(insert('used VALUES (1, 1), (2, 1)'), 'inserted', 'without a unique index rows are inserted');
$s->value('CREATE UNIQUE INDEX one ON used_2_1 (ssn)');
insert_refused('a unique index of a leaf',
	map { ("used VALUES ($_)", "used_2 VALUES ($_)", "used_2_1 VALUES ($_)") } '2, 1', '1, 12346');
is(insert('used_1 VALUES (1, 1)'), 'inserted', 'another leaf has none');
$s->value('DROP INDEX one; ALTER TABLE used_1 ADD EXCLUDE USING btree (ssn WITH =)');
insert_refused('an exclusion constraint of a leaf', 'used VALUES (1, 1)', 'used VALUES (1, 12346)',
	'used_1 VALUES (1, 1)');
is(insert('plain VALUES (1)'), 'inserted', 'a table that others inherit from');

# --- locks of SERIALIZABLE ------------------------------------------------------------------------------

$s->value("CREATE TABLE t AS SELECT i AS id FROM generate_series(1, 1000) i; CREATE INDEX ON t (id); "
	  . "GRANT SELECT, INSERT ON t TO analyst; SELECT idp.protect('t', 100, rows => 'hidden')");
$a->value('SET enable_seqscan = off; SET enable_bitmapscan = off');
foreach my $sql ('SELECT dp_count(1e-18) FROM t WHERE id = 5', 'SELECT dp_count(1e-18) FROM t WHERE id = 50000',
	'INSERT INTO t VALUES (5)')
{
	my $result = $a->run("BEGIN ISOLATION LEVEL SERIALIZABLE; $sql");
	like($result->{message} // "answered: $result->{out}", qr/^rows of table "t" are hidden from role "analyst"/,
		"refused in SERIALIZABLE: $sql");
	like($result->{hint} // '', qr/REPEATABLE READ/, 'with a way out');
	is($s->value("SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' "
		  . "AND relation IN ('t'::regclass, 't_id_idx'::regclass)"), 0, 'without a lock that tells');
	$a->run('ROLLBACK');
	is($a->run("BEGIN ISOLATION LEVEL REPEATABLE READ; $sql; ROLLBACK")->{message}, undef, 'not in REPEATABLE READ');
}
is($a->run('SET default_transaction_isolation = serializable; SELECT dp_count(0.1) FROM t')->{sqlstate}, '42501',
	'nor where it is the default');
is($a->run('SELECT dp_count(0.1) FROM generate_series(1, 10)')->{message}, undef, 'other queries are answered');
is($s->run('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(0.1) FROM t; COMMIT')->{message}, undef,
	'and the owner');
$a->value('RESET ALL; SET ROLE analyst');

# --- the order of groups ----------------------------------------------------------------------------------

# The same rows in another order; each plan that gives the groups, for two ways of grouping.
$s->value(<<'SQL');
CREATE TABLE known (id int PRIMARY KEY, name text UNIQUE);
INSERT INTO known SELECT i, 'name ' || i FROM generate_series(1, 200) i;
CREATE TABLE one_way AS SELECT i, 1 + i % 200 AS k FROM generate_series(1, 2000) i;
CREATE TABLE other_way AS SELECT i, k FROM one_way ORDER BY md5(i::text);
GRANT SELECT ON known, one_way, other_way TO analyst;
ANALYZE known, one_way, other_way;
SELECT idp.protect(r, 1e6, delta => 0.01) FROM unnest('{one_way,other_way}'::regclass[]) r;
SQL
foreach my $grouping (
	'SELECT d.name, dp_count(0.1) FILTER (WHERE a.i IS NOT NULL) FROM known d '
	  . 'LEFT JOIN ? a ON a.k = d.id GROUP BY d.name',
	'SELECT k FROM ? GROUP BY k HAVING dp_keep_group(100, 0.000001)',
	'SELECT k, k % 3 FROM ? GROUP BY GROUPING SETS (k, k % 3) HAVING dp_keep_group(100, 0.000001)',
	'SELECT k, k % 3 FROM ? GROUP BY CUBE (k, k % 3) HAVING dp_keep_group(100, 0.000001)')
{
	foreach my $setting ('work_mem = 4096', 'enable_sort = off', 'enable_hashjoin = off',
		'plan_cache_mode = force_generic_plan')
	{
		my @keys = map { join ' ', $a->value("SET $setting; PREPARE q AS " . $grouping =~ s/\?/$_/r
			  . '; EXECUTE q; DEALLOCATE q; RESET ALL; SET ROLE analyst') =~ /^([^|\n]*)/gm } 'one_way', 'other_way';
		cmp_ok(length $keys[0], '>', 500, 'many groups');
		is($keys[0], $keys[1], "groups come in an order that tells nothing, $setting: $grouping");
	}
}

# --- partial indexes ------------------------------------------------------------------------------------

$s->value('CREATE TABLE sick (id int PRIMARY KEY, state text); CREATE INDEX of_id ON sick (id, state)');
unlike($s->run("SELECT idp.protect('sick', 10, rows => 'hidden')")->{err}, qr/WARNING.*index/, 'indexes of all rows');
$s->value("SELECT idp.unprotect('sick'); CREATE INDEX ill ON sick (id) WHERE state = 'ill'");
like($s->run("SELECT idp.protect('sick', 10, rows => 'hidden')")->{err},
	qr/WARNING: .*partial index "public\.ill" tells how many rows of table "public\.sick" fulfil its condition/,
	'one of some rows: a warning');

# --- foreign keys ---------------------------------------------------------------------------------------

$s->value(<<'SQL');
CREATE TABLE person (id int PRIMARY KEY, boss int REFERENCES person);
CREATE TABLE visit (id int CONSTRAINT visit_of REFERENCES person) PARTITION BY LIST (id);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES IN (1);
SQL
my $warned = $s->run("SELECT idp.protect('person', 10, rows => 'hidden')");
like($warned->{err},
	qr/WARNING: .*foreign key "visit_of" of table "public\.visit" tells of rows of table "public\.person"/,
	'a foreign key to a hidden table: a warning');
like($warned->{err}, qr/HINT: .*Grant these to nobody from whom the rows are hidden/, 'with a way out');
$s->value("SELECT idp.unprotect('person'); SELECT idp.protect('person', 10, unit => 'id', rows => 'hidden'); "
	  . "ALTER TABLE visit ALTER id SET NOT NULL");
my $linked = $s->run("SELECT idp.link('visit', 'id', 'person')");
like($linked->{err}, qr/DETAIL: .*INSERT into "public\.visit" fails or not by what rows "public\.person" has/,
	'of a link, where both ends are hidden: what is left');
unlike($linked->{err}, qr/drop the constraint/, 'which does not say to drop what the link is made of');
$s->value("SELECT idp.unlink('visit'); ALTER TABLE visit ADD PRIMARY KEY (id)");
unlike($s->run("SELECT idp.link('visit', 'id', 'person')")->{err}, qr/WARNING/, 'nothing is left where nobody inserts');
$s->value("SELECT idp.unlink('visit'); ALTER TABLE visit DROP CONSTRAINT visit_pkey; "
	  . "ALTER TABLE visit ALTER id DROP NOT NULL");
is(() = $warned->{err} =~ /WARNING:/g, 1, 'one, not of its partitions, nor of a table that refers to itself');
$s->value("SELECT idp.unprotect('person')");
$warned = $s->run("SELECT idp.protect('visit', 10, rows => 'hidden')");
like($warned->{err},
	qr/WARNING: .*foreign key "visit_of" of table "public\.visit" tells of rows of table "public\.visit"/,
	'that of a hidden table: likewise');
like($warned->{err}, qr/DETAIL: .*DELETE of "public\.person"/, 'saying what tells');
unlike($s->run("SELECT idp.protect('t', 10, rows => 'hidden')")->{err}, qr/WARNING/, 'without one: none');

# --- what the planner expects ------------------------------------------------------------------------------

# The same number of rows on as many pages, with other values: other statistics.
sub fill_guessed
{
	return $s->value("TRUNCATE guessed; INSERT INTO guessed SELECT i, $_[0], i FROM generate_series(1, 1000) i; "
		  . "VACUUM (FULL, ANALYZE) guessed");
}
$s->value('CREATE TABLE guessed (id int PRIMARY KEY, x int, y int); CREATE TABLE shown AS SELECT i AS k '
	  . 'FROM generate_series(1, 50) i; CREATE UNIQUE INDEX ON shown (k); ANALYZE shown');
fill_guessed('i % 10');
$s->value("SELECT idp.protect('guessed', 100, rows => 'hidden'); GRANT SELECT ON guessed, shown TO analyst");
my $of_groups = 'SELECT dp_count(1e-18) FROM (SELECT x, min(y) FROM guessed GROUP BY x) g';
my $answer = 'SELECT dp_count(1e-18) FROM guessed WHERE x = 3';
my $three = "VALUES (1), (2), (($answer))";
my $hash_only = 'SET enable_sort = off; SET enable_mergejoin = off; SET enable_nestloop = off';
my @guesses = (
	['a scalar subquery', "SELECT ($answer)"],
	['one in an expression over rows',
		"SELECT dp_count(1e-18) FROM shown s WHERE s.k IN (SELECT y FROM guessed g WHERE g.x = s.k)"],
	['in a list of values', "SELECT * FROM ($three) v"],
	['in LIMIT', "SELECT k FROM shown LIMIT ($answer)"],
	['in a row function', "SELECT * FROM generate_series(1, ($answer)) f"],
	['beside others', "SELECT k, CASE WHEN k > 5 THEN (SELECT min(y) FROM guessed g WHERE g.x = k) END FROM shown"],
	['in what changes a table', "INSERT INTO shown SELECT 60 WHERE ($answer) > 1e30"],
	['groups', $of_groups, $hash_only],
	['groups that do not fit in memory', $of_groups, "$hash_only; SET work_mem = '64kB'; SET hash_mem_multiplier = 1"],
	['grouping sets', 'SELECT x, y, count(*) FROM guessed GROUP BY CUBE (x, y)', $hash_only],
	['sorted grouping sets', 'SELECT x, y, count(*) FROM guessed GROUP BY CUBE (x, y)', 'SET enable_hashagg = off'],
	['a set operation', 'SELECT x FROM guessed EXCEPT SELECT y FROM guessed', $hash_only],
	['a recursive query', 'WITH RECURSIVE r AS (SELECT x FROM guessed WHERE x < 5 UNION SELECT x + 1 FROM r '
		  . 'WHERE x < 20) SELECT * FROM r', $hash_only],
	['a hash join', 'SELECT dp_count(1e-18) FROM guessed g JOIN shown s ON s.k = g.x', $hash_only],
	['a parallel one', 'SELECT count(*) FROM guessed a JOIN guessed b ON a.x = b.y',
		"$hash_only; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0"],
	['memoized rows', 'SELECT count(*) FROM guessed a JOIN guessed b ON a.x = b.id',
		'SET enable_hashjoin = off; SET enable_mergejoin = off'],
	['windows', 'SELECT x, rank() OVER (PARTITION BY x ORDER BY y) FROM guessed'],
	['what is compiled', 'SELECT dp_count(1e-18) FROM (SELECT FROM guessed WHERE x < 5 OFFSET 0) g',
		map { "SET jit = on; SET jit_above_cost = $_" } 0, 18.5, 20.5, 21, 25, 1000]);
sub guesses
{
	my ($sql, @settings) = @_;
	my %told;
	foreach my $setting (@settings ? @settings : '')
	{
		my $result = $a->run("$setting; SET client_min_messages = log; SET debug_pretty_print = on; "
			  . "SET debug_print_plan = on; EXPLAIN $sql");
		$told{$setting} = "$result->{err}\n$result->{out}" =~ s/psql:<stdin>:\d+: //gr;
		$a->value('RESET ALL; SET ROLE analyst');
	}
	return \%told;
}
sub differing_lines
{
	my ($one, $other) = map { [ split /\n/ ] } @_;
	my $lines = @$one > @$other ? @$one : @$other;
	push @$_, ('') x ($lines - @$_) foreach $one, $other;
	return join "\n", map { "$one->[$_] | $other->[$_]" } grep { $one->[$_] ne $other->[$_] } 0 .. $#$one;
}
$a = session($node);    # a session that has read hidden rows cannot ask for messages of the log
$a->value('RESET ALL; SET ROLE analyst');
$s->value('GRANT INSERT ON shown TO analyst');
my @before = map { guesses(@$_[ 1 .. $#$_ ]) } @guesses;
fill_guessed('i');
foreach my $guess (@guesses)
{
	my ($name, @of) = @$guess;
	my ($before, $after) = (shift @before, guesses(@of));
	like(join('', values %$after), qr/plan_rows|planTree/, "$name: the plan is printed");
	is(differing_lines($before->{$_}, $after->{$_}), '', "$name: it tells nothing of the statistics")
	  foreach sort keys %$after;
}

$s->value('REVOKE INSERT ON shown FROM analyst');

# --- what a query would cost ------------------------------------------------------------------------------

sub cost
{
	return $_[0]->run("SELECT relation, trim_scale(epsilon), trim_scale(delta), trim_scale(reserved) "
		  . "FROM idp.cost(\$q\$$_[1]\$q\$)");
}
sub outcome { return join ' ', map { $_ // '' } @{ $_[0] }{qw(out sqlstate message detail hint)} }
sub of_guessed
{
	return $s->value("SELECT trim_scale(spent), (SELECT count(*) FROM idp.releases) FROM idp.budget "
		  . "WHERE table_name = 'guessed'");
}
my $before = of_guessed();
is(cost($a, 'SELECT dp_count(0.5), dp_avg(y, 0.25, 0, 1000) FROM guessed WHERE x < 5')->{out}, 'guessed|0.75|0|0',
	'an analyst is told what a query over hidden rows would cost');
is(cost($a, 'SELECT s.k, dp_count(0.5) FILTER (WHERE g.id IS NOT NULL) FROM shown s '
	  . 'LEFT JOIN guessed g ON g.x = s.k GROUP BY s.k')->{out}, 'guessed|1|0|0', 'with public groups');
is(cost($a, "SELECT dp_count(0.5, 'mine') FROM guessed")->{out}, 'guessed|0|0|0.5', 'and of a release');
$s->value('SELECT idp.limit_role(\'guessed\', \'analyst\', 0)');
is(cost($a, 'SELECT dp_count(1e6) FROM guessed')->{out}, 'guessed|1000000|0|0', 'whatever remains');
is($a->run('SELECT dp_count(0.5) FROM guessed')->{sqlstate}, 'IDP01', 'here nothing');
foreach my $sql ('SELECT * FROM guessed', 'SELECT count(*) FROM guessed',
	'SELECT x, dp_count(0.5) FROM guessed GROUP BY x', 'SELECT dp_count(0.5) FROM guessed WHERE told(x) = 1',
	'SELECT dp_count(0.5) FROM (SELECT * FROM guessed LIMIT 5) g', 'SELECT dp_count(0.5) FROM idp.charge',
	'SELECT (SELECT max(y) FROM guessed)')
{
	my $result = cost($a, $sql);
	ok(defined $result->{sqlstate} && $result->{out} eq '', "it is refused: $sql");
	is(outcome($result), outcome($a->run($sql)), 'as the query is') unless $sql =~ /told/;
}
like(cost($a, 'SELECT dp_count(0.5) FROM guessed; SELECT * FROM guessed')->{message}, qr/one SELECT/, 'one statement');
like(cost($a, 'WITH w AS (INSERT INTO guessed VALUES (0, 0, 0) RETURNING 1) '
	  . 'SELECT dp_count(0.5) FROM guessed')->{message}, qr/one SELECT/, 'that changes nothing');
is(of_guessed(), $before, 'all of it costs nothing, and begins no release');
is($a->run('BEGIN READ ONLY; SELECT * FROM idp.cost(\'SELECT dp_count(0.5) FROM guessed\'); '
	  . 'SELECT pg_current_xact_id_if_assigned() IS NULL; COMMIT')->{out}, "guessed|0.5|0|0\nt", 'and writes nothing');
my @costs = map { outcome(cost($a, $_)) } map { $_->[1] } @guesses;
fill_guessed('i % 10');
is_deeply([ map { outcome(cost($a, $_->[1])) } @guesses ], \@costs, 'it tells nothing of the rows');
my ($ret, $out, $err) = $node->psql('postgres',
	"SELECT relation, epsilon FROM idp.cost('SELECT dp_count(0.5) FROM guessed')", extra_params => [ '-U', 'analyst' ]);
is($out, 'guessed|0.5', 'a new session');

# --- synthesized rows -------------------------------------------------------------------------------------

sub synthesized { return $_[0]->run("SELECT count(*) FROM idp.synthesize('$_[1]', '{\"id\": [1, 2]}', 0.01, 5)") }
like(synthesized($a, 't')->{message}, qr/^rows of table "t" are hidden/, 'are refused to the analyst');
$s->value('ALTER TABLE t DISABLE ROW LEVEL SECURITY');
like(synthesized($a, 't')->{message}, qr/^rows of table "t" are hidden/,
	'also where row security is disabled, as the other lock holds');
is(synthesized($s, 't')->{out}, 5, 'not to the owner');
$s->value('RESET ROLE; CREATE ROLE branch LOGIN; GRANT CREATE ON SCHEMA public TO branch');
$s->value('CREATE TABLE visit_2 (id int); ALTER TABLE visit_2 OWNER TO branch; '
	  . 'ALTER TABLE visit ATTACH PARTITION visit_2 FOR VALUES IN (2)');
$a->value('RESET ROLE; SET ROLE branch');
like(synthesized($a, 'visit_2')->{message}, qr/^rows of table "visit_2" are hidden from role "branch"/,
	'nor to the owner of a part');
sound($s, 'in the end');

done_testing();
