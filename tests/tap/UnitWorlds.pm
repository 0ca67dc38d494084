# Small databases of three linked tables that differ in all that belongs to one unit: removed, or replaced by
# anything else; and what a query is charged in one of them against what it gives in all.
#
# A column of each of the types f, n, c, s, t holds values that are equal and look different; w, none. Rows of others
# are in the same order everywhere; those of the unit come before, after or among them.
package UnitWorlds;

use strict;
use warnings FATAL => 'all';

our $worlds = 9;    # schemas w1 to w9; the tables of w1 are protected, w2 lacks the unit

sub one_of { return $_[ int rand @_ ] }

# --- what is in them --------------------------------------------------------------------------------------

my %forms = (
	f => [ "'0'", "'-0'", "'0'", "'-0'", "'1'" ],
	i => [ "'1 mon'", "'30 days'", "'720 hours'", "'1 day'" ],
	n => [ '1', '1.0', '1.00', '1.000', '2' ],
	c => [ "'a'", "'a '", "'a  '", "'b'" ],
	s => [ "'a'", "'A'", "'b'", "'B'" ],
	t => [ "'a'", "'A'", "'b'", "'B'" ],
	w => [ 0, 1, 2 ]);
my @kinds = sort keys %forms;

sub values_of_row { return map { one_of(@{ $forms{$_} }) } @kinds }

sub items
{
	my ($order, $count) = @_;
	return [ map { { id => 10 * $order + $_, order => $order, part => int rand 4, quantity => int rand 3,
		values => [ values_of_row() ] } } 1 .. $count ];
}

sub profile
{
	my ($id, $orders, $items) = @_;
	return { id => $id, nation => 1 + int rand 3, age => int rand 6, values => [ values_of_row() ],
		orders => [ map {
			my $order = 100 * $id + $_;
			{ id => $order, customer => $id, day => int rand 4, price => int rand 6, values => [ values_of_row() ],
				items => items($order, $items->()) }
		} 1 .. $orders ],
		visits => [ map { { id => 100 * $id + $_, customer => $id, day => int rand 4, length => int rand 6,
			values => [ values_of_row() ] } } 1 .. $orders ] };
}

sub random_profile { my ($id, $most) = @_; return profile($id, int rand($most + 1), sub { int rand 4 }) }

# One with many of everything, so that what is claimed is reached.
sub large_profile
{
	my ($id) = @_;
	my $profile = profile($id, 6, sub { 3 });
	@$profile{qw(nation age)} = (2, 7);
	@{ $profile->{orders}[$_] }{qw(day price)} = ($_, $_) foreach 0 .. 5;
	return $profile;
}

