# Random queries over tables of units (UnitWorlds): steps in steps, of which many are refused and some are not. Rows
# of units have columns
#
#   k   mostly the key of the unit
#   u   mostly what tells rows apart; of orders and their items also the key of the order
#   a   a number
#   b   a number
#   v   a value, of one type in all of a query: of most of these types equal values may look different
#
# and rows of tables that everybody knows x, y and c (numbers, c is often a constant) and v. The rules of
# extension/query, and the steps that lead to each:
#
#   relations      tables, picked (keys that are equal to parameters), two_keys
#   joins          beside, with_public, for_each, for_each_public, picked, exists,
#                  exists_public, among_public, of_one_level
#   unit_columns   rekeyed, rekeyed_groups: an outer row's columns in rows of others; constants, public_constants
#   groups         grouped, by_value, by_two_keys, by_public, sets_of_groups, distinct, first_row, by_row;
#                  public_groups, public_groupings
#   windows        first_rows, first_values, windowed, ranked_groups, ranked_for_each
#   unit_members   united, united_all, parts, filtered, looked_up, twice, sets_of_rows, public_sets
#   may put NULL   with_public, beside, public_joined (outer joins), public_groups, public_groupings
#   unit_forms     formed, by_value: v in min, max, windows, DISTINCT, GROUP BY, UNION: which of the equal
#                  values is shown
package UnitGrammar;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
our @EXPORT_OK = qw(question);

sub one_of { return $_[ int rand @_ ] }
sub maybe { my ($probability, $text) = @_; return rand() < $probability ? $text : '' }

# The columns that v may be, and their types.
my %types = (c => 'bpchar', f => 'float8', i => 'interval', n => 'numeric', s => 'name COLLATE nd',
	t => 'text COLLATE nd', w => 'integer');
my @kinds = sort keys %types;

# Of the query that is made:
my $kind;     # which column v is
my @outer;    # the names of rows round a LATERAL subquery
my $names;    # how many names there are
my %steps;    # which steps it has

sub name { return 'r' . ++$names }

# A query by one of some steps, [ name, weight, maker of it from the depth below ].
sub step
{
	my ($depth, @choices) = @_;
	my ($name, undef, $make) = @{ one_of(map { ($_) x $_->[1] } @choices) };
	$steps{$name} = 1 if $name;
	return $make->($depth);
}

# --- what everybody knows ---------------------------------------------------------------------------------

sub public;

# HAVING without aggregates: one row of no rows.
sub group_of_no_rows
{
	return 'SELECT ' . (1 + $names % 3) . " AS k, 1 AS u, 1 AS a, 1 AS b, NULL::$types{$kind} AS v FROM "
	  . ($names % 2 ? 'customers' : 'nations') . ' WHERE false HAVING true';
}

my @public_tables = (
	[ codes => 3, sub {
		'SELECT id AS x, wt AS y, ' . one_of('kind', 'kind', '1', 'wt') . " AS c, $kind AS v FROM codes"
		  . one_of('', '_1', '_2', '_1', '_2') . one_of('', ' WHERE kind = 1', ' WHERE kind = 2', ' WHERE wt = 1')
	} ],
	[ codes_united => 2, sub {
		my $f = one_of('', ' WHERE kind = 1', ' WHERE wt = 1');
		"SELECT id AS x, wt AS y, kind AS c, $kind AS v FROM codes_1$f UNION ALL SELECT "
		  . one_of('id', 'id', 'wt') . " AS x, wt AS y, kind AS c, $kind AS v FROM codes_" . one_of(1, 2, 2, 3)
		  . one_of($f, $f, '', ' WHERE kind = 2')
	} ],
	[ heirs => 1, sub {
		'SELECT id AS x, wt AS y, ' . one_of('wt', '1') . " AS c, $kind AS v FROM " . one_of('', 'ONLY ') . 'ancestors'
	} ],
	[ nullable => 2, sub {
		"SELECT a AS x, b AS y, " . one_of('b', '1', 'a') . " AS c, $kind AS v FROM nullable"
		  . one_of('', ' WHERE b = 1', ' WHERE a = 1', ' WHERE b IS NULL')
	} ],
	[ numbers => 1, sub { "SELECT d AS x, e::int AS y, 1 AS c, $kind AS v FROM nullable" } ],

	[ nations => 2,
		sub { 'SELECT id AS x, weight AS y, ' . one_of('1', '1', 'id % 2') . " AS c, $kind AS v FROM nations" } ],
	[ tags => 1, sub { 'SELECT nation AS x, tag AS y, ' . one_of('1', 'tag') . " AS c, $kind AS v FROM tags" } ],
	[ picks => 1, sub { "SELECT x, 0 AS y, 1 AS c, $kind AS v FROM picks" } ],
	[ nothing => 1, sub {
		"SELECT g AS x, " . one_of('1', 'g') . " AS y, 1 AS c, NULL::$types{$kind} AS v FROM generate_series(1, 3) g"
	} ],
	[ values => 1, sub {
		"SELECT column1 AS x, column2 AS y, 2 AS c, NULL::$types{$kind} AS v FROM (VALUES (1, 1), (2, 1), (3, NULL)) l"
	} ]);

