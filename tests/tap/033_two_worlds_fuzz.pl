# Two worlds: random statements of an analyst, run against two databases that differ in one row of a
# hidden table. Whatever was not charged must be the same in both, byte for byte: rows, errors,
# notices, EXPLAIN, row counts.
#
#   IDP_FUZZ_STATEMENTS   how many (1000)
#   IDP_FUZZ_SEED         where to begin (1)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $statements = $ENV{IDP_FUZZ_STATEMENTS} // 1000;
my $seed = $ENV{IDP_FUZZ_SEED} // 1;

# --- the grammar ------------------------------------------------------------------------------------------

sub one_of { return $_[ int rand @_ ] }
sub maybe { my ($probability, $text) = @_; return rand() < $probability ? $text : '' }

my @columns = ([ 'id', 'int' ], [ 'age', 'int' ], [ 'salary', 'float8' ], [ 'city', 'text' ], [ 'n', 'numeric' ], [ 'born', 'date' ], [ 'flag', 'bool' ], [ 'extra', 'text' ]);
my %constants = (
	int => sub { one_of(0, 1, 5, 30, 37, 38, 99, 2147483647, -1) },
	float8 => sub { one_of('0', '37000', '1e308', "'NaN'", "'infinity'") },
	text => sub { one_of("'Oslo'", "'Rome'", "'x'", "''", "'R%'", "'37'") },
	numeric => sub { one_of('0', '9.25', '1e20') },
	date => sub { one_of("date '1980-02-07'", "date '1980-01-01'", "date 'infinity'") },
	bool => sub { one_of('true', 'false', 'NULL') });

# An expression of a type over the row of the table with that alias.
sub expression
{
	my ($type, $alias, $depth) = @_;
	my @fit = grep { $_->[1] eq $type } @columns;
	return rand() < 0.75 && @fit ? "$alias." . one_of(@fit)->[0] : $constants{$type}->() if $depth <= 0;
	my $of = sub { return expression($_[0], $alias, $depth - 1) };
	my %forms = (
		int => [
			(sub { $of->('int') . one_of(' / ', ' % ') . $of->('int') }) x 3, sub { $of->('int') . one_of(' + ', ' - ', ' * ', ' / ', ' % ') . $of->('int') }, sub { 'length(' . $of->('text') . ')' }, sub { $of->('text') . '::int' },
			sub { 'told(' . $of->('int') . ')' }, sub { $of->('float8') . '::int' }, sub { 'abs(' . $of->('int') . ')' }, sub { "nullif(" . $of->('int') . ', ' . $of->('int') . ')' },
			sub { "extract(" . one_of('year', 'hour', 'dow') . ' from ' . $of->('date') . ')::int' }, sub { 'CASE WHEN ' . $of->('bool') . ' THEN ' . $of->('int') . ' ELSE ' . $of->('int') . ' END' } ],
		float8 => [
			sub { $of->('float8') . one_of(' + ', ' * ', ' / ', ' ^ ') . $of->('float8') }, sub { one_of('sqrt', 'ln', 'exp', 'floor', 'abs') . '(' . $of->('float8') . ')' },
			sub { $of->('int') . '::float8' }, sub { '(' . $of->('date') . ' - ' . $of->('date') . ') * ' . $of->('float8') }, sub { $of->('text') . '::float8' } ],
		text => [
			sub { $of->('text') . ' || ' . $of->('text') }, sub { one_of('lower', 'upper', 'md5', 'initcap') . '(' . $of->('text') . ')' }, sub { 'substr(' . $of->('text') . ', ' . $of->('int') . ', ' . $of->('int') . ')' },
			sub { $of->('int') . '::text' }, sub { 'to_char(' . $of->('date') . ', ' . one_of("'YYYY-MM'", $of->('text')) . ')' }, sub { 'repeat(' . $of->('text') . ', 3)' }, sub { 'left(' . $of->('text') . ', ' . $of->('int') . ')' }, sub { "set_config('a.b', " . $of->('text') . ', false)' },
			sub { 'coalesce(' . $of->('text') . ', ' . $of->('text') . ')' } ],
		numeric => [ sub { $of->('numeric') . one_of(' + ', ' / ', ' * ') . $of->('numeric') }, sub { $of->('int') . '::numeric' }, sub { $of->('text') . '::numeric' }, sub { '(' . $of->('numeric') . ')::numeric(4,2)' }, sub { one_of('sqrt', 'ln', 'round') . '(' . $of->('numeric') . ')' } ],
		date => [ sub { $of->('date') . ' + ' . $of->('int') }, sub { $of->('date') . '::timestamp::date' }, sub { $of->('text') . '::date' }, sub { 'date_trunc(' . one_of("'month'", "'nonsense'", $of->('text')) . ', ' . $of->('date') . ')::date' }, sub { 'make_date(' . join(', ', map { $of->('int') } 1 .. 3) . ')' } ],
		bool => [
			(map { my $t = $_; sub { $of->($t) . one_of(' = ', ' < ', ' >= ', ' <> ', ' IS DISTINCT FROM ') . $of->($t) } } qw(int float8 text numeric date)),
			sub { '(' . $of->('bool') . one_of(' AND ', ' OR ') . $of->('bool') . ')' }, sub { 'NOT ' . $of->('bool') }, sub { $of->(one_of(keys %constants)) . one_of(' IS NULL', ' IS NOT NULL') },
			sub { $of->('text') . one_of(' LIKE ', ' ~ ', ' ILIKE ') . $of->('text') }, sub { $of->('int') . ' IN (' . $of->('int') . ', ' . $of->('int') . ')' }, sub { $of->('int') . ' === ' . $of->('int') },
			sub { $of->('int') . ' BETWEEN ' . $of->('int') . ' AND ' . $of->('int') }, sub { 'EXISTS (SELECT FROM ' . relation() . ' s WHERE s.id = ' . $of->('int') . ')' },
			sub { $of->('int') . ' IN (SELECT s.id FROM ' . relation() . ' s)' }, sub { $of->('int') . ' = ANY (ARRAY[1, 37])' } ]);
	return '(' . one_of(@{ $forms{$type} })->() . ')';
}