sub shuffled
{
	my @list = @_;
	foreach my $i (reverse 1 .. $#list)
	{ my $k = int rand($i + 1); @list[ $i, $k ] = @list[ $k, $i ] }
	return @list;
}

# The rows of some of one table, and those of the unit before, after or among them.
sub placed
{
	my ($place, $others, $own) = @_;
	return (@$own, @$others) if $place == 0;
	return (@$others, @$own) if $place == 1;
	my @rows = @$others;
	splice @rows, ($place * 7 + 3 * $_) % (@rows + 1), 0, $own->[$_] foreach 0 .. $#$own;
	return @rows;
}

sub fill
{
	my ($schema, $order, $place, $others, $unit) = @_;
	my %columns = (customers => [qw(id nation age)], orders => [qw(id customer day price)],
		visits => [qw(id customer day length)], items => [qw(id order part quantity)]);
	my $rows_of = sub {
		my ($table, @profiles) = @_;
		return @profiles if $table eq 'customers';
		return map { @{ $_->{visits} } } @profiles if $table eq 'visits';
		my @orders = map { @{ $_->{orders} } } @profiles;
		return $table eq 'orders' ? @orders : map { @{ $_->{items} } } @orders;
	};
	my $sql = "TRUNCATE $schema.profiles, $schema.visits, $schema.items, $schema.orders, $schema.customers;";
	foreach my $table (qw(customers orders items visits))
	{
		my @rows = placed($place, [ $order->($table, $rows_of->($table, @$others)) ],
			[ $unit ? $rows_of->($table, $unit) : () ]);
		next unless @rows;
		$sql .= "INSERT INTO $schema.$table VALUES " . join(', ', map {
			my $row = $_;
			'(' . join(', ', @$row{ @{ $columns{$table} } }, @{ $row->{values} }) . ')'
		} @rows) . ';';
	}
	$sql .= "INSERT INTO $schema.profiles (id, customer, day, length, w) SELECT 1000 + id, id, nation, age, w "
	  . "FROM $schema.customers WHERE id <> 3;";
	return $sql . "ANALYZE $schema.profiles, $schema.customers, $schema.orders, $schema.items, $schema.visits;";
}

# The others are the same in all worlds; in the last the unit is another one altogether. Mostly the others are sorted
# by their keys, so that it depends on the unit whether all are.
sub fill_worlds
{
	my @others = map { profile($_, int rand 4, sub { int rand 4 }) } 2 .. 6;
	my @units = (large_profile(1), undef, (map { random_profile(1, 6) } 3 .. $worlds - 1), large_profile($worlds));
	my %orders;
	my $is_sorted = rand() < 0.7;
	my $order = sub {
		my ($table, @rows) = @_;
		return @rows if $is_sorted;
		$orders{$table} //= [ shuffled(0 .. $#rows) ];
		return @rows[ @{ $orders{$table} } ]
	};
	return join '', map { fill("w$_", $order, int rand 6, \@others, $units[ $_ - 1 ]) } 1 .. $worlds;
}

# --- the tables and functions -----------------------------------------------------------------------------

# has_collations: whether the server knows collations that take different texts for equal.
sub setup
{
	my ($has_collations) = @_;
	my $nd = $has_collations
	  ? q(CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false))
	  : 'CREATE COLLATION nd FROM "C"';
	my $values = join ', ', 'c bpchar', 'f float8', 'i interval', 'n numeric', 's name COLLATE public.nd',
	  't text COLLATE public.nd', 'w integer';
	my $counts = join ', ', map { "count(*) FILTER (WHERE world = $_)" } 1 .. $worlds;
	my $first = join ', ', ('count(*) FILTER (WHERE world = 1)') x $worlds;
	return <<"SQL";
$nd;
CREATE TABLE nations (id integer PRIMARY KEY, weight integer NOT NULL, $values);
CREATE TABLE tags (nation integer, tag integer, $values);
CREATE TABLE picks (x integer PRIMARY KEY, $values);
INSERT INTO picks SELECT generate_series(101, 110), 'a', 0, '1 day', 1, 'a', 'a', 1;
INSERT INTO nations VALUES (0, 7, 'a', 0, '1 mon', 1, 'A', 'A', 1), (1, 1, 'a ', '-0', '30 days', 1.0, 'a', 'a', 2),
  (2, 2, 'b', 1, '1 day', 2, 'b', 'b', 3), (3, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, 2, 'b ', 1, '1 day', 2.0, 'B', 'B', 4);
INSERT INTO tags VALUES (1, 1, 'a', 0, '1 mon', 1, 'A', 'A', 1), (2, 1, 'a ', '-0', '30 days', 1.0, 'a', 'a', 2),
  (2, 2, 'b', 1, '1 day', 2, 'b', 'b', 3), (3, 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (3, 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (0, 1, 'b ', 1, '1 day', 2.0, 'B', 'B', 4),
  (0, 2, 'a', 0, '1 mon', 1, 'A', 'A', 1);
SELECT format('CREATE SCHEMA w%s;
  CREATE TABLE w%1\$s.customers (id integer PRIMARY KEY, nation integer, age integer, $values);
  CREATE TABLE w%1\$s.orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES w%1\$s.customers,
    day integer, price integer, $values);
  CREATE TABLE w%1\$s.items (id integer PRIMARY KEY, "order" integer NOT NULL REFERENCES w%1\$s.orders, part integer,
    quantity integer, $values);
  CREATE TABLE w%1\$s.visits (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES w%1\$s.customers,
    day integer, length integer, $values) PARTITION BY HASH (id);
  CREATE TABLE w%1\$s.visits_1 PARTITION OF w%1\$s.visits FOR VALUES WITH (MODULUS 2, REMAINDER 0);
  CREATE TABLE w%1\$s.visits_2 PARTITION OF w%1\$s.visits FOR VALUES WITH (MODULUS 2, REMAINDER 1);
  CREATE TABLE w%1\$s.profiles (id integer NOT NULL, customer integer NOT NULL REFERENCES w%1\$s.customers, day integer,
    length integer, $values, UNIQUE (customer)) PARTITION BY HASH (customer);
  CREATE TABLE w%1\$s.profiles_1 (length integer, customer integer NOT NULL, id integer NOT NULL, day integer, $values);
    ALTER TABLE w%1\$s.profiles ATTACH PARTITION w%1\$s.profiles_1 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
  CREATE TABLE w%1\$s.profiles_2 PARTITION OF w%1\$s.profiles FOR VALUES WITH (MODULUS 2, REMAINDER 1);
  CREATE INDEX ON w%1\$s.orders (customer); CREATE INDEX ON w%1\$s.visits (customer);
  CREATE INDEX ON w%1\$s.items ("order")',
    i) FROM generate_series(1, $worlds) i \\gexec
SELECT idp.protect('w1.customers', 1e9, 'add_remove', rows => 'visible', unit => 'id');
SELECT idp.link('w1.orders', 'customer', 'w1.customers');
SELECT idp.link('w1.visits', 'customer', 'w1.customers');
SELECT idp.link('w1.items', 'order', 'w1.orders');
SELECT idp.link('w1.profiles', 'customer', 'w1.customers');
CREATE TABLE codes (kind integer NOT NULL, id integer NOT NULL, wt integer, $values, UNIQUE (kind, id))
  PARTITION BY LIST (kind);
CREATE TABLE codes_1 (wt integer, id integer NOT NULL, kind integer NOT NULL, $values);
CREATE TABLE codes_2 (junk integer, kind integer NOT NULL, id integer NOT NULL, wt integer, $values);
ALTER TABLE codes_2 DROP junk;
ALTER TABLE codes ATTACH PARTITION codes_1 FOR VALUES IN (1, 3);
ALTER TABLE codes ATTACH PARTITION codes_2 FOR VALUES IN (2);
CREATE TABLE codes_3 (kind integer NOT NULL, id integer NOT NULL, wt integer, $values);
INSERT INTO codes_3 VALUES (1, 1, 1), (1, 2, 2);
INSERT INTO codes (kind, id, wt) SELECT k, i, i % 3 FROM generate_series(1, 3) k, generate_series(0, 4) i;
CREATE TABLE ancestors (id integer PRIMARY KEY, wt integer, $values);
CREATE TABLE heirs (PRIMARY KEY (id)) INHERITS (ancestors);
INSERT INTO ancestors (id, wt) SELECT i, i FROM generate_series(0, 3) i;
INSERT INTO heirs (id, wt) SELECT i, i FROM generate_series(0, 3) i;
CREATE TABLE nullable (a integer, b integer, d bigint UNIQUE, e numeric, $values, UNIQUE (a, b));
INSERT INTO nullable (a, b, d, e) VALUES (1, 1, 1, 1), (1, 2, 2, 1.0), (1, NULL, 3, 1.00), (1, NULL, NULL, 2),
  (2, 1, NULL, 2), (NULL, 1, 4, 3), (NULL, 1, 0, 3), (2, NULL, 5, 1), (3, 1, 6, 1);
ANALYZE nations, tags, picks, codes, ancestors, nullable;

-- a row that an aggregate sees in a world: of which group, its argument, all that may be shown of it
CREATE TYPE seen AS (world integer, g integer, x text, shown text);

-- what a query is charged, or the error; is_answered: not what it would be
CREATE FUNCTION charge(query text, is_answered boolean, OUT charged numeric, OUT state text, OUT message text)
  LANGUAGE plpgsql AS \$\$
DECLARE
  before numeric;
BEGIN
  IF is_answered THEN
    SELECT sum(spent) INTO before FROM idp.budget;
    EXECUTE query;
    SELECT sum(spent) - before INTO charged FROM idp.budget;
  ELSE
    SELECT coalesce(sum(epsilon), 0) INTO charged FROM idp.cost(query);
  END IF;
EXCEPTION WHEN OTHERS THEN
  state := sqlstate; message := sqlerrm;
END
\$\$;

-- The most rows in which two worlds differ: of those with and without the unit all that are there or not, of others
-- those that are replaced.
CREATE FUNCTION distance(rows seen[]) RETURNS bigint LANGUAGE sql AS \$\$
  WITH counts AS (SELECT ARRAY[$counts] AS n FROM unnest(rows) GROUP BY shown
    HAVING ($counts) IS DISTINCT FROM ($first)),
    pairs AS (
      SELECT i, j, sum(greatest(n[i] - n[j], 0)) AS fewer, sum(greatest(n[j] - n[i], 0)) AS more
      FROM counts, generate_series(1, $worlds) i, generate_series(1, $worlds) j WHERE i < j GROUP BY i, j)
  SELECT coalesce(max(CASE WHEN 2 IN (i, j) THEN fewer + more ELSE greatest(fewer, more) END), 0) FROM pairs
\$\$;

-- The most by which the unit moves an answer, or those of all groups together.
CREATE FUNCTION movement(rows seen[], exact text) RETURNS numeric LANGUAGE plpgsql AS \$\$
DECLARE
  most numeric;
BEGIN
  EXECUTE format('WITH answers AS (SELECT world, g, %s AS x FROM unnest(\$1) GROUP BY 1, 2)
    SELECT max(moved) FROM (SELECT w, sum(abs(coalesce(x.x, 0) - coalesce(y.x, 0))) AS moved
      FROM generate_series(1, $worlds) w CROSS JOIN (SELECT DISTINCT g FROM answers) g
      LEFT JOIN answers x ON x.world = w AND x.g IS NOT DISTINCT FROM g.g
        LEFT JOIN answers y ON y.world = 2 AND y.g IS NOT DISTINCT FROM g.g GROUP BY w) m',
    exact) INTO most USING rows;
  RETURN coalesce(most, 0);
END
\$\$;

-- A question: what it is charged, and what the unit changes; or why it is refused, by idp.cost, which is the same by
-- the answer itself.
CREATE FUNCTION judge(query text, filter text, private text, by text, value text, shown text, exact text,
  asks_anyway boolean,
  OUT charged numeric, OUT changed bigint, OUT moved numeric, OUT state text, OUT message text) LANGUAGE plpgsql AS \$\$
DECLARE
  asked text := format('SELECT %s FILTER (WHERE %s) FROM (%s) q', private, filter, query) || CASE by WHEN '0' THEN ''
    ELSE ' GROUP BY ' || by END;
  would_cost numeric;
  rows seen[] := '{}';
  found seen[];
BEGIN
  PERFORM set_config('search_path', 'w1, public', true);
  SELECT * INTO would_cost, state, message FROM charge(asked, false);
  IF state IS NOT NULL AND NOT asks_anyway THEN RETURN; END IF;
  SELECT * INTO charged, state, message FROM charge(asked, true);
  IF charged IS DISTINCT FROM would_cost THEN RAISE EXCEPTION 'charged % where idp.cost tells %: %', charged,
    would_cost, message; END IF;
  IF state IS NOT NULL THEN RETURN; END IF;
  FOR world IN 1 .. $worlds LOOP
    PERFORM set_config('search_path', format('w%s, public', world), true);
    EXECUTE format('SELECT array_agg((%s, %s, %s, %s)::public.seen) FILTER (WHERE %s AND (%s) IS NOT NULL) FROM (%s) q',
      world, by, value, shown, filter, value, query) INTO found;
    rows := rows || found;
  END LOOP;
  PERFORM set_config('search_path', 'public', true);
  changed := distance(rows);
  moved := movement(rows, exact);
END
\$\$;
SQL
}

1;