my @public = (
	[ public_first_sets => 6, sub {
		my $m = one_of('x, y', 'x', 'x, v', 'x, y, v');
		"SELECT DISTINCT ON (x) x, " . one_of('y, generate_series(1, 2) AS c', 'generate_series(1, 2) AS y, c',
			'unnest(ARRAY[1, 2]) AS y, generate_series(1, 2) AS c') . ", v FROM (" . public($_[0]) . ") f ORDER BY x"
	} ],
	[ public_sets_distinct => 3,
		sub { "SELECT DISTINCT x, y, generate_series(1, 2) AS c, v FROM (" . public($_[0]) . ") f" } ],
	[ public_sets_limit => 3,
		sub { "SELECT x, y, generate_series(1, 2) AS c, v FROM (" . public($_[0]) . ") f ORDER BY x, y LIMIT 3" } ],
	[ public_sets_window => 3, sub {
		"SELECT x, (row_number() OVER (PARTITION BY x ORDER BY y))::int AS y, generate_series(1, 2) AS c, v FROM ("
		  . public($_[0]) . ") f"
	} ],
	[ public_sets_groups => 3, sub {
		"SELECT x, max(y) AS y, generate_series(1, 2) AS c, NULL::$types{$kind} AS v FROM (" . public($_[0])
		  . ") f GROUP BY " . one_of('x', 'x, generate_series(1, 2)', 'x, c')
	} ],
	[ public_first => 2, sub {
		my $o = one_of('x, y, c', 'x, c', 'x, y DESC', 'x, y, c, v');
		"SELECT DISTINCT ON (x) x, y, c, v FROM (" . public($_[0]) . ") f ORDER BY $o"
	} ],
	[ public_first_two => 2,
		sub { "SELECT DISTINCT ON (x, c) x, y, c, v FROM (" . public($_[0]) . ") f ORDER BY x, c, y" } ],
	[ public_cte => 6, sub {
		my $m = one_of('', 'MATERIALIZED ', 'MATERIALIZED ');
		"WITH z AS $m(" . public($_[0]) . ') '
		  . one_of('SELECT x, y, c, v FROM z', 'SELECT x, y, c, v FROM z WHERE x > 0',
			'SELECT DISTINCT x, 1 AS y, 1 AS c, NULL::' . $types{$kind} . ' AS v FROM z', 'SELECT z.x, w.y, z.c, w.v '
			  . 'FROM z LEFT JOIN z w ON w.x = z.x', 'SELECT z.x, w.y, z.c, z.v FROM z JOIN z w ON w.x = z.x',
			'SELECT z.x, z.y, w.x AS c, z.v FROM z JOIN nations n ON n.id = z.x LEFT JOIN z w ON w.x = n.weight')
	} ],
	[ public_ties => 1,
		sub { 'SELECT x, y, c, v FROM (' . public($_[0]) . ') f ORDER BY x FETCH FIRST 2 ROWS WITH TIES' } ],
	[ public_having => 2, sub {
		'SELECT x, max(y) AS y, max(c) AS c, min(v::text)::' . $types{$kind} . ' AS v FROM (' . public($_[0])
		  . ') f GROUP BY x HAVING ' . one_of('count(*) > 0', 'x > 0', 'max(y) > 0')
	} ],
	[ public_windows => 2, sub {
		'SELECT ' . maybe(0.6, 'DISTINCT ') . 'x, max(y) OVER (PARTITION BY x) AS y, '
		  . one_of('c', 'count(*) OVER (PARTITION BY x)::int AS c', 'max(c) OVER (PARTITION BY x) AS c',
			'dense_rank() OVER (ORDER BY x)::int AS c') . ', NULL::' . $types{$kind} . ' AS v FROM (' . public($_[0])
		  . ') f'
	} ],
	[ public_sets => 1, sub {
		'SELECT x, y, c, v FROM (' . public($_[0]) . ') f WHERE x ' . one_of('NOT IN', '> ALL') . ' (SELECT x FROM ('
		  . public($_[0]) . ') g GROUP BY ' . one_of('CUBE (x)', 'ROLLUP (x, y)', 'GROUPING SETS ((x), (x, y))')
		  . ') OR x < (SELECT count(*) FROM (' . public($_[0]) . ') g GROUP BY ())'
	} ],
	[ public_semi => 2, sub {
		'SELECT x, y, c, v FROM (' . public($_[0]) . ') f WHERE '
		  . one_of('x IN', 'y IN', 'c IN', 'x NOT IN') . ' (SELECT x FROM (' . public($_[0]) . ') g)'
	} ],
	[ public_nested => 3, sub {
		'SELECT f.x, g.y, h.c, ' . one_of('f', 'g', 'h') . '.v FROM (' . public($_[0]) . ') f '
		  . one_of('LEFT', 'LEFT', 'RIGHT', 'FULL', '') . ' JOIN ((' . public($_[0]) . ') g '
		  . one_of('LEFT', 'RIGHT', 'FULL', '') . ' JOIN (' . public($_[0]) . ') h ON h.x = g.x) ON '
		  . one_of('g.x = f.x', 'h.x = f.x', 'h.x = f.x AND g.x = f.x')
	} ],
	[ public_lateral => 3, sub {
		'SELECT f.x, g.y, g.c, ' . one_of('f', 'g') . '.v FROM (' . public($_[0]) . ') f '
		  . one_of('LEFT', '') . ' JOIN LATERAL (SELECT ' . one_of('', 'DISTINCT ', 'DISTINCT ON (h.x) ')
		  . one_of('h.x', 'f.x') . ', h.y, ' . one_of('h.c', 'f.c') . ', h.v FROM (' . public($_[0]) . ') h WHERE '
		  . one_of('h.x = f.x', 'h.x = f.y', 'h.c = f.c') . one_of('', ' OFFSET 0', ' OFFSET 0') . ') g ON true'
	} ],
	[ public_aggregate => 1, sub {
		'SELECT max(x) AS x, min(y) AS y, count(*)::int AS c, NULL::' . $types{$kind} . ' AS v FROM (' . public($_[0])
		  . ') f'
	} ],

	[ public_filtered => 1, sub {
		'SELECT x, y, c, v FROM (' . public($_[0]) . ') f WHERE '
		  . one_of('x = 1', 'c = 1', 'y > 1', 'x IS NULL', 'c IS NULL', 'c IS NOT NULL')
	} ],
	[ public_constants => 1, sub {
		'SELECT ' . one_of('1', 'x') . ' AS x, ' . one_of('y', '2') . ' AS y, '
		  . one_of('3', 'x', 'y') . ' AS c, v FROM (' . public($_[0]) . ') f' . maybe(0.3, ' OFFSET 0')
	} ],
	[ public_sets => 5, sub {
		'SELECT ' . one_of('x, y, ' . one_of('generate_series(1, 3)', 'unnest(ARRAY[1, 2, 3])', 'generate_series(1, y)')
			  . ' AS c', one_of('generate_series(1, 3)', 'generate_series(x, x + 1)') . ' AS x, y, c') . ', v FROM ('
		  . public($_[0]) . ') f'
	} ],
	[ public_groups => 3, sub {
		'SELECT x, ' . one_of('min(y)', 'count(*)::int') . ' AS y, ' . one_of('c', 'c', 'grouping(x)', '1')
		  . " AS c, min(v::text)::$types{$kind} AS v FROM (" . public($_[0]) . ') f GROUP BY '
		  . one_of('ROLLUP (x, c)', 'CUBE (x, c)', 'GROUPING SETS ((x), (c))', 'GROUPING SETS ((x, c), ())', 'x, c')
	} ],
	[ public_groupings => 2, sub {
		'SELECT x, y, c, v FROM (' . public($_[0]) . ') f GROUP BY ' . one_of('CUBE (x, c), y, v',
			'GROUPING SETS ((x, v), (y, v), (c, v))', 'ROLLUP (c, y), ROLLUP (x, v)', 'x, y, c, v')
	} ],
	[ public_distinct => 1,
		sub { 'SELECT DISTINCT ' . one_of('', '', 'ON (x) ') . 'x, y, c, v FROM (' . public($_[0]) . ') f' } ],
	[ public_limit => 1, sub { 'SELECT x, y, c, v FROM (' . public($_[0]) . ') f ORDER BY x, y, c LIMIT 2' } ],
	[ public_window => 1,
		sub { 'SELECT x, row_number() OVER (ORDER BY x, y)::int AS y, c, v FROM (' . public($_[0]) . ') f' } ],
	[ public_united => 1, sub {
		'(' . public($_[0]) . ') ' . one_of('UNION ALL', 'UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT') . ' ('
		  . public($_[0]) . ')'
	} ],
	[ public_joined => 5, sub {
		my @c = map { one_of('f', 'g') . ".$_" } qw(y c v);
		'SELECT ' . one_of('f.x', 'g.x', 'coalesce(f.x, g.x)') . " AS x, $c[0], $c[1], $c[2] FROM (" . public($_[0])
		  . ') f ' . one_of(('FULL') x 4, 'LEFT', 'RIGHT', '') . ' JOIN (' . public($_[0]) . ') g ON '
		  . one_of('f.x = g.x', 'f.x = g.y', 'f.c = g.x')
	} ],
	[ public_of_outer => 1, sub {
		my ($depth) = @_;
		return public($depth) unless @outer;
		my $o = one_of(@outer);
		return "SELECT column1 AS x, column2 AS y, $o." . one_of('k', 'b') . " AS c, $o.v FROM "
		  . one_of("(VALUES ($o.k, 1), ($o.a, $o.k)) l",
			"generate_series(1, $o.a) l (column1) CROSS JOIN (SELECT $o.k AS column2) m",
			"unnest(ARRAY[$o.k, $o.a], ARRAY[1, $o.k]) l (column1, column2)") if rand() < 0.3;
		return 'SELECT ' . one_of('f.x', "$o.k", "$o.u") . ' AS x, ' . one_of('f.y', "$o.a", "$o.k") . ' AS y, '
		  . one_of('f.c', "$o.k", "$o.b") . ' AS c, ' . one_of('f.v', "$o.v") . ' AS v FROM (' . public($depth) . ') f'
		  . one_of('', ' OFFSET 0', " WHERE f.x = $o.a OFFSET 0");
	} ]);

