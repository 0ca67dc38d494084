# Random questions of an analyst about hidden tables: most of them ones that are answered, and the others
# mostly with one thing in them that is not. FuzzWorlds makes the tables, FuzzStatements makes statements of them.
package FuzzGrammar;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use FuzzExpressions qw(one_of maybe wild grow_wild scope expression value condition one_row number_of_rows @types);
our @EXPORT_OK = qw(query of_groups of_one_row of_steps of_kept_groups relation);

# What everybody knows, and what is hidden: with the columns of t.
my @hidden = (qw(t t t t v vs part part part_1 bare), 'all_of_t()', 'all_of_v()');
sub relation { return one_of(@hidden, @hidden, 'p') }

# --- private aggregates -----------------------------------------------------------------------------------

my %bounds = (int => '0, 100', float => '0, 90000', num => '0, 50', big => '0, 1000',
	date => "date '1980-01-01', date '1981-01-01'", real => '0::real, 10::real');

sub answer
{
	my ($scope) = @_;
	my $type = one_of(qw(int int float num big date));
	my $number = one_of(qw(int int float num big));
	my $text = one_of(
		sub { 'dp_count(0.1)' },
		sub { 'dp_count(0.1)' },
		sub { "dp_sum(" . maybe(0.1, 'DISTINCT ') . value($number, $scope) . ", 0.1, $bounds{$number})" },
		sub {
			one_of('dp_avg', 'dp_variance', 'dp_stddev', 'idp_sum', 'idp_avg') . '(' . value($number, $scope)
			  . ", 0.1, $bounds{$number})"
		},
		sub { one_of('dp_median', 'dp_min', 'dp_max') . '(' . value($type, $scope) . ", 0.1, $bounds{$type})" },
		sub { 'idp_median(' . value($type, $scope) . ', 0.1)' },
		sub { one_of('idp_kth_largest', 'idp_kth_smallest') . '(' . value($type, $scope) . ', 0.1, 2)' },
		sub { 'dp_count_distinct(' . value(one_of('text', 'int', 'date', 'num'), $scope) . ', 0.1)' },
		sub { "dp_histogram(" . value($number, $scope) . ", 0.1, $bounds{$number}, 4)" },
		sub { 'dp_mode(' . value('text', $scope) . ", 0.1, ARRAY['Oslo', 'Rome'])" },
		sub { 'dp_count(0.1 ORDER BY ' . value('int', $scope) . ')' },
		sub {
			"dp_sum(" . value('int', $scope) . ', 0.1, 0, 100 ORDER BY ' . value(one_of('int', 'text', 'date'), $scope)
			  . ')'
		})->();
	return $text . maybe(0.15, ' FILTER (WHERE ' . condition($scope) . ')');
}

# One that may be NULL for some rows and not for others only as its epsilon allows: of the idp_ aggregates
# that follows from their local sensitivity.
sub dp_answer { my ($scope) = @_; while (1) { my $answer = answer($scope); return $answer if $answer =~ /^dp_/ } }

# What is no answer.
sub native
{
	my ($scope) = @_;
	return one_of('count(*)', 'count(DISTINCT ' . value('int', $scope) . ')', one_of('max', 'min', 'sum') . '('
		  . value('int', $scope) . ')', "string_agg(" . value('text', $scope) . ", ',')", 'idp.combine(NULL, NULL)');
}

sub answers
{
	my ($scope) = @_;
	my @answers = map { answer($scope) } 1 .. one_of(1, 1, 1, 2);
	$answers[0] = native($scope) if wild(0.15);
	if (rand() < 0.08)
	{
		my $answer = dp_answer($scope);
		$answers[0] = one_of("$answer IS NULL", "coalesce(${answer}::text, 'none')",
			"CASE WHEN $answer IS NULL THEN 1 / (random() * 0)::int ELSE 1 END");
	}
	return join ', ', @answers;
}

