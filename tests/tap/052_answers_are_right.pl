# What queries make of private answers is what they make of other aggregates. Random queries over answers without
# noise to speak of, and the same over native aggregates of a copy of the table, have the same columns and rows, in the
# same order where they order them. IDP_SEED and IDP_QUERIES say which, and how many.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $seed = $ENV{IDP_SEED} // 20;
my $queries = $ENV{IDP_QUERIES} // 300;
srand $seed;

my $node = new_node('answers_are_right', 'jit = off', "session_preload_libraries = 'idp'");
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE analyst;
GRANT CREATE ON SCHEMA public TO analyst;
CREATE TABLE hidden (id int, a int, b text, c bool, d date, x int) WITH (parallel_workers = 2);
-- Each row twice: a group of one row would be shown by chance.
INSERT INTO hidden SELECT i, nullif(i % 5, 4), 'b' || i % 3, i % 7 < 3, date '2024-01-01' + i % 4, i % 100
  FROM generate_series(1, 300) i, generate_series(1, 2);
CREATE TABLE open AS TABLE hidden;
CREATE TABLE plain AS TABLE hidden;
CREATE TABLE pub (a int, name text);
INSERT INTO pub SELECT i, 'n' || i FROM generate_series(0, 6) i;
ANALYZE;
SELECT idp.protect('hidden', 1e18, 'add_remove', delta => 0.5);
SELECT idp.protect('open', 1e18, 'add_remove', delta => 0.5, rows => 'visible');
GRANT SELECT ON hidden, open, plain, pub TO analyst;
SQL

# --- a grammar --------------------------------------------------------------------------------------------

# A query is written once, with TABLE, COUNT(), SUM() and KEPT for what differs.
sub one { return $_[ rand @_ ] }
sub some
{
	my ($least, @of) = @_;
	my %at = map { $_ => rand } @of;
	my @mixed = sort { $at{$a} <=> $at{$b} } @of;
	return @mixed[ 0 .. $least - 1 + int rand(@of - $least + 1) ];
}

my @keys = ('a', 'b', 'c', 'd', 'a % 2', 'upper(b)', 'c AND a > 1', 'coalesce(a, 9)', 'extract(day FROM d)::int');

sub filter { return rand() < 0.3 ? ' FILTER (WHERE ' . one('a > 1', 'c', "b <> 'b1'", 'x < 50') . ')' : '' }
sub answer { return one('COUNT()', 'SUM(x)', 'SUM(a)') . filter() }

sub expression
{
	my $answer = answer();
	return one($answer, $answer, "$answer * 2 + 1", "coalesce($answer, -1)",
		"CASE WHEN $answer > 40 THEN 'many' ELSE 'few' END", "$answer + " . answer(), "($answer)::text || 'x'",
		"ROW($answer, " . answer() . ')::text', "ARRAY[$answer]", "(SELECT max(p.a) FROM pub p WHERE p.a < $answer)",
		"$answer IS NULL", "greatest($answer, 30)",
		"$answer IN (SELECT p.a * 10 FROM pub p)");
}

sub grouping
{
	my @of = @_;
	my $list = join ', ', @of;
	return one($list, $list, "ROLLUP ($list)", "CUBE ($list)", "GROUPING SETS (($list), ($of[0]))",
		"GROUPING SETS (($list), ())", "DISTINCT ROLLUP ($list), ROLLUP ($of[-1])",
		"GROUPING SETS (($of[0]), ($of[0]))");
}

sub having
{
	return one('', '', ' AND COUNT() > 30', ' AND SUM(x) > 900', ' AND SUM(x) % 3 <> 1',
		' AND (COUNT() < 50 OR SUM(x) < 3000)', ' AND CASE WHEN COUNT() > 40 THEN SUM(a) > 10 ELSE true END');
}
sub from
{
	return one('TABLE', 'TABLE', '(SELECT * FROM TABLE OFFSET 0) s', '(SELECT *, a AS e FROM TABLE) s',
		'(SELECT id, a, b, c, d, x FROM TABLE WHERE x > 3) s');
}
sub where
{
	return one('', '', ' WHERE x < 70', ' WHERE a > 0', " WHERE b IN ('b0', 'b2')", ' WHERE c', ' WHERE a = 2',
		" WHERE b = 'b1' AND a < 3");
}