sub public { my ($depth) = @_; return step($depth - 1, $depth > 0 && rand() < 0.8 ? @public : @public_tables) }

# --- what units have --------------------------------------------------------------------------------------

sub rows;

my @tables = (
	[ visits_parts => 1, sub {
		my $f = one_of('', '', ' WHERE day = 1');
		"SELECT customer AS k, id AS u, day AS a, length AS b, $kind AS v FROM visits_1$f"
		  . maybe(0.6, " UNION ALL SELECT customer AS k, " . one_of('id', 'id', 'customer')
			  . " AS u, day AS a, length AS b, $kind AS v FROM visits_" . one_of(1, 2, 2) . one_of($f, ''))
	} ],
	[ profiles => 2, sub {
		"SELECT customer AS k, id AS u, day AS a, length AS b, $kind AS v FROM profiles" . one_of('', '_1', '_2')
		  . one_of('', ' WHERE day = 1')
	} ],
	[ profiles_parts => 2, sub {
		my $t = one_of('profiles_1', 'profiles_2');
		"SELECT customer AS k, id AS u, day AS a, length AS b, $kind AS v FROM $t UNION ALL SELECT "
		  . one_of('customer', 'customer', 'id') . " AS k, id AS u, day AS a, length AS b, $kind AS v FROM "
		  . one_of('profiles_1', 'profiles_2', 'profiles')
	} ],

	[ customers => 1, sub { "SELECT id AS k, id AS u, nation AS a, age AS b, $kind AS v FROM customers" } ],
	[ orders => 3, sub { "SELECT customer AS k, id AS u, day AS a, price AS b, $kind AS v FROM orders" } ],
	[ items => 1, sub { "SELECT \"order\" AS k, id AS u, part AS a, quantity AS b, $kind AS v FROM items" } ],
	[ parts => 1, sub { "SELECT customer AS k, id AS u, day AS a, length AS b, $kind AS v FROM visits" } ],
	[ two_keys => 2, sub {
		'SELECT o.customer AS k, ' . one_of('i.id', 'o.id')
		  . " AS u, i.part AS a, o.price AS b, i.$kind AS v FROM items i JOIN orders o ON o.id = i.\"order\""
	} ],
	[ of_customers => 1, sub {
		"SELECT c.id AS k, o.id AS u, c.nation AS a, o.day AS b, o.$kind AS v FROM customers c " . maybe(0.5, 'LEFT ')
		  . 'JOIN orders o ON o.customer = c.id'
	} ]);

# Values of the same type, of which some look the same and some do not if v is equal.
my @same = ('coalesce(v, v)', 'greatest(v, v)', 'CASE WHEN a > 1 THEN v ELSE v END', 'nullif(v, v)');
my %formed = (
	c => [ @same, 'v::char(3)::bpchar', 'v::text::bpchar', 'upper(v)::bpchar' ],
	f => [ @same, 'v + 0', '- v', 'abs(v)', 'v * 2' ],
	i => [ @same, 'v * 1', 'justify_days(v)' ],
	n => [ @same, 'v + 0', '- v', 'v::numeric(12, 2)::numeric', 'round(v, 1)', 'floor(v)', 'trunc(v) * 2',
		'"numeric"(v, -1)' ],
	s => [ @same, 'upper(v)::name', '(v COLLATE "C") COLLATE nd' ],
	t => [ @same, 'upper(v)', "v || ''", '(v COLLATE "C") COLLATE nd' ],
	w => [ @same, 'v + 1' ]);

my @conditions = ("v::text <> 'a'", 'v = v', 'a % 2 = 0', 'b > a', 'k <> 2', 'b BETWEEN 1 AND 3', 'k = 1', 'a = 1',
	'u > 100', 'a IS NOT NULL', 'v IS NOT NULL');