# Tables that everybody knows, beside rows whose columns are known: on a unique key, unless wild.
sub public_join
{
	my ($scope) = @_;
	my ($table, $key, $type) =
	  @{ one_of([ 'departments', 'id', 'int' ], [ 'departments', 'name', 'text' ], [ 'nations', 'id', 'int' ]) };
	($table, $key, $type) = ('doubled', 'id', 'int') if wild(0.3);
	my @fit = grep { $_->[1] eq $type } @$scope;
	return ('', @$scope) unless @fit;
	my $mine = rand() < 0.8 ? one_of(@fit)->[0] : expression($type, $scope, 1);
	my @both = (@$scope, scope('d', $table));
	return (one_of(' JOIN ', ' LEFT JOIN ') . "$table d ON d.$key = $mine" . maybe(0.5, ' AND ' . condition(\@both)),
		@both);
}

sub public_condition
{
	my ($scope) = @_;
	my $table = one_of('departments', 'nations', 'doubled');
	my $mine = expression('int', $scope, one_of(0, 0, 1));
	return one_of("EXISTS (SELECT FROM $table e WHERE e.id = $mine" . maybe(0.3, ' AND e.name <> '
		  . value('text', $scope)) . ')', "NOT EXISTS (SELECT FROM $table e WHERE e.id = $mine)",
		"$mine IN (SELECT id FROM $table)", "$mine NOT IN (SELECT id FROM $table)");
}

sub where
{
	my ($scope) = @_;
	return maybe(0.65, ' WHERE ' . one_of((sub { condition($scope) }) x 5, sub { public_condition($scope) })->());
}

# --- questions about a table of which each row is for itself ----------------------------------------------

sub of_rows
{
	my $relation = relation();
	my @scope = scope('a', 't');
	my $join = '';
	($join, @scope) = public_join(\@scope) if rand() < 0.2;
	my $text = "FROM $relation a$join" . where(\@scope);
	return "SELECT " . answers(\@scope) . " $text" if rand() < 0.9;
	return "SELECT " . answers(\@scope) . " FROM (SELECT a.*, " . value('int', \@scope) . " AS more $text OFFSET 0) a";
}