sub relation { return one_of('t', 't', 't', 'v', 'vs', 'p', 'part', 'part_1', 'all_of_t()', 'all_of_v()') }

# A private aggregate over rows of that alias, or one that is none.
sub aggregate
{
	my ($alias) = @_;
	my $column = sub { return expression($_[0], $alias, one_of(0, 0, 0, 1)) };
	my $text = one_of(
		sub { 'dp_count(0.1)' }, sub { 'dp_count(0.1)' }, sub { 'dp_sum(' . $column->('int') . ', 0.1, 0, 100)' }, sub { 'idp_median(' . $column->('float8') . ', 0.1)' },
		sub { 'dp_count_distinct(' . $column->('text') . ', 0.1)' }, sub { 'dp_avg(' . $column->('int') . ', 0.1, 0, 100)' }, sub { 'dp_sum(DISTINCT ' . $column->('int') . ', 0.1, 0, 100)' },
		sub { one_of('count', 'max', 'min') . '(' . $column->('int') . ')' }, sub { 'count(*)' }, sub { "string_agg(" . $column->('text') . ", ',')" })->();
	return $text . maybe(0.2, ' FILTER (WHERE ' . expression('bool', $alias, one_of(0, 1, 2)) . ')');
}

sub query
{
	my ($depth) = @_;
	my $from = relation() . ' a';
	$from = '(' . query($depth - 1) . ') a' if $depth > 0 && rand() < 0.15;
	$from .= one_of(' JOIN ', ' LEFT JOIN ', ' FULL JOIN ') . relation() . ' b ON b.id = a.id' if rand() < 0.15;
	$from .= ', LATERAL (SELECT ' . aggregate('a') . ' FROM ' . relation() . ' c) l' if rand() < 0.05;
	$from .= ' TABLESAMPLE BERNOULLI (100)' if $from =~ /^[tp] a$/ && rand() < 0.05;
	my $where = maybe(0.6, ' WHERE ' . expression('bool', 'a', one_of(0, 1, 1, 2)));
	my $select = rand() < 0.7 ? join ', ', map { aggregate('a') } 1 .. one_of(1, 1, 1, 2) : one_of('a.*', expression(one_of(keys %constants), 'a', 1), '1', 'a.ctid', 'count(*) OVER ()');
	$select .= ', (SELECT ' . aggregate('s') . ' FROM ' . relation() . ' s' . maybe(0.3, ' WHERE s.id = a.id') . ')' if rand() < 0.1;
	my $group = maybe(0.15, ' GROUP BY ' . one_of('a.age', 'a.city', 'ROLLUP (a.flag)', '()', expression('bool', 'a', 1)));
	my $rest = maybe(0.05, ' HAVING ' . aggregate('a') . ' > 1') . maybe(0.1, ' ORDER BY 1') . maybe(0.1, ' LIMIT ' . one_of(0, 0, 1, '(SELECT count(*) FROM t)')) . maybe(0.05, ' OFFSET ' . one_of(0, '(SELECT max(id) FROM t)')) . maybe(0.03, ' FOR UPDATE');
	my $text = "SELECT $select FROM $from$where$group$rest";
	return one_of("($text) UNION ALL (SELECT 1)", "($text) EXCEPT (SELECT 1)") if rand() < 0.05;
	return "WITH c AS " . maybe(0.5, 'MATERIALIZED ') . '(' . query($depth - 1) . ") SELECT * FROM c" . maybe(0.3, ' LIMIT 0') if $depth > 0 && rand() < 0.08;
	return $text;
}