# Which of equal values comes of it depends on what comes first.
sub of_values
{
	my $row = $_[0] // '';
	return one_of("min(${row}v)", "max(${row}v)", "max(${row}v)") . ($kind eq 'n' ? maybe(0.2, ' + sum(0.0)') : '');
}

sub order { return one_of('u', 'u', 'a, u', 'b DESC, u', 'v, u', 'a, v, u', 'u, v', 'v') }
sub bounded { return one_of('r <= 2', 'r < 3', 'r = 1', 'r <= 4', 'r BETWEEN 2 AND 3', '3 >= r', 'r IN (1, 2)') }

# What a subquery compares with the row that it stands beside.
sub compared
{
	my ($inner, $outer) = @_;
	my ($k, $u, $a, $v) = map { "$inner.$_ = $outer.$_" } qw(k u a v);
	return one_of($k, $k, $u, $u, $a, $v, "$k AND $u", "$k AND $v");
}

# Rows that say that they are those of an outer row's unit.
sub rekeyed
{
	my ($depth) = @_;
	$steps{rekeyed} = 1;
	my ($o, $r) = (one_of(@outer), name());
	my $columns = join ', ', map { one_of($r, $o) . ".$_ AS $_" } qw(u a b v);
	return "SELECT $o.k AS k, $columns FROM (" . rows($depth) . ") $r"
	  . one_of('', (" WHERE $r.k = 1") x 3, " WHERE $r.a = 1", ' WHERE ' . compared($r, $o)) . ' OFFSET 0';
}

# Something for each of some rows, with columns of both.
sub for_each
{
	my ($depth) = @_;
	$steps{for_each} = 1;
	my ($o, $l) = (name(), name());
	my $rows = rows($depth);
	push @outer, $o;
	my ($q, $p) = (name(), name());
	my $inner = one_of(
		(sub {
			"SELECT $q.k, " . one_of($q, $p) . ".u, $q.a, $p.b, " . one_of($q, $p) . '.v FROM (' . rekeyed($depth)
			  . ") $q JOIN (" . rows($depth) . ") $p ON $p.k = $q.k WHERE " . compared($p, $o)
		}) x 3,
		sub {
			"SELECT $q.k, $q.u, $q.a, $q.b, $q.v FROM (" . one_of(\&rows, \&rekeyed)->($depth) . ") $q WHERE "
			  . compared($q, $o)
		},
		sub {
			"SELECT $q.k, min($q.u) AS u, max($q.a) AS a, count(*)::int AS b, " . of_values("$q.") . ' AS v FROM ('
			  . rows($depth) . ") $q WHERE " . compared($q, $o) . " GROUP BY $q.k"
		},
		sub {
			"SELECT $o.k, $q.x AS u, $q.y AS a, $q.c AS b, $q.v FROM (" . public($depth) . ") $q WHERE "
			  . one_of("$q.x = $o.a", "$q.x = $o.k", "$q.y = $o.b", 'true')
		})->();
	pop @outer;
	my $columns = join ', ', map { one_of(@$_) }
	  [ ("$o.k") x 3, "$l.k" ], [ "$o.u", "$l.u" ], [ "$o.a", "$l.a" ], [ "$o.b", "$l.b", "$l.b" ], [ "$o.v", "$l.v" ];
	my $end = one_of('', ' OFFSET 0', ' OFFSET 0');    # without, it is pulled up
	return "SELECT $columns FROM ($rows) $o"
	  . one_of(",@", ",@", ' LEFT JOIN@ ON true') =~ s/@/ LATERAL ($inner$end) $l/r;
}

# Each row with rows that everybody knows.
sub with_public
{
	my ($depth) = @_;
	$steps{with_public} = 1;
	my ($q, $f) = (name(), name());
	my $on = one_of("$f.x = $q.a", "$f.x = $q.b", "$f.y = $q.a", "$f.v = $q.v", "$f.x <= $q.a", 'true');
	my $type = one_of(' JOIN ', ' JOIN ', ' JOIN ', ' LEFT JOIN ', ' RIGHT JOIN ',
		$on =~ / = / ? ' FULL JOIN ' : ' JOIN ');
	my $columns = join ', ', one_of("$q.u", "$q.u", "$f.x") . ' AS u', one_of("$f.x", "$f.y", "$f.c", "$f.c",
		"coalesce($f.x, $q.a)") . ' AS a', one_of("$q.b", "$f.c", "$f.y") . ' AS b', one_of("$q.v", "$f.v") . ' AS v';
	return "SELECT $q.k, $columns FROM (" . rows($depth) . ") $q$type(" . public($depth + 1) . ") $f ON $on";
}

my $number = 'dense_rank() OVER (PARTITION BY k ORDER BY';

