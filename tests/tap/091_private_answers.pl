# The node between rows and answers. What is below it is executed once, and nothing above it sees a step, a
# count or an order of that; what a query makes of answers is computed above it, for rows that were kept.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('private_answers', 'jit = off', "session_preload_libraries = 'idp'", 'max_parallel_workers = 8');

# Two databases. In the second one person has no row, and another has five more.
my %database = map { $_ => session($node, $_) } map {
	my $name = "world$_";
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	my $change = $_ == 1 ? '' : "DELETE FROM staff WHERE id = 17; "
	  . "INSERT INTO staff SELECT 5000 + i, 'd' || i % 3, 99, 7 FROM generate_series(1, 5) i;";
	my $roles = $_ == 1 ? 'CREATE ROLE keeper; CREATE ROLE analyst;' : '';
	$node->safe_psql($name, <<"SQL");
$roles
GRANT CREATE ON SCHEMA public TO keeper, analyst;
SET ROLE keeper;
CREATE TABLE staff (id int, dept text NOT NULL, salary int, town int) WITH (parallel_workers = 2);
INSERT INTO staff SELECT i, 'd' || i % 3, i, i % 40 FROM generate_series(1, 3000) i;
$change
ANALYZE staff;
SELECT idp.protect('staff', 1e12, 'add_remove', delta => 0.5);
SELECT idp.set_domain('staff', 'dept', ARRAY['d0', 'd1', 'd2', 'd3']);
GRANT SELECT ON staff TO analyst;
CREATE TABLE open (id int, dept text NOT NULL, salary int, town int);
INSERT INTO open TABLE staff;
SELECT idp.protect('open', 1e12, 'add_remove', rows => 'visible');
GRANT SELECT ON open TO analyst;
SET ROLE analyst;
CREATE TABLE seen (what text);
CREATE FUNCTION note(anyelement) RETURNS anyelement LANGUAGE plpgsql VOLATILE AS
  'BEGIN RAISE NOTICE ''% with work_mem % and messages %'', \$1, current_setting(''work_mem''),
    current_setting(''client_min_messages''); RETURN \$1; END';
SQL
	$name;
} 1, 2;
my ($one, $two) = @database{ 'world1', 'world2' };
$_->value('SET ROLE analyst') foreach $one, $two;

# --- EXPLAIN ----------------------------------------------------------------------------------------------

my $quiet = 'ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off';
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
foreach my $case (
	[ 'a count', 'SELECT dp_count(1e9) FROM staff' ],
	[ 'groups of a domain', 'SELECT dept, dp_count(1e9) FROM staff GROUP BY dept' ],
	[ 'expressions over answers', 'SELECT dept, dp_count(1e9) * 0 AS n FROM staff GROUP BY dept ORDER BY n, dept' ],
	[ 'kept groups', 'SELECT town, dp_count(1e9) FROM staff GROUP BY town HAVING dp_keep_group(1e3, 1e-9)' ],
	[ 'grouping sets', 'SELECT dept, dp_count(1e9) FROM staff GROUP BY ROLLUP (dept)' ],
	[ 'in a subquery and a window', 'SELECT dept, n * 0, row_number() OVER (ORDER BY dept) '
		  . 'FROM (SELECT dept, dp_count(1e9) AS n FROM staff GROUP BY dept) s' ],
	[ 'a median', 'SELECT idp_median(salary, 1e9) FROM staff WHERE salary < 2000' ],
	[ 'in an initial plan', 'SELECT (SELECT dp_count(1e9) FROM staff) IS NOT NULL' ],
	[ 'over a CTE', 'WITH c AS MATERIALIZED (SELECT * FROM staff WHERE salary < 2000) SELECT dp_count(1e9) FROM c' ],
	[ 'over a CTE that is read twice', 'WITH c AS (SELECT * FROM staff WHERE salary < 2000) SELECT dp_count(1e9) '
		  . 'FROM c UNION ALL SELECT dp_count(1e9) FROM c' ],
	[ 'over a CTE of a CTE', 'WITH b AS MATERIALIZED (SELECT * FROM staff), c AS MATERIALIZED (SELECT * FROM b '
		  . 'WHERE salary < 2000) SELECT s.n IS NULL FROM (SELECT dp_count(1e9) AS n FROM c) s' ],
	[ 'in a CTE', 'WITH c AS MATERIALIZED (SELECT dept, dp_count(1e9) AS n FROM staff GROUP BY dept) '
		  . 'SELECT a.dept, a.n = b.n FROM c a JOIN c b USING (dept)' ],)
{
	my ($name, $query) = @$case;
	foreach my $settings ('RESET ALL', $parallel)
	{
		$_->value("$settings; SET ROLE analyst") foreach $one, $two;
		# catalogs are in memory from then on
		foreach (1 .. 2)
		{
			$_->run("EXPLAIN ($quiet) $query") foreach $one, $two;
		}
		my @shown = map { $_->run("EXPLAIN ($quiet) $query") } $one, $two;
		is($shown[0]->{message}, undef, "$name: EXPLAIN ANALYZE is answered");
		is($shown[0]->{out}, $shown[1]->{out}, "$name: and the same whatever one person's rows are") ;
		like($shown[0]->{out}, qr/Custom Scan \(PrivateAnswers\).*Answer: /s, "$name: one step says what is asked");
		unlike($shown[0]->{out}, qr/Seq Scan|Index|Gather|Worker|Group Key/,
			"$name: nothing is shown of what is below");
		like($one->value("EXPLAIN $query"), qr/Answer: .*epsilon .*, costs \S+.* of table staff/,
			"$name: EXPLAIN tells the cost");
	}
}
$_->value('RESET ALL; SET ROLE analyst') foreach $one, $two;
my $before = spent($one, 'staff');
$one->value('EXPLAIN (ANALYZE) SELECT dept, dp_count(2) FROM staff GROUP BY dept');
is(spent($one, 'staff') - $before, 2, 'EXPLAIN ANALYZE is charged as the query is');
$before = spent($one, 'staff');
$one->value('EXPLAIN SELECT dept, dp_count(2) FROM staff GROUP BY dept');
is(spent($one, 'staff') - $before, 0, 'EXPLAIN costs nothing');
$one->value('RESET ROLE');
like($one->value('EXPLAIN SELECT dept, dp_count(2) FROM staff GROUP BY dept'),
	qr/PrivateAnswers.*Answer: dp_count.*Aggregate.*Seq Scan/s, 'who is exempt sees the steps below');