# About the row, or the person, that may differ: what is done only where it is there.
sub of_one_row
{
	my ($rows, @scope) = rand() < 0.7 ? (relation(), scope('a', 't')) : unit_rows();
	my $one = $rows !~ /^\(|customers/ ? one_row('a')
	  : 'a.' . ((grep { $_->[0] eq 'a.customer' } @scope) ? 'customer' : 'id') . ' = 7';
	my $time = one_of('least(' . expression('ts', \@scope, one_of(0, 0, 1)) . ", timestamp '2000-01-01')",
		expression('tz', \@scope, one_of(0, 0, 1)));
	my $where = 'WHERE ' . join ' AND ', $one, map { maybe(0.7, $_) || () }
	  one_of(condition(\@scope), '(' . value('text', \@scope) . ") <> 'x'", "to_char($time, 'TMDay TMMonth') <> 'x'");
	return 'SELECT ' . answers(\@scope) . " FROM $rows a $where" if rand() < 0.6;
	my $key = one_of(map { $_->[1] eq 'int' ? $_->[0] : () } @scope);
	return "SELECT $key AS key0, dp_count(0.1) FROM $rows a $where GROUP BY $key "
	  . "HAVING dp_keep_group(0.1, 0.000000001)";
}

# Steps of a plan that fail by themselves, or evaluate expressions beside those of joins and conditions:
# LIMIT, windows that end early, partitions that are left out, rows of a subquery for each row.
sub of_steps
{
	my @scope = scope('a', 't');
	my $column = 'a.' . one_of('age', 's', 'huge', 'id', 'id');
	my $number = expression('int', \@scope, one_of(1, 1, 2));
	my $step = one_of(
		sub {
			' JOIN (SELECT * FROM departments' . maybe(0.5, ' ORDER BY id') . ' ' . one_of('LIMIT', 'OFFSET') . ' '
			  . number_of_rows() . ") l ON l.id = $column"
		},
		(sub {
			", LATERAL (SELECT d.id FROM departments d WHERE d.id = $column " . one_of('LIMIT', 'OFFSET') . ' '
			  . one_of(number_of_rows(), $number, 'CASE WHEN a.id = 37 THEN -1 ELSE 1 END', 'CASE WHEN '
				  . one_row('a') . ' THEN -1 ELSE 1 END') . ') l'
		}) x 2,
		(sub {
			", LATERAL (SELECT id FROM (SELECT id, " . one_of('row_number()', 'rank()', 'dense_rank()', 'count(*)')
			  . " OVER (ORDER BY id) AS r FROM known WHERE id = " . one_of($column, 'a.id') . ') z WHERE r <= '
			  . (wild(0.5) ? 'told(a.id)' : one_of($number, expression('big', \@scope, 1))) . ' OFFSET 0) l'
		}) x 3,
		(sub {
			' JOIN departments l ON l.id = a.' . one_of('id', 'id', 'id', 's', 'age') . ' AND '
			  . (wild(0.5) ? 'told(a.id + l.size) > 0'
				  : one_of("$number <> l.size", condition([ @scope, scope('l', 'departments') ])))
		}) x 3,
		sub { one_of(' JOIN', ' LEFT JOIN') . " ranges l ON l.k = " . one_of($column, $number) },
		sub { ', LATERAL (SELECT id FROM known WHERE id = ' . one_of($column, $number) . ' OFFSET 0) l' },
		sub { ", LATERAL (VALUES ($number)) l (id)" },
		(sub { '' }) x 3)->();
	my $where = join ' AND ', (map { rand() < 0.4 ? $_ : () } one_row('a'), condition(\@scope)),
	  maybe($step ? 0.3 : 1, one_of('', 'NOT ') . "EXISTS (SELECT FROM ranges r WHERE r.k = $number)") || ();
	return 'SELECT ' . one_of('dp_count(0.1)', answer(\@scope)) . ' FROM ' . relation() . " a$step"
	  . ($where ? " WHERE $where" : '');
}

# --- groups: their keys, and their order ------------------------------------------------------------------

# Each row of a table that everybody knows, with an answer.
sub of_public_groups
{
	my @of_t = scope('a', 't');
	my ($table, $key, $hidden, $column, @columns) = @{ one_of(
		[ 'departments', 'id', relation(), one_of('age', 'id', 's'), @of_t ],
		[ 'departments', 'name', relation(), one_of('city', 'extra'), @of_t ],
		(map { [ 'known', 'id', $_, one_of('age', 'id', 'id', 's', 'huge'), @of_t ] } relation(), 'bare'),
		[ 'known', 'name', relation(), 'extra', @of_t ],
		[ 'nations', 'id', 'customers', 'nation', scope('a', 'customers') ],
		[ 'known', 'id', 'customers', one_of('age', 'id'), scope('a', 'customers') ], of_public_persons()) };
	my @scope = (@columns, scope('d', $table));
	my $by = one_of('d.id', 'd.name', 'd.id, d.name', 'd.name, d.id', $table eq 'departments'
		  ? ('d.name, d.size', ('d.rate') x 4, 'd.size') : $table eq 'nations' ? 'd.name, d.region' : ());
	$key = 'size' if $table eq 'departments' && wild(0.2);
	$by = one_of("a.$column", "d.id, a.$column", 'ROLLUP (d.id)', 'upper(d.name)') if wild(0.3);
	my $keys = $by =~ /ROLLUP/ ? 'd.id AS key1'
	  : join ', ', map { my $n = $_; (split /, /, $by)[$n] . " AS key$n" } 0 .. ($by =~ tr/,//);
	my $answer = one_of('dp_count(0.1) FILTER (WHERE a.id IS NOT NULL)', 'dp_count_distinct(a.id, 0.1)',
		answer(\@columns), 'dp_avg(' . value('int', \@columns) . ', 0.1, 0, 100) FILTER (WHERE a.id IS NOT NULL)');
	my $text = one_of("FROM $table d LEFT JOIN $hidden a ON a.$column = d.$key",
		"FROM $hidden a RIGHT JOIN $table d ON d.$key = a.$column");
	return "SELECT $keys, $answer $text" . maybe(0.4, ' AND ' . condition(\@columns))
	  . maybe(0.1, ' WHERE ' . condition(one_of(\@scope, [ scope('d', $table) ]))) . " GROUP BY $by" . maybe(0.06,
		" HAVING " . one_of(dp_answer(\@columns) . ' IS NULL', 'min(d.id) > 20', 'count(*) > 0', 'max(a.id) > 3'))
	  . maybe(0.2, ' ORDER BY 1');
}

# What is made of the rows of each person, by one of its whole numbers.
sub of_public_persons
{
	my ($rows, @scope) = unit_rows();
	my @fit = map { $_->[1] eq 'int' && $_->[0] =~ /^a\.(\w+)$/ ? $1 : () } @scope;
	return [ 'known', 'id', $rows, one_of(@fit), @scope ];
}

# Groups of columns with domains.
sub of_domains
{
	my ($table, @columns) =
	  @{ one_of([ 't', 'city', 'id', 'flag' ], [ 'part', 'age', 'flag' ], [ 'customers', 'nation', 'age' ]) };
	my @scope = scope('a', $table eq 'customers' ? $table : 't');
	my @keys = map { [ "a.$_", /city/ ? 'text' : /flag/ ? 'bool' : 'int' ] } @columns;
	my @by = map { rand() < 0.6 ? one_of(@keys)->[0] : value(one_of('int', 'text', 'bool'), \@keys) }
	  1 .. one_of(1, 1, 2);
	$by[0] = value(one_of('int', 'text', 'bool'), \@scope) if wild(0.3);
	my $by = join ', ', @by;
	my $keys = join ', ', map { "$by[$_] AS key$_" } 0 .. $#by;
	return one_of("SELECT DISTINCT $keys FROM $table a", "SELECT $keys FROM $table a "
		  . "GROUP BY $by") =~ s/(FROM $table a)/$1 . maybe(0.5, ' WHERE ' . condition(wild(0.3) ? \@scope : \@keys))/er
	  . maybe(0.2, ' ORDER BY 1') . maybe(0.2, ' LIMIT 3') if rand() < 0.25;
	return "SELECT $keys, " . answers(\@scope) . " FROM $table a" . where(\@scope) . ' GROUP BY ' . one_of($by, $by,
		$by, "ROLLUP ($by)", "CUBE ($by)") . maybe(0.1, ' HAVING ' . condition(\@keys)) . maybe(0.2, ' ORDER BY 1');
}

# Groups of columns of tables that everybody knows, joined on a unique key.
sub of_public_keys
{
	my ($rows, @scope) = @{ one_of([ 't', scope('a', 't') ], [ 'v', scope('a', 't') ], [ 'part', scope('a', 't') ],
		[ unit_rows() ], [ 'customers', scope('a', 'customers') ]) };
	my ($table, $key, $type, @columns) =
	  @{ one_of([ 'departments', 'id', 'int', qw(id name size) ], [ 'departments', 'name', 'text', qw(id name) ],
		[ 'nations', 'id', 'int', qw(id name region) ], [ 'known', 'id', 'int', qw(id name) ]) };
	my @fit = map { $_->[1] eq $type ? $_->[0] : () } @scope;
	my $mine = @fit ? one_of(@fit) : expression($type, \@scope, 1);
	my @public = scope('d', $table);
	my @by = map { 'd.' . one_of(@columns) } 1 .. one_of(1, 1, 2);
	push @by, one_of('upper(d.name)', grep { /^a[.](city|flag|nation)$/ } map { $_->[0] } @scope) if rand() < 0.3;
	push @by, value(one_of('int', 'text'), \@scope) if wild(0.3);
	my $by = join ', ', @by;
	my $where = maybe(0.5, ' WHERE ' . condition(one_of(\@public, \@scope, [ @scope, @public ])));
	return 'SELECT ' . join(', ', map { "$by[$_] AS key$_" } 0 .. $#by) . ', '
	  . answers(\@scope) . " FROM $rows a JOIN $table d ON d.$key = $mine" . maybe(0.3, ' AND ' . condition(\@public))
	  . "$where GROUP BY " . one_of($by, $by, "ROLLUP ($by)") . maybe(0.2, ' ORDER BY 1');
}

# Groups that are decided about: few, or large ones that are always kept.
sub of_kept_groups
{
	return of_large_groups() if rand() < 0.4;
	my ($rows, @scope) = rand() < 0.6 ? (relation(), scope('a', 't')) : unit_rows();
	my $keep = "dp_keep_group(0.1, 0.000000001)";
	my $by = one_of((map { $_->[0] } @scope), value(one_of(@types), \@scope), 'GROUPING SETS ((' . one_of(@scope)->[0]
		  . '), (' . one_of(@scope)->[0] . '))', 'ROLLUP (' . one_of(@scope)->[0] . ')');
	my $key = $by =~ /^(GROUPING|ROLLUP)/ ? '1' : $by;
	my $having = maybe(0.85, " HAVING $keep" . maybe(0.3, ' AND '
		  . one_of("$keep", dp_answer(\@scope) . ' IS NOT NULL', 'count(*) > 1', condition([ [ $key, 'int' ] ]))));
	return "SELECT " . one_of($key, $key, answers(\@scope), "$key, " . answers(\@scope), "$key, $keep")
	  . " FROM $rows a" . where(\@scope) . " GROUP BY $by$having";
}

sub of_large_groups
{
	my ($rows, $by) = @{ one_of([ 't', 'a.city' ], [ 't', 'a.flag' ], [ 't', 'a.m' ], [ 't', 'a.flag, a.city' ],
		[ 'v', 'a.id % 4' ], [ 't', 'a.n > 9' ], (map {
			[ 't', "CASE WHEN $_ THEN "
				  . one_of('1.0 ELSE 1.00', "interval '24 hours' ELSE interval '1 day'") . ' END' ]
		} one_row('a'), ('a.id = 37') x 3), [ 'customers', 'a.nation > 3' ], [ 'customers', 'a.id % 2' ]) };
	my @by = split /, /, $by;
	return 'SELECT ' . join(', ', map { "$by[$_] AS key$_" } 0 .. $#by)
	  . maybe(0.5, ', dp_count(0.1)') . " FROM $rows a"
	  . maybe($rows eq 't' ? 0.5 : 0, ' WHERE a.id >= 37') . " GROUP BY $by HAVING dp_keep_group(5, 0.0001)";
}

sub of_groups { return one_of((\&of_public_groups) x 3, \&of_domains, \&of_kept_groups)->() }

# --- questions about persons with many rows ---------------------------------------------------------------

my @of_group = (
	[ 'count(*)', 'big' ], [ 'count({text})', 'big' ], [ 'count(DISTINCT {int})', 'big' ], [ 'sum({int})', 'big' ],
	[ 'max({num})', 'num' ], [ 'min({date})', 'date' ], [ 'max({text})', 'text' ], [ 'avg({int})', 'num' ],
	[ 'bool_or({bool})', 'bool' ], [ 'every({bool})', 'bool' ], [ 'sum(({num})::numeric(12,2))', 'num' ],
	[ 'bit_and({int})', 'int' ], [ 'max({int} ORDER BY {int})', 'int' ], [ 'stddev({int})', 'num' ]);
my @of_group_wild = ([ 'sum({num})', 'num' ], [ "string_agg({text}, ',')", 'text' ], [ '(array_agg({int}))[1]', 'int' ],
	[ 'sum({float})', 'float' ], [ 'percentile_disc(0.5) WITHIN GROUP (ORDER BY {int})', 'int' ],
	[ 'variance({num})', 'num' ]);

sub of_group
{
	my ($scope) = @_;
	my ($form, $type) = @{ one_of(wild(0.2) ? @of_group_wild : @of_group) };
	$form =~ s/\{(\w+)\}/value($1, $scope)/ge;
	return ($form . maybe(0.15, ' FILTER (WHERE ' . condition($scope) . ')'), $type);
}

# The rows of orders, with those of other tables of the person, and of what everybody knows.
sub all_rows
{
	my @scope = scope('o', 'orders');
	my $from = 'orders o';
	if (rand() < 0.25) { $from .= ' JOIN items i ON i."order" = o.id'; push @scope, scope('i', 'items') }
	if (rand() < 0.2)
	{
		$from .= one_of(' JOIN ', ' LEFT JOIN ') . 'customers p ON p.id = o.customer';
		push @scope, scope('p', 'customers');
	}
	if (rand() < 0.15) { my $join; ($join, @scope) = public_join(\@scope); $from .= $join }
	return ($from . where(\@scope), @scope);
}

sub grouped
{
	my ($from, @scope) = all_rows();
	my ($one, $first) = of_group(\@scope);
	my ($two, $second) = of_group(\@scope);
	my $having = maybe(0.35, ' HAVING '
		  . one_of('count(*) > 2', "$one IS NOT NULL", expression('bool', [ [ $one, $first ], [ $two, $second ] ], 1)));
	my $by = wild(0.15) ? one_of('o.customer / 2', 'o.qty', 'o.customer, o.qty') : 'o.customer';
	return ("(SELECT " . ($by =~ /,/ ? 'o.customer' : $by)
		  . " AS id, $one AS x, $two AS y FROM $from GROUP BY $by$having)", scope('a', "id int, x $first, y $second"));
}

sub unit_rows
{
	my $order = one_of('day, id', 'day DESC, id', 'qty, id DESC', 'id',
		expression('int', [ scope('z', 'orders') ], 1) . ', id');
	$order =~ s/\bz\.//g;
	$order = 'day' if wild(0.2);
	my $window = "OVER (PARTITION BY customer ORDER BY $order)";
	my @orders = scope('a', 'orders');
	return one_of(
		(sub { ('customers', scope('a', 'customers')) }) x 2,
		(\&grouped) x 4,
		sub {
			my ($x, $type) = of_group([ scope('o', 'orders') ]);
			("(SELECT c.id, c.age, $x AS x FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.id"
				  . maybe(0.3, ', c.name') . ')', scope('a', "id int, age int, x $type"))
		},
		sub {
			("(SELECT DISTINCT ON (customer) * FROM orders z"
				  . where([ scope('z', 'orders') ]) . " ORDER BY customer, $order)", @orders)
		},
		(sub {
			("(SELECT * FROM (SELECT *, " . one_of("row_number() $window AS r", "row_number() $window AS r, "
				  . "lag(qty) $window AS before", "row_number() $window AS r, sum(qty) $window AS before")
				  . " FROM orders) z WHERE r <= " . one_of(1, 2, 2, 3) . ')', @orders, [ 'a.r', 'big' ])
		}) x 2,
		sub {
			("(SELECT customer AS id, day AS x FROM (SELECT *, dense_rank() OVER (PARTITION BY customer ORDER BY day) "
				  . "AS r FROM orders) z WHERE r <= 2 GROUP BY customer, day)", scope('a', 'id int, x date'))
		},
		sub {
			("(SELECT id, age AS x FROM customers UNION ALL SELECT customer, max(qty) FROM orders GROUP BY customer)",
				scope('a', 'id int, x int'))
		},
		sub {
			("(SELECT c.id, c.age AS x, g.y FROM customers c " . one_of('', 'LEFT ')
				  . "JOIN (SELECT customer, count(*) AS y FROM orders GROUP BY customer) g ON g.customer = c.id)",
				scope('a', 'id int, x int, y big'))
		},
		sub {
			("(SELECT * FROM customers c WHERE " . one_of('', 'NOT ')
				  . 'EXISTS (SELECT FROM orders o WHERE o.customer = c.id AND ' . condition([ scope('o', 'orders') ])
				  . '))', scope('a', 'customers'))
		},
		sub { ("(SELECT customer AS id, qty AS x FROM orders)", scope('a', 'id int, x int')) })->();
}

sub of_units
{
	my ($rows, @scope) = unit_rows();
	my $join = '';
	($join, @scope) = public_join(\@scope) if rand() < 0.15;
	return 'SELECT ' . answers(\@scope) . " FROM $rows a$join" . where(\@scope);
}

# --- anything, little of which is answered ----------------------------------------------------------------

sub of_anything
{
	my ($depth) = @_;
	grow_wild();
	my @scope = scope('a', 't');
	my $from = relation() . ' a';
	my $aggregate = sub { return rand() < 0.7 ? dp_answer(\@scope) : native(\@scope) };
	$from = "(SELECT a.* FROM $from"
	  . maybe(0.5, one_of(' ORDER BY age', ' LIMIT 5', ' OFFSET 1', ' WHERE random() < 2')) . ') a' if rand() < 0.15;
	my $other = relation();
	$from .= one_of(" JOIN $other b ON b.id = a.id", " LEFT JOIN $other b ON b.age = a.age",
		" FULL JOIN $other b USING (id)", " CROSS JOIN LATERAL (SELECT * FROM $other b WHERE b.id = a.id) b",
		" LEFT JOIN LATERAL (SELECT * FROM $other b WHERE b.age > a.age LIMIT 1) b ON true", " NATURAL JOIN $other b")
	  if rand() < 0.15;
	$from .= one_of(', generate_series(1, a.age) g', ', (VALUES (1), (2)) g',
		', LATERAL (SELECT ' . answer([ scope('c', 't') ]) . ' FROM ' . relation() . ' c WHERE c.id = a.id) l',
		', departments d', ', customers c') if rand() < 0.1;
	$from .= ' TABLESAMPLE BERNOULLI (100)' if $from =~ /^[tp] a$/ && rand() < 0.05;
	my $where = where(\@scope);
	my $select = rand() < 0.6 ? join ', ', map { $aggregate->() } 1 .. one_of(1, 1, 2)
	  : one_of('a.*', value(one_of(@types), \@scope), '1', 'a.ctid', 'count(*) OVER ()', 'DISTINCT a.age',
		'a.tableoid::regclass', 'a::text', 'generate_series(1, 2)');
	$select .= ', (SELECT ' . $aggregate->() . ' FROM ' . relation() . ' a' . maybe(0.3, ' WHERE a.id = 3') . ')'
	  if rand() < 0.1;
	my $group = maybe(0.25, ' GROUP BY '
		  . one_of('a.age', 'a.city', 'a.m', 'ROLLUP (a.flag)', '()', condition(\@scope)));
	my $rest = maybe(0.05, ' HAVING ' . $aggregate->() . ' IS NULL') . maybe(0.1, ' ORDER BY 1')
	  . maybe(0.1, ' LIMIT ' . one_of(0, 0, 1, '(SELECT count(*) FROM t)'))
	  . maybe(0.05, ' OFFSET ' . one_of(0, '(SELECT max(id) FROM t)')) . maybe(0.03, ' FOR UPDATE');
	my $text = "SELECT $select FROM $from$where$group$rest";
	return one_of("($text) UNION ALL ($text)", "($text) EXCEPT ($text)",
		"(SELECT dp_count(0.1) FROM t) UNION (SELECT count(*) FROM $from)") if rand() < 0.07;
	return "WITH c AS " . maybe(0.5, 'MATERIALIZED ') . '(' . query($depth - 1) . ") SELECT * FROM c"
	  . maybe(0.3, ' LIMIT 0') if $depth > 0 && rand() < 0.08;
	return $text;
}

# What is made of answers is free.
sub of_answers
{
	return one_of(
		sub { 'SELECT * FROM (' . query(0) . ') x, departments d WHERE d.id < 18' },
		sub {
			my ($one, $other) = (of_rows(), of_units());
			"SELECT x::text FROM ($one) x UNION ALL SELECT x::text FROM ($other) x"
		},
		sub {
			'WITH x AS ' . maybe(0.5, 'MATERIALIZED ') . '(' . query(0) . ') SELECT * FROM x UNION ALL SELECT * FROM x'
		},
		sub { 'SELECT d.id AS key0, (SELECT x::text FROM (' . of_rows() . ') x) FROM departments d WHERE d.id < 18' },
		sub { 'SELECT x.* FROM departments d LEFT JOIN LATERAL (' . of_units() . ') x ON true WHERE d.id = 17' },
		sub { 'SELECT * FROM (' . query(0) . ') x LIMIT ' . one_of(0, 1) },
		sub { 'SELECT 1 WHERE EXISTS (' . query(0) . ')' })->();
}

sub query
{
	my ($depth) = @_;
	my $choice = rand();
	return of_rows() if $choice < 0.28;
	return of_units() if $choice < 0.55;
	return of_public_groups() if $choice < 0.65;
	return of_kept_groups() if $choice < 0.71;
	return of_domains() if $choice < 0.75;
	return of_public_keys() if $choice < 0.77;
	return of_steps() if $choice < 0.80;
	return of_answers() if $choice < 0.84 && $depth > 0;
	return of_anything($depth);
}

1;