my @steps = (
	[ cte => 3, sub {
		'WITH z AS ' . one_of('', 'MATERIALIZED ', 'MATERIALIZED ') . '(' . rows($_[0]) . ') '
		  . one_of('SELECT * FROM z', 'SELECT * FROM z WHERE '
			  . one_of(@conditions), 'SELECT k, max(u) AS u, max(a) AS a, max(b) AS b, max(v) AS v FROM z GROUP BY k',
			'SELECT q.k, q.u, f.x AS a, f.c AS b, q.v FROM z q JOIN (' . public($_[0] + 1) . ') f ON f.x = q.a')
	} ],
	[ cte_public => 8, sub {
		my $f = name();
		my $q = name();
		my $on = one_of("$f.x = $q.a", "$f.x = $q.b", "$f.x = $q.a AND $f.c = 1", "$f.x = $q.a AND $f.y = $q.b");
		"WITH z$f AS MATERIALIZED (" . public($_[0] + 1) . ") SELECT $q.k, $q.u, $f.c AS a, $f.y AS b, "
		  . one_of($q, $f) . ".v FROM (" . rows($_[0]) . ") $q " . one_of('', '', 'LEFT ') . "JOIN z$f $f ON $on"
	} ],
	[ by_cte_public => 6, sub {
		my $f = name();
		my $q = name();
		my $on = one_of("$f.x = $q.a", "$f.x = $q.b", "$f.x = $q.a AND $f.c = 1", 'true', "$f.x = $q.k");
		"WITH z$f AS MATERIALIZED (" . public($_[0] + 1) . ") SELECT $q.k, max($q.u) AS u, " . one_of("$f.c", "$f.y")
		  . " AS a, max($f.y) AS b, " . "max($q.v) AS v FROM (" . rows($_[0]) . ") $q " . one_of('', '', 'LEFT ')
		  . "JOIN z$f $f ON $on GROUP BY $q.k, " . one_of("$f.c, $f.y", "$f.y, $f.c", "$f.c, $f.y, $q.a")
	} ],
	[ nested_outer => 4, sub {
		my ($q, $p, $f) = (name(), name(), name());
		my $i = one_of("((" . rows($_[0]) . ") $p @ JOIN (" . public($_[0]) . ") $f ON $f.x = $p.a)", "(("
			  . public($_[0]) . ") $f @ JOIN (" . rows($_[0])
			  . ") $p ON $f.x = $p.a)") =~ s/@/one_of('', 'LEFT', 'RIGHT')/er;
		"SELECT $q.k, $q.u, " . one_of("$p.a", "$f.x", "$f.c") . " AS a, $q.b, " . one_of($q, $p, $f) . ".v FROM ("
		  . rows($_[0]) . ") $q " . one_of('', 'LEFT', 'LEFT') . " JOIN $i ON "
		  . one_of("$p.k = $q.k", "$p.k = $q.k AND $p.u = $q.u", "$p.k = $q.k AND $f.c = 1")
	} ],
	[ exists_on => 2, sub {
		my ($q, $p, $f) = (name(), name(), name());
		"SELECT $q.k, $q.u, $f.x AS a, $f.c AS b, $q.v FROM (" . rows($_[0]) . ") $q LEFT JOIN (" . public($_[0])
		  . ") $f ON $f.x = $q.a AND " . maybe(0.4, 'NOT ') . "EXISTS (SELECT FROM (" . rows($_[0]) . ") $p WHERE "
		  . one_of("$p.k = $q.k", "$p.u = $q.u AND $p.k = $q.k", "$p.a = $f.x") . ")"
	} ],
	[ first_and_rank => 2, sub {
		my ($on, $o) = @{ one_of(['k', 'k, a, u'], ['k', 'k, u'], ['k, a', 'k, a, u'], ['k, u', 'k, u, a']) };
		"SELECT DISTINCT ON ($on) k, u, a, row_number() OVER (PARTITION BY k ORDER BY u)::int AS b, v FROM ("
		  . rows($_[0]) . ") q ORDER BY $o"
	} ],
	[ rank_then_join => 4, sub {
		my ($q, $f) = (name(), name());
		my $r = one_of('row_number() OVER (PARTITION BY k ORDER BY u)', 'dense_rank() OVER (PARTITION BY k ORDER BY a)',
			'dense_rank() OVER (PARTITION BY k ORDER BY a, b)');
		my $j = one_of('JOIN', 'LEFT JOIN');
		my $on = one_of("$f.x = $q.a", "$f.x = $q.b", "$f.x = $q.r", "$f.x = $q.r AND $f.y = 1");
		my $w = one_of('q.r <= 2', 'q.r = 1', 'q.r < 3 AND q.r > 1', 'q.r = q.c');
		my $in = "SELECT $q.*, $f.x, $f.c FROM (SELECT *, $r AS r FROM (" . rows($_[0]) . ") p) $q $j ("
		  . public($_[0] + 1) . ") $f ON $on";
		one_of("SELECT k, u, a, b, v FROM ($in) q WHERE $w",
			"SELECT k, max(u) AS u, a, b, max(v) AS v FROM ($in) q WHERE $w GROUP BY k, a, b",
			"SELECT k, max(u) AS u, a, max(b) AS b, max(v) AS v FROM ($in) q WHERE $w GROUP BY k, a")
	} ],
	[ rank_groups_join => 3, sub {
		my ($q, $p) = (name(), name());
		my $r = "SELECT *, " . one_of('row_number() OVER (PARTITION BY k ORDER BY u)',
			'dense_rank() OVER (PARTITION BY k ORDER BY a)') . ' AS r FROM (' . rows($_[0]) . ') p';
		"SELECT $q.k, $q.u, $p.a, $p.b, $q.v FROM ($r) $q JOIN (" . one_of($r, 'SELECT *, 1 AS r FROM (' . rows($_[0])
			  . ') z') . ") $p ON $p.k = $q.k" . one_of('', " AND $p.r = $q.r", " AND $p.u = $q.u") . " WHERE "
		  . one_of("$q.r <= 2", "$q.r = 1 AND $p.r <= 2", "$p.r <= 2", "$p.r <= 1 AND $q.r <= 2")
	} ],
	[ group_windows => 3, sub {
		"SELECT k, min(u) AS u, a, ("
		  . one_of('row_number() OVER (PARTITION BY k ORDER BY a)', 'count(*) OVER (PARTITION BY k)',
			'dense_rank() OVER (PARTITION BY k ORDER BY a)', 'rank() OVER (PARTITION BY k ORDER BY count(*))')
		  . ")::int AS b, max(v) AS v FROM (" . rows($_[0]) . ") q GROUP BY k, a"
	} ],
	[ semi_ranked => 2, sub {
		my $r = 'SELECT k FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY u) AS r FROM (' . rows($_[0])
		  . ') p) z WHERE ' . one_of('z.r <= 2', 'z.r = q.a', 'z.r <= 2 AND z.u = q.u', 'z.a = q.a');
		'SELECT * FROM (' . rows($_[0]) . ') q WHERE q.k ' . one_of('IN', 'IN', 'NOT IN') . " ($r)"
	} ],
	[ lateral_public_ranked => 3, sub {
		my ($q, $f) = (name(), name());
		"SELECT $q.k, $q.u, $f.x AS a, $f.c AS b, $q.v FROM (" . rows($_[0]) . ") $q " . one_of('', 'LEFT ')
		  . "JOIN LATERAL (SELECT " . one_of('', 'DISTINCT ', 'DISTINCT ON (x) ') . "x, y, c FROM (" . public($_[0])
		  . ") g WHERE " . one_of("g.x = $q.a", "g.y = $q.a", "g.x = $q.a AND g.c = $q.b")
		  . one_of('', ' OFFSET 0', ' ORDER BY x, y, c', ' ORDER BY x, y, c LIMIT 1') . ") $f ON "
		  . one_of('true', "$f.x = $q.a", "$f.c = 1")
	} ],
	[ left_of_public => 3, sub {
		my ($q, $f) = (name(), name());
		"SELECT $q.k, $q.u, $f.x AS a, " . one_of("$f.c", "$q.b") . " AS b, $q.v FROM (" . public($_[0] + 1)
		  . ") $f LEFT JOIN (" . rows($_[0]) . ") $q ON "
		  . one_of("$f.x = $q.a", "$f.x = $q.a AND $f.c = 1", "$f.x = $q.b") . maybe(0.3, " WHERE $f.x > 0")
	} ],

	[ filtered => 1,
		sub { 'SELECT * FROM (' . rows($_[0]) . ') q WHERE ' . one_of(@conditions) . maybe(0.2, ' OFFSET 0') } ],
	[ constants => 1, sub {
		'SELECT ' . one_of('k', 'k', 'u') . ' AS k, u, ' . one_of('1', 'a', 'k') . ' AS a, '
		  . one_of('0', 'b') . ' AS b, v FROM (' . rows($_[0]) . ') q'
	} ],
	[ looked_up => 1, sub {
		'SELECT k, u, ' . one_of('(SELECT max(f.y) FROM (' . public($_[0])
			  . ') f WHERE f.x = q.a)', 'CASE WHEN a > 1 THEN b END') . ' AS a, b, v FROM (' . rows($_[0]) . ') q'
	} ],
	[ formed => 1, sub {
		my ($a, $v) = @{ one_of((map { [ 'a', $_ ] } @{ $formed{$kind} }),
			[ 'length(v::text)', 'v' ], [ '(v = v)::int', 'v' ]) };
		"SELECT k, u, $a AS a, b, $v AS v FROM (" . rows($_[0]) . ') q'
	} ],
	[ twice => 1, sub {
		'WITH z AS ' . one_of('', 'MATERIALIZED ') . '(' . rows($_[0]) . ') SELECT q.k, q.u, p.a, q.b, p.v '
		  . 'FROM z q JOIN z p ON ' . one_of('p.k = q.k', 'p.u = q.u', 'p.k = q.k AND p.u = q.u')
	} ],
	# groups
	[ grouped => 3, sub {
		'SELECT k, ' . one_of('k', 'min(u)') . ' AS u, ' . one_of('sum(a)::int', 'max(a)', 'max(a)',
			'count(DISTINCT a)::int', 'count(DISTINCT v)::int', 'count(*) FILTER (WHERE a > 1)::int') . ' AS a, '
		  . one_of('count(*)::int', 'min(b)') . ' AS b, ' . of_values() . ' AS v FROM (' . rows($_[0])
		  . ') q GROUP BY k' . maybe(0.2, ' HAVING count(*) > 1')
	} ],
	[ by_value => 2, sub {
		my ($list, $by) = @{ one_of([ 'a AS u, a, count(*)::int AS b, ' . of_values()
			  . ' AS v', 'a' ], [ 'a AS u, a, b, v', 'a, b, v' ], [ 'k AS u, count(*)::int AS a, 1 AS b, v', 'v' ]) };
		"SELECT k, $list FROM (" . rows($_[0]) . ") q GROUP BY k, $by"
	} ],
	[ by_two_keys => 2, sub {
		my ($k, $by) = @{ one_of([ 'min(k)', 'u' ], [ 'max(k)', 'u' ], [ 'k', 'k, u' ], [ 'k', 'u, k' ]) };
		"SELECT $k AS k, u, max(a) AS a, count(*)::int AS b, " . of_values() . ' AS v FROM (' . rows($_[0])
		  . ") q GROUP BY $by";
	} ],
	[ by_public => 6, sub {
		my $by = one_of('a', 'b', 'a, b', 'u, a');
		'SELECT k, max(u) AS u, max(a) AS a, count(*)::int AS b, max(v) AS v FROM (' . with_public($_[0])
		  . ") q GROUP BY k, $by"
	} ],
	# what follows from the key of a table
	[ by_row => 2, sub {
		my ($from, $list) = @{ one_of(
			[ 'customers c LEFT JOIN (@) q ON q.k = c.id',
				"c.id AS k, c.id AS u, c.nation AS a, max(q.b) AS b, c.$kind AS v" ],
			[ '(@) q LEFT JOIN customers c ON c.id = q.' . one_of('k', 'a'),
				"c.id AS k, c.id AS u, c.nation AS a, count(*)::int AS b, c.$kind AS v" ],
			[ '(@) q LEFT JOIN orders c ON c.id = q.u',
				"c.customer AS k, c.id AS u, c.day AS a, max(q.b) AS b, c.$kind AS v" ],
			[ 'orders c JOIN (@) q ON q.k = c.customer',
				"c.customer AS k, c.id AS u, c.price AS a, count(*)::int AS b, c.$kind AS v" ],
			[ 'items c ' . one_of('', 'LEFT ') . 'JOIN (@) q ON q.k = c."order"',
				"c.\"order\" AS k, c.id AS u, c.part AS a, count(*)::int AS b, c.$kind AS v" ],
			[ '(@) q LEFT JOIN items c ON c.id = q.u',
				"c.\"order\" AS k, c.id AS u, c.part AS a, max(q.b) AS b, c.$kind AS v" ]) };
		my $more = $from =~ /customers c/ ? 'c.nation' : $from =~ /items c/ ? 'c."order", c.part' : 'c.customer, c.day';
		"SELECT $list FROM " . $from =~ s/@/rows($_[0])/er . ' GROUP BY '
		  . one_of('c.id', 'q.k, c.id', "c.id, $more", "$more, c.$kind, c.id, q.k");
	} ],
	[ rekeyed_groups => 6, sub {
		'SELECT k, max(u) AS u, ' . one_of('max(a)', 'count(*)::int') . ' AS a, max(b) AS b, '
		  . of_values() . ' AS v FROM (' . for_each($_[0]) . ') q GROUP BY k'
	} ],
	[ sets_of_groups => 1, sub {
		'SELECT k, k AS u, max(a) AS a, count(*)::int AS b, ' . of_values() . ' AS v FROM ('
		  . rows($_[0]) . ') q GROUP BY '
		  . one_of('ROLLUP (k)', 'GROUPING SETS ((k), ())', 'GROUPING SETS ((k), (k, a))', 'k, CUBE (a)', 'CUBE (k, b)')
	} ],
	[ distinct => 2, sub {
		'SELECT DISTINCT k, k AS u, ' . one_of('k', '0', 'a') . ' AS a, 1 AS b, '
		  . one_of('v', 'min(v) OVER (PARTITION BY k)') . ' AS v FROM (' . rows($_[0]) . ') q'
	} ],
	# the first of them
	[ first_row => 1,
		sub { 'SELECT DISTINCT ON (k) k, u, a, b, v FROM (' . rows($_[0]) . ') q ORDER BY k, ' . order() } ],
	[ first_rows => 2, sub {
		'SELECT k, u, a, b, v FROM (SELECT *, row_number() OVER (PARTITION BY '
		  . one_of('k', 'k', 'k', 'k, u', 'u', 'k, v') . ' ORDER BY ' . order() . ') AS r FROM (' . rows($_[0])
		  . ') p) q WHERE ' . bounded()
	} ],
	[ first_values => 2, sub {
		my $by = one_of('a', 'a', 'u', 'u', 'v');
		my $list = one_of('min(u) AS u, max(a) AS a, max(b) AS b, max(v) AS v', ($by eq 'v' ? 'min(u)' : $by)
			  . ' AS u, max(a) AS a, min(b) AS b, ' . ($by eq 'v' ? 'v' : of_values() . ' AS v'));
		"SELECT k, $list FROM (SELECT *, $number $by) AS r FROM (" . rows($_[0]) . ') p) q WHERE '
		  . bounded() . " GROUP BY k, $by";
	} ],
	# ranks among what the level groups by, or computes
	[ ranked_groups => 2, sub {
		my $by = one_of('a', 'a', 'a % 2', 'b');
		"SELECT k, u, a, b, v FROM (SELECT k, min(u) AS u, $by AS a, count(*)::int AS b, "
		  . of_values() . " AS v, $number $by) AS r FROM (" . rows($_[0]) . ") p GROUP BY k, $by) q WHERE " . bounded();
	} ],
	# ranks that bound what there is for each row of another table, and not of all together
	[ ranked_for_each => 3, sub {
		my ($n, $l) = (name(), name());
		my $inner = 'SELECT k, u, a, b, v, ' . one_of("$number a)", 'row_number() OVER (PARTITION BY k ORDER BY u)')
		  . ' AS r FROM (' . rows($_[0]) . ') q WHERE ' . one_of("q.b = $n.x", "q.b <= $n.x", "q.a <> $n.y");
		my $rows = "SELECT $l.* FROM (" . public($_[0]) . ") $n, LATERAL ($inner OFFSET 0) $l";
		return one_of("SELECT k, u, a, b, v FROM ($rows) z WHERE r <= 2",
			'SELECT k, min(u) AS u, a, count(*)::int AS b, '
			  . of_values() . " AS v FROM ($rows) z WHERE r <= 2 GROUP BY k, a");
	} ],
	# several tables and conditions of one level, in any order
	[ of_one_level => 2, sub {
		my ($p, $f) = (name(), name());
		my @from = ('customers c', 'orders o', '(' . rows($_[0]) . ") $p", '(' . public($_[0]) . ") $f");
		my @on = ('c.id = o.customer', one_of("$p.k = o.customer", "$p.k = c.id"),
			one_of("$f.x = c.nation", "$f.x = o.day", "$f.x = c.nation + 0", "$f.x = 1"));
		@from[ 0, 1 ] = @from[ 1, 0 ] if rand() < 0.5;
		@on[ 0, 2 ] = @on[ 2, 0 ] if rand() < 0.5;
		"SELECT c.id AS k, o.id AS u, " . one_of("$f.y", 'o.day', "$p.a") . " AS a, $p.b, $p.v FROM "
		  . join(', ', @from) . ' WHERE ' . join(' AND ', @on, one_of('true', 'o.day = 1', "$p.a = 1", 'c.id <> 3'));
	} ],
	[ among_public => 1, sub {
		'SELECT * FROM (' . rows($_[0]) . ') q WHERE ' . one_of('q.a', 'q.k') . ' IN (SELECT '
		  . one_of('x', 'y') . ' FROM (' . public($_[0]) . ') t)'
	} ],
	[ windowed => 2, sub {
		my $a = one_of('a', 'count(*) OVER (PARTITION BY k)',
			'row_number() OVER (PARTITION BY k ORDER BY ' . order() . ')', 'rank() OVER (PARTITION BY k ORDER BY a)',
			'lag(a) OVER (PARTITION BY k ORDER BY ' . order() . ')');
		my $v = one_of('v', 'min(v) OVER (PARTITION BY k)', 'max(v) OVER (PARTITION BY k ORDER BY a)',
			one_of('first_value', 'last_value') . '(v) OVER (PARTITION BY k ORDER BY ' . order() . ')',
			'max(v) OVER (PARTITION BY k ORDER BY u ROWS UNBOUNDED PRECEDING)');
		"SELECT k, u, ($a)::int AS a, (sum(b) OVER (PARTITION BY k" . one_of('', ' ORDER BY a', ' ORDER BY u')
		  . "))::int AS b, $v AS v FROM (" . rows($_[0]) . ') q';
	} ],
	# others with them
	[ united_all => 1, sub {
		my ($first, $second) = (rows($_[0]), rows($_[0]));
		return "($first) UNION ALL (" . ($names % 5 ? $second : group_of_no_rows()) . ')'
	} ],
	[ united => 1, sub {
		'(' . rows($_[0]) . ') ' . one_of('UNION', 'UNION', 'UNION', 'INTERSECT', 'EXCEPT') . ' (' . rows($_[0]) . ')'
	} ],
	[ sets_of_rows => 1, sub {
		'SELECT k, u, ' . one_of('generate_series(1, 2)', 'unnest(ARRAY[a, b])', 'generate_series(1, a)')
		  . ' AS a, b, v FROM (' . rows($_[0]) . ') q'
	} ],
	[ with_public => 3, \&with_public ],
	[ picked => 1, sub {
		'SELECT q.k, q.u, q.a, q.b, q.v FROM picks JOIN (' . rows($_[0]) . ') q ON q.u = picks.x'
		  . maybe(0.5, ' JOIN customers c ON c.id = q.k')
	} ],
	[ for_each_public => 3, sub {
		my ($d) = @_;
		my ($n, $l) = (name(), name());
		my ($list, $inner, $on) = @{ one_of(
			[ one_of("$n.x", "$n.c", "$l.a") . " AS a, $l.b", 'SELECT * FROM (' . rows($d) . ') q WHERE '
				  . one_of("q.a = $n.x", "q.b <= $n.x", "q.a = $n.y", "q.u = $n.x"), one_of("$l.a = $n.x", 'true') ],
			[ "$l.a, $n.x AS b", 'SELECT k, min(u) AS u, min(a) AS a, ' . of_values() . ' AS v FROM (' . rows($d)
				  . ") q WHERE q.a = $n.x GROUP BY k", 'true' ],
			[ "$l.a, $l.b", 'SELECT q.k, q.u, q.a, q.b, p.v FROM (' . rows($d) . ') q JOIN (' . rows($d)
				  . ') p ON p.k = q.k WHERE ' . one_of('q.u', 'q.a', 'p.a', 'p.u') . " = $n.x", 'true' ]) };
		"SELECT $l.k, $l.u, $list, $l.v FROM (" . public($d) . ") $n JOIN LATERAL ($inner OFFSET 0) $l ON $on";
	} ],
	[ beside => 3, sub {
		my ($q, $p) = (name(), name());
		"SELECT $q.k, $q.u, $p.a, $q.b, " . one_of($p, $q) . '.v FROM (' . rows($_[0]) . ") $q "
		  . one_of('', '', '', 'LEFT ', 'FULL ')
		  . 'JOIN (' . rows($_[0]) . ") $p ON " . one_of("$p.k = $q.k", "$p.k = $q.k", "$p.k = $q.k AND $p.a = $q.a",
			"$p.u = $q.u AND $p.k = $q.k", "$p.u = $q.u", "$p.a = $q.a", "$p.k = $q.u", "$p.k = $q.k AND $p.v = $q.v");
	} ],
	[ for_each => 3, \&for_each ],
	[ '' => 2, sub { return @outer ? rekeyed($_[0]) : for_each($_[0]) } ],
	[ exists => 1, sub {
		'SELECT * FROM (' . rows($_[0]) . ') q WHERE ' . maybe(0.5, 'NOT ') . 'EXISTS (SELECT FROM (' . rows($_[0])
		  . ') p WHERE ' . one_of('p.k = q.k', 'p.k = q.k AND p.b < q.b', 'p.a = q.a', 'p.k = q.k AND p.v = q.v') . ')'
	} ],
	[ of_a_value => 1, sub {
		'SELECT * FROM (' . rows($_[0]) . ') q WHERE ' . one_of('q.a', 'q.b') . one_of(' = ', ' < ', ' >= ')
		  . '(SELECT ' . one_of('max(x)', 'min(y)', 'count(*)', 'sum(x)') . ' FROM ('
		  . one_of(public($_[0]), public($_[0]), 'SELECT a AS x, b AS y FROM (' . rows($_[0]) . ') p') . ') t)'
	} ],
	[ exists_public => 1, sub {
		'SELECT * FROM (' . rows($_[0]) . ') q WHERE ' . maybe(0.5, 'NOT ') . 'EXISTS (SELECT FROM (' . public($_[0])
		  . ') t WHERE ' . one_of('t.x = q.a', 't.y = q.b', 't.v = q.v', 't.x = q.k') . ')'
	} ]);