like($one->value('EXPLAIN (FORMAT json) SELECT dp_count(2), dp_sum(salary, 1, 0, 9) FROM staff'),
	qr/"Answers": \["dp_count: discrete Laplace.*", "dp_sum: /, 'in other formats, as a list');
$one->value('SET ROLE analyst');
unlike($one->value('EXPLAIN SELECT count(*) FROM seen'), qr/PrivateAnswers/, 'other queries have no such node');

# --- what a query makes of its answers --------------------------------------------------------------------

# A function of the analyst's sees answers, and the settings of the session.
$_->value("SET work_mem = '3MB'") foreach $one, $two;
foreach my $query ('SELECT note(dp_count(1e9) * 0) FROM staff',
	'SELECT dept, dp_count(1e9) * 0 FROM staff GROUP BY dept HAVING note(dp_count(1e9) * 0) = 0',
	'SELECT dept, note(dept) FROM staff GROUP BY dept HAVING dp_count(1e9) IS NOT NULL ORDER BY 1')
{
	my @r = map { $_->run($query) } $one, $two;
	like($r[0]->{err}, qr/with work_mem 3MB and messages notice/,
		"$query: is told to, with the settings of the session");
	my @told = map { "$_->{out}\n" . $_->{err} =~ s{stdin>:\d+}{stdin>}gr } @r;
	is($told[0], $told[1], "$query: and tells nothing");
}
$_->value('RESET work_mem') foreach $one, $two;
# Of groups that are not kept nothing is left to look at: here none is.
my $r =
  $one->run('SELECT note(town) FROM staff GROUP BY town HAVING dp_keep_group(1e-9, 1e-15) AND note(dp_count(1)) > 0');
is("$r->{out}|$r->{err}", '|', 'what is computed of answers is computed for kept groups alone');

# Columns of grouping sets that are not told apart by how they look: NULL is of the one that is left out.
$one->value('\pset null NULL');
is($one->value("SELECT * FROM (SELECT 'x' AS k, dp_count(1e9) > 0 FROM staff GROUP BY ROLLUP (k) "
	  . "HAVING dp_keep_group(1e3, 1e-9) OFFSET 0) s ORDER BY k"), "x|t\nNULL|t",
	'a constant that grouping sets leave out');
is($one->value('SELECT x, y, x + 1, dp_count(1e9) > 0 FROM (SELECT town AS x, town AS y FROM open WHERE town = 3) s '
	  . 'GROUP BY ROLLUP (x, y) ORDER BY grouping(x, y)'), "3|3|4|t\n3|NULL|4|t\nNULL|NULL|NULL|t",
	'one of two equal columns that grouping sets leave out');
$one->value('\pset null');

# A row of answers has as many columns as one of a table: that is known before anything is paid.
costs($one, 'open', 0, 'too many answers', sub {
	my $many = join ' + ', map { "dp_count(${_}e-9) + dp_sum(id, ${_}e-9, 0, 9)" } 1 .. 900;
	is($one->run("SELECT $many FROM open")->{sqlstate}, '54011', 'too many answers for one row are refused') });

# --- one draw ---------------------------------------------------------------------------------------------

# Two draws at 1e-12 are the same once in 4e12 runs.

foreach my $case (
	[ 'a function of several answers', 'SELECT count(DISTINCT n) '
		  . 'FROM (SELECT n FROM (SELECT dp_count(1e-12) AS n FROM staff) a, generate_series(1, 9)) q', 1 ],
	[ 'a nested loop', 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; '
		  . 'SELECT count(DISTINCT n) FROM generate_series(1, 9) g '
		  . 'LEFT JOIN (SELECT dp_count(1e-12) AS n FROM staff) s ON s.n + g IS NOT NULL', 1 ],
	[ 'a subquery for each row', 'SELECT count(DISTINCT n) '
		  . 'FROM (SELECT (SELECT dp_count(1e-12) FROM staff OFFSET g * 0) AS n FROM generate_series(1, 9) g) q', 1 ],
	[ 'a hidden table read by two', 'SELECT count(DISTINCT n) '
		  . 'FROM (SELECT dp_count(1e-12) AS n FROM staff UNION ALL SELECT dp_count(1e-12) FROM staff) q', 2 ],)
{
	my ($name, $query, $draws) = @$case;
	costs($one, 'staff', "0.00000000000$draws", $name,
		sub { is((split /\n/, $one->value($query))[-1], $draws, "$name: as many draws as are charged") });
	$one->value('RESET ALL; SET ROLE analyst');
}
my $correlated = $one->run('SELECT (SELECT dp_count(1) FROM open WHERE open.town = g) FROM generate_series(1, 9) g');
like($correlated->{message}, qr/^dp_count of protected table "open" cannot be computed over .*outer query/,
	'answers for each row of another query are refused by name');

# A row that another session changes meanwhile has its query looked at again: there are no second answers.
$one->value('RESET ROLE; CREATE TABLE mine (id int, n bigint); INSERT INTO mine VALUES (1, 0)');
my $other = session($node, 'world1');

sub changed_meanwhile
{
	my ($update) = @_;
	$other->value('UPDATE mine SET n = 0; BEGIN; UPDATE mine SET n = -1');
	$one->start($update);
	wait_until($other, 'count(*) > 0 FROM pg_locks WHERE NOT granted');
	$other->value('COMMIT');
	return $one->finish;
}
costs($one, 'open', 1, 'joined to a row that was changed', sub {
	is(changed_meanwhile('UPDATE mine SET n = s.n FROM (SELECT dp_count(1) AS n FROM open) s WHERE id = 1')->{message},
		undef, 'joined to a row that was changed: the answers that were drawn') });
cmp_ok($one->value('SELECT n FROM mine'), '>', 2000, 'joined to a row that was changed: they are there');
my $looked = changed_meanwhile('UPDATE mine SET n = 5 WHERE id NOT IN (SELECT dp_count(1) FROM open)');
like($looked->{message} // '', qr/^private answers cannot be computed again for a row that was changed/,
	'answers are not drawn again for a row that was changed');
$one->alive('after that');

# --- the order of groups ----------------------------------------------------------------------------------

# By their keys, of each type, NULL last; whatever order rows came in.
$one->value('SET ROLE analyst');
is($one->value('SELECT town % 4 FROM staff GROUP BY town % 4 HAVING dp_keep_group(1e3, 1e-9) '
	  . 'AND dp_count(1) IS NOT NULL'), "0\n1\n2\n3", 'groups come in the order of their keys');
like($one->value('EXPLAIN SELECT dept, dp_count(2) FROM staff GROUP BY dept'), qr/^Custom Scan/,
	'without a step that sorts rows');
$one->value('RESET ROLE');
like($one->value('EXPLAIN SELECT dept, dp_count(2) FROM staff GROUP BY dept'), qr/HashAggregate/,
	'groups of hidden rows may be hashed');

# --- plans that were made before --------------------------------------------------------------------------

$one->value('CREATE TABLE later AS TABLE open');
$one->value('PREPARE p AS SELECT dp_count(1) FROM later; EXECUTE p');
$one->value("SELECT idp.protect('later', 5, 'add_remove', rows => 'visible')");
costs($one, 'later', 1, 'a plan that was made before its table was protected', sub {
	is($one->run('EXECUTE p')->{message}, undef, 'a plan that was made before its table was protected: answered')
});

$_->alive('at the end') foreach $one, $two;
$node->stop;
done_testing();