sub statement
{
	# simple ones, so that many reach the rows
	return "SELECT dp_count(0.1) FROM " . one_of('t', 'v', 'part') . ' a WHERE ' . expression('bool', 'a', one_of(1, 2)) if rand() < 0.4;
	my $query = query(1);
	my $choice = rand();
	return $query if $choice < 0.6;
	return "EXPLAIN $query" if $choice < 0.75;
	return one_of(
		"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query", "PREPARE s AS $query; EXECUTE s; DEALLOCATE s", "COPY ($query) TO STDOUT", "CREATE TEMP TABLE made AS $query; SELECT * FROM made; DROP TABLE made",
		"BEGIN; DECLARE k CURSOR FOR $query; FETCH k; ROLLBACK", "DO \$do\$ BEGIN PERFORM * FROM ($query) x; END \$do\$", 'COPY t TO STDOUT', 'UPDATE t SET age = 1 WHERE ' . expression('bool', 't', 1),
		'DELETE FROM t WHERE ' . expression('bool', 't', 1), 'INSERT INTO t SELECT * FROM ' . relation(), 'INSERT INTO t (id) VALUES (' . one_of(1, 37, 1000) . ') RETURNING id',
		'INSERT INTO t (id) VALUES (' . one_of(1, 37, 1000) . ')', 'INSERT INTO t (id) VALUES (37) ON CONFLICT DO NOTHING', "SELECT query_to_xml(\$q\$$query\$q\$, true, true, '')", 'SELECT * FROM pg_stats WHERE tablename = \'t\'',
		'SELECT idp.approved()', "SET enable_seqscan = off; $query; RESET enable_seqscan", "SET plan_cache_mode = force_generic_plan; PREPARE s (int) AS $query; EXECUTE s (1); DEALLOCATE s; RESET plan_cache_mode");
}

# --- the worlds -------------------------------------------------------------------------------------------