sub rows { my ($depth) = @_; return step($depth - 1, $depth > 0 && rand() < 0.8 ? @steps : @tables) }

# Those of which the rules were wrong once, over little else: deep below other steps most are refused.
sub rows_of_few_steps { return step(one_of(0, 0, 1), grep { $_->[0] =~ /^(by_public|rekeyed_groups)$/ } @steps) }

# --- questions --------------------------------------------------------------------------------------------

# The text of a value of v, the same for those that are equal; null if that is not known.
my %equal = (c => 'q.v::text', f => '(q.v + 0)::numeric::text', n => 'trim_scale(q.v)::text',
	s => 'lower(q.v::text COLLATE "C")', t => 'lower(q.v COLLATE "C")', w => 'q.v::text');

# A private aggregate; the text of its argument; the same without noise of those texts x that are not NULL; the most by
# which one row changes that; of which types v may be, if it is about v.
my @answers = (
	[ 'dp_count(1)', "''", 'count(*)', 1 ],
	[ 'dp_count(1)', "''", 'count(*)', 1 ],
	[ 'dp_sum(q.a, 1, 0, 5)', 'q.a::text', 'sum(greatest(0, least(5, x::numeric)))', 5 ],
	[ 'dp_sum(q.b, 1, -3, 3)', 'q.b::text', 'sum(greatest(-3, least(3, x::numeric)))', 3 ],
	[ 'dp_count_distinct(q.a, 1)', 'q.a::text', 'count(DISTINCT x)', 1 ],
	[ 'dp_count_range(q.b, 1, 1, 3)', 'q.b::text', 'count(*) FILTER (WHERE x::numeric BETWEEN 1 AND 3)', 1 ],
	[ 'dp_sum(q.v, 1, 0, 2)', '', 'sum(greatest(0, least(2, x::numeric)))', 2, 'fnw' ],
	[ 'dp_count_distinct(q.v, 1)', '', 'count(DISTINCT x)', 1, 'cfntw' ]);