# One level: its columns are called c1, c2 ….
sub level
{
	my ($columns, $is_free) = @_;
	my ($from, $where) = (from(), where());
	if (rand() < 0.2)
	{
		return 'SELECT ' . join(', ', map { expression() . " AS c$_" } 1 .. $columns) . " FROM $from$where"
		  . (rand() < 0.3 ? ' HAVING true' . having() : '');
	}
	my @of = some(1, @keys[ map { rand @keys } 1 .. 2 ]);
	push @of, 'e' if $from =~ /AS e/;
	@of = do { my %seen; grep { !$seen{$_}++ } @of };
	my @shown = map { my $key = one(@of); rand() < 0.35 ? $key : rand() < 0.1 ? "($key) IS NULL" : expression() }
	  1 .. $columns;
	my $grouping = grouping(@of);
	$shown[0] = 'GROUPING('
	  . one(@of[ 0 .. ($grouping =~ /SETS \(\([^()]*\), \([^()]*\)\)$/ && $grouping !~ /, \(\)/ ? 0 : $#of) ]) . ')'
	  if rand() < 0.1 && $grouping =~ /[A-Z]{4}/;
	# The server sorts wrongly by keys of grouping sets that it takes for constant.
	$where = ' WHERE x > 2' if !$is_free && $grouping =~ /[A-Z]{4}/ && $where =~ / = /;
	if ($is_free && rand() < 0.2)
	{
		$shown[-1] = "'k'::text";
		$grouping = "$grouping, " . one($columns, "ROLLUP ($columns)");
	}
	return 'SELECT ' . join(', ', map { "$shown[$_ - 1] AS c$_" } 1 .. $columns)
	  . " FROM $from$where GROUP BY $grouping HAVING KEPT" . having();
}

sub order
{
	my ($columns) = @_;
	return ' ORDER BY ' . join ', ', map { $_ . one('', ' DESC') . one('', '', ' NULLS FIRST') } 1 .. $columns;
}

# The query, and whether its rows are in order.
sub query
{
	my $form = int rand 16;
	my $columns = 1 + int rand 3;
	my $level = level($columns, $form < 3 || $form == 9 || $form == 10 || $form == 15);
	my $list = join ', ', map { "c$_" } 1 .. $columns;
	return ($level, 0) if $form < 3;
	return ($level . order($columns), 1) if $form < 5;
	return ($level . order($columns) . ' LIMIT ' . one(1, 3, 7) . ' OFFSET ' . one(0, 1), 1) if $form == 5;
	return ("SELECT DISTINCT $list FROM ($level) q" . order($columns), 1) if $form == 6;
	return ("SELECT $list, row_number() OVER (ORDER BY $list), count(*) OVER () FROM ($level) q" . order($columns), 1)
	  if $form == 7;
	return ("SELECT l.c1, r.c1, count(*) FROM ($level) l " . one('JOIN', 'LEFT JOIN', 'FULL JOIN') . ' (' . level(1)
		  . ') r ON l.c1::text = r.c1::text GROUP BY 1, 2' . order(3), 1) if $form == 8;
	return ("SELECT * FROM pub p " . one('', 'LEFT ') . "JOIN ($level) q ON q.c1::text = p.a::text", 0) if $form == 9;
	return ("WITH q AS " . one('', 'MATERIALIZED ') . "($level) SELECT x.*, (SELECT count(*) FROM q) FROM q x", 0)
	  if $form == 10;
	return ('SELECT c1::text FROM (' . level(1) . ') l ' . one('UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT')
		  . ' SELECT c1::text FROM (' . level(1) . ') r', 0) if $form == 11;
	return ("SELECT p.a, (SELECT string_agg(q.c1::text, ',' ORDER BY q.c1::text) FROM ($level) q "
		  . "WHERE length(q.c1::text) > p.a - 2) FROM pub p ORDER BY 1", 1) if $form == 12;
	return ("SELECT q.c1, generate_series(1, 2) FROM ($level) q" . order(2), 1) if $form == 13;
	return ("SELECT count(*), min(q.c1::text), max(q.c1::text) FROM ($level) q, LATERAL (SELECT q.c1 OFFSET 0) s", 0)
	  if $form == 14;
	return ("SELECT q FROM ($level) q WHERE EXISTS (SELECT 1 FROM (" . level(1) . ') r WHERE r.c1 IS NOT NULL)', 0);
}

# --- the comparison ---------------------------------------------------------------------------------------

sub over
{
	my ($table, $query) = @_;
	my ($count, $kept) = $table eq 'plain' ? ('count(*)', '(count(*) > 0)')
	  : ('dp_count(1e9)', $table eq 'hidden' ? 'dp_keep_group(1000, 1e-12)' : '(dp_count(1e9) > 0)');
	$query =~ s/\bTABLE\b/$table/g;
	$query =~ s/COUNT\(\)/$count/g;
	$query =~ s{SUM\((\w)\)( FILTER \([^()]*\))?}{
		my $of = $2 // '';
		$table eq 'plain' ? "coalesce(sum($1)$of, 0)" : "dp_sum($1, 1e9, 0, 100)$of"
	}ge;
	$query =~ s/\bKEPT\b/$kept/g;
	return $query;
}

my $session = session($node);
$session->value("\\pset null NULL\nSET ROLE analyst");
my @settings = ('', '', 'SET enable_hashagg = off', 'SET enable_sort = off',
	'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off',
	'SET enable_nestloop = off; SET enable_hashjoin = off',
	'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');

# Types of columns, and rows.
sub outcome_of
{
	my ($sql, $ordered) = @_;
	my $types = $session->run("$sql \\gdesc");
	my $rows = $session->run($sql);
	my @rows = split /\n/, $rows->{out};
	@rows = sort @rows unless $ordered;
	return ($rows->{message}, join "\n", $types->{out} =~ s/dp_count|dp_sum/?/gr =~ s/^(count|sum)\b/?/gmr, @rows);
}

my (%answered, %refused, @bad);
foreach my $number (1 .. $queries)
{
	my ($query, $ordered) = query();
	my $settings = one(@settings);
	$session->value("RESET ALL; $settings; SET ROLE analyst");
	my ($failed, $native) = outcome_of(over('plain', $query), $ordered);
	next if defined $failed;
	foreach my $table ('open', 'hidden')
	{
		my $sql = over($table, $query);
		my ($message, $private) = outcome_of($sql, $ordered);
		if (defined $message) { ++$refused{"$table: $message"}; next }
		++$answered{$table};
		push @bad, "seed $seed, $number ($settings)\n$sql\nis\n$private\nand not\n$native\n" if $private ne $native;
	}
}
is(join("\n", @bad), '', 'private answers make the same of a query as native aggregates do');
is(join("\n", sort keys %refused), '', 'and refuse none of them');
cmp_ok($answered{$_} // 0, '>', $queries * 0.9, "$_: queries are answered") foreach 'open', 'hidden';
$session->alive('at the end');
$node->stop;
done_testing();