my $node = new_node('fuzz', 'jit = off', 'max_parallel_workers_per_gather = 0', "session_preload_libraries = 'idp'");
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN');
my @worlds;
foreach my $world (0, 1)
{
	$node->safe_psql('postgres', "CREATE DATABASE world_$world TEMPLATE template1");
	my $s = session($node, "world_$world");
	$s->value(<<'SQL');
CREATE TABLE t (id int UNIQUE, age int, salary float8, city text, n numeric, born date, flag bool, extra text);
INSERT INTO t SELECT i, 20 + i % 45, 1000.0 * i, (ARRAY['Oslo', 'Rome', '37'])[1 + i % 3], i / 4.0, date '1980-01-01' + i, i % 2 = 0, i::text FROM generate_series(1, 60) i;
CREATE TABLE p AS SELECT * FROM t WHERE id <= 10;
CREATE TABLE part (LIKE t) PARTITION BY LIST (flag);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (true);
CREATE TABLE part_2 PARTITION OF part DEFAULT;
SQL
	# the row that differs: present, and odd in each column
	$s->value("UPDATE t SET age = 0, salary = 'NaN', city = 'x', n = 0, born = 'infinity', flag = NULL, extra = 'no number' WHERE id = 37") if $world;
	$s->value(<<'SQL');
INSERT INTO part SELECT * FROM t;
CREATE VIEW v AS SELECT * FROM t;
CREATE VIEW vs WITH (security_barrier) AS SELECT * FROM t WHERE age > 0;
CREATE FUNCTION all_of_t() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM t';
CREATE FUNCTION all_of_v() RETURNS SETOF v LANGUAGE sql STABLE AS 'SELECT * FROM v';
CREATE FUNCTION told(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN $1; END';
CREATE FUNCTION same(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''% %'', $1, $2; RETURN $1 = $2; END';
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = same, RESTRICT = eqsel);
GRANT SELECT, INSERT, UPDATE, DELETE ON t TO analyst;
GRANT SELECT ON p, v, vs, part, part_1 TO analyst;
ANALYZE t, p, part;
SELECT idp.protect('t', 1e9, rows => 'hidden'), idp.protect('part', 1e9, rows => 'hidden'), idp.protect('p', 1e9, rows => 'visible');
SQL
	my $a = session($node, "world_$world");
	$a->value('SET ROLE analyst; SET client_min_messages = notice');
	push @worlds, { owner => $s, analyst => $a };
}

sub spent { return $_[0]->{owner}->value('SELECT sum(spent) FROM idp.budget') }

sub outcome
{
	my ($world, $sql) = @_;
	my $before = spent($world);
	my $result = $world->{analyst}->run($sql);
	# what an error in the middle left behind
	$world->{analyst}->run('ROLLBACK; DEALLOCATE ALL; DROP TABLE IF EXISTS made; RESET enable_seqscan; RESET plan_cache_mode');
	my $charge = spent($world) - $before;
	my $text = "$result->{out}\n$result->{err}";
	$text =~ s/psql:<stdin>:\d+/psql/g;
	return { charge => $charge, text => $charge > 0 ? ($result->{sqlstate} // '') : $text, state => $result->{sqlstate} };
}

srand $seed;
my ($charged, $refused, $free, $told) = (0, 0, 0, 0);
my %seen;
foreach my $number (1 .. $statements)
{
	my $sql = statement();
	my @outcomes = map { outcome($_, $sql) } @worlds;
	my ($one, $other) = @outcomes;
	$_->{charge} > 0 ? $charged++ : defined $_->{state} ? $refused++ : $free++ foreach $one;
	$seen{ $one->{state} // 'answered' }++;
	next if $one->{charge} == $other->{charge} && $one->{text} eq $other->{text};
	# noise over no row at all is free, and no two draws are the same
	next if $one->{charge} == 0 && $other->{charge} == 0 && !defined $one->{state} && !defined $other->{state}
	  && grep { $_->{text} ne $one->{text} } map { outcome($worlds[0], $sql) } 1 .. 5;
	$told++;
	fail("seed $seed, statement $number tells the worlds apart: $sql");
	diag "one:   $one->{charge} $one->{text}\nother: $other->{charge} $other->{text}";
}
is($told, 0, "no statement of $statements tells the worlds apart");
note "charged $charged, refused $refused, free $free";
note join ', ', map { "$_: $seen{$_}" } sort keys %seen;
cmp_ok($charged, '>', $statements / 50, 'some were charged');
cmp_ok($free, '>', $statements / 100, 'some were free');
cmp_ok($refused, '>', $statements / 10, 'many were refused');
done_testing();