# query: some rows q; private, exact, sensitivity: an answer over it; filter: of which rows; value: the text of what the
# aggregate sees of one; shown: and of all that the answer depends on; by: whether there is one for each value of a;
# steps: the names of those in the query.
sub question
{
	my ($has_collations) = @_;
	@outer = %steps = ();
	$names = 0;
	$kind = one_of('w', 'w', $has_collations ? @kinds : grep { !/[st]/ } @kinds);
	my ($private, $text, $exact, $sensitivity) = @{ one_of(grep { !$_->[4] || $_->[4] =~ /$kind/ } @answers) };
	$text ||= $equal{$kind};
	# has all columns of it computed, as whole rows or without v
	my $row = one_of('q::text', '(q.k, q.u, q.a, q.b, q.v)::text', ('(q.k, q.u, q.a, q.b)::text') x 2);
	my $by = rand() < 0.2 ? 'q.a' : '0';
	return { query => rand() < 0.3 ? rows_of_few_steps() : rows(one_of(1, 2, 3, 3, 4, 4)), private => $private,
		exact => $exact, sensitivity => $sensitivity, filter => "$row <> ''" . maybe(0.3, ' AND q.k IS NOT NULL'),
		value => $text, shown => "concat_ws('|', $row, $text)", by => $by, kind => $kind,
		steps => [ sort keys %steps ] };
}

1;
