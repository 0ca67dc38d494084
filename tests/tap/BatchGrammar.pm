# Random tables and statements for 114_batches: what private aggregates collect must be the same whether or not
# tables are read in batches.
package BatchGrammar;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use List::Util qw(shuffle);

our @EXPORT = qw(random_table random_statement state_aggregates);

sub one_of { return $_[ int rand @_ ] }
sub chance { return rand() < $_[0] }

# Types of columns: a value of row i, a constant among such values, and which types of states they have.
our %types = (
	smallint => { value => sub { '(i * 37 % 401 - 200)::smallint' }, constant => sub { int(rand 401) - 200 },
		cast => 'smallint' },
	integer => { value => sub { '(i * 7919 % 1009)' }, constant => sub { int rand 1009 } },
	bigint => { value => sub { '(i::bigint * 1000003 % 7001 - 3000)' }, constant => sub { int(rand 7001) - 3000 } },
	real => { value => sub { "(CASE i % 97 WHEN 5 THEN 'NaN' WHEN 6 THEN '-Infinity' ELSE (i % 211) / 8.0 END)::real" },
		constant => sub { one_of('NaN', int(rand 200) / 8) } },
	'double precision' => {
		value => sub {
			"(CASE i % 89 WHEN 5 THEN 'NaN' WHEN 6 THEN 'Infinity' WHEN 7 THEN '-Infinity' WHEN 8 THEN '-0' ELSE (i * "
			  . "31 % 977) / 7.0 - 20 END)::float8"
		},
		constant => sub { one_of('NaN', 'Infinity', 0, int(rand 100) - 20, rand 100) }
	},
	'numeric(10,2)' => { value => sub {
		"(CASE i % 101 WHEN 7 THEN 'NaN' ELSE (i * 131 % 20011) / 100.0 - 50 END)::numeric(10,2)"
	}, constant => sub { one_of('NaN', 0, sprintf('%.2f', rand(200) - 50), sprintf('%.5f', rand 150)) } },
	'numeric(5,3)' => { value => sub { '((i * 17 % 4001) / 1000.0 - 2)::numeric(5,3)' },
		constant => sub { sprintf '%.3f', rand(4) - 2 } },
	numeric => { value => sub {
		"(CASE i % 103 WHEN 7 THEN 'NaN' WHEN 8 THEN '-Infinity' WHEN 9 THEN 1e20 ELSE (i * 131 % 2003) / "
		  . "16.0 END)::numeric"
	}, constant => sub { one_of('NaN', 1e20, int(rand 100), rand 100) } },
	date => { value => sub { "(CASE i % 107 WHEN 7 THEN 'infinity'::date ELSE date '2020-01-01' + i * 13 % 700 END)" },
		constant => sub { one_of('infinity', sprintf '2020-%02d-15', 1 + rand 12) } },
	timestamp => { value => sub { "(timestamp '2020-01-01' + i * 7 % 5003 * interval '97 minutes')" },
		constant => sub { sprintf '2020-%02d-15 12:30', 1 + rand 12 } },
	timestamptz => { value => sub { "(timestamptz '2020-01-01 UTC' + i * 11 % 5003 * interval '83 minutes')" },
		constant => sub { sprintf '2020-%02d-15 12:30+03', 1 + rand 12 } },
	text => { value => sub {
		"(CASE i % 53 WHEN 1 THEN '' WHEN 2 THEN repeat('long ', 20 + i % 40) WHEN 3 THEN repeat(md5(i::text), 90) "
		  . "ELSE 'text ' || i % 11 END)"
	}, constant => sub { one_of('', 'text 3', 'text 30', 'long long ') } },
	varchar => { value => sub { "('v' || i % 7)" }, constant => sub { 'v' . int rand 9 } },
	uuid => { value => sub { 'md5((i % 29)::text)::uuid' },
		constant => sub { 'd3d94468-02a4-4259-b55d-38e6d163e820' } },
	boolean => { value => sub { '(i % 3 = 0)' }, constant => sub { one_of('true', 'false') } },);

my @numbers = ('smallint', 'integer', 'bigint', 'real', 'double precision', 'numeric(10,2)', 'numeric(5,3)', 'numeric');
my %plain = map { $_ => s/\(.*//r } keys %types;

sub is_number { my ($type) = @_; return scalar grep { $_ eq $type } @numbers }
sub constant { my ($type) = @_; return "'" . $types{$type}{constant}->() . "'::$type" }

# --- tables ---

# Statements that make table name, and its columns: of each a name and a type. All tables have a column id.
sub random_table
{
	my ($name) = @_;
	my @columns = ([ 'id', 'integer' ]);
	my $number = 0;
	push @columns, [ 'c' . ++$number, one_of(sort keys %types) ] foreach 1 .. 3 + rand 9;
	@columns = shuffle @columns if chance(0.8);
	my (@definitions, @values, @late, @dropped);
	foreach my $column (@columns)
	{
		my ($column_name, $type) = @$column;
		my $nulls = $column_name eq 'id' || chance(0.5) ? 0 : one_of(2, 3, 10, 50);
		my $not_null = !$nulls && chance(0.5) ? ' NOT NULL' : '';
		push @definitions, "$column_name $type$not_null";
		my $value = $column_name eq 'id' ? 'i' : $types{$type}{value}->();
		push @values, $nulls ? "CASE WHEN i % $nulls <> 1 THEN $value END" : $value;
		if (chance(0.15))
		{
			push @definitions, "gone$column_name " . one_of('integer', 'text', 'boolean', 'float8');
			push @values, one_of('NULL', 'NULL', $definitions[-1] =~ /integer|float8/ ? 'i' : $definitions[-1] =~ /text/
				  ? "repeat('x', i % 9)" : 'true');
			push @dropped, "ALTER TABLE $name DROP COLUMN gone$column_name";
		}
	}
	my $rows = one_of(0, 1, 5, 50, 100, 200, 400, 400, 800, 2000);
	my $kind = one_of('plain', 'plain', 'plain', 'partitioned', 'inherited', 'temporary');
	my @sql;
	my $temporary = $kind eq 'temporary' ? 'TEMPORARY ' : '';
	my $storage = $kind ne 'partitioned' && chance(0.3) ? ' WITH (fillfactor = ' . one_of(10, 30, 70) . ')' : '';
	push @sql, "CREATE ${temporary}TABLE $name (" . join(', ', @definitions) . ')'
	  . ($kind eq 'partitioned' ? ' PARTITION BY HASH (id)' : '') . $storage;
	if ($kind eq 'partitioned')
	{
		push @sql, map { "CREATE TABLE ${name}_$_ PARTITION OF $name FOR VALUES WITH (MODULUS 3, REMAINDER $_)" }
		  0 .. 2;
	}
	push @sql, "INSERT INTO $name SELECT " . join(', ', @values) . " FROM generate_series(1, $rows) i";
	if ($kind eq 'inherited')
	{
		push @sql, "CREATE TABLE ${name}_child (extra text) INHERITS ($name)",
		  "INSERT INTO ${name}_child SELECT " . join(', ', @values, "'e'") . " FROM generate_series(1, $rows / 2) i";
	}
	push @sql, @dropped;
	if (chance(0.4))
	{
		my $type = one_of('integer', 'double precision', 'text', 'numeric(10,2)');
		my $default = $type eq 'text' ? "'text 3'" : 7;
		push @columns, [ 'late', $type ];
		push @sql, "ALTER TABLE $name ADD COLUMN late $type"
		  . one_of('', " DEFAULT $default", " NOT NULL DEFAULT $default");
		push @sql, "INSERT INTO $name SELECT * FROM $name WHERE id % 10 = 3" if $kind ne 'inherited' && chance(0.7);
	}
	push @sql, "UPDATE $name SET id = id + 1 WHERE id % " . one_of(2, 7, 50) . ' = 0'
	  if $kind ne 'partitioned' && chance(0.4);
	push @sql, "DELETE FROM $name WHERE id % " . one_of(2, 5, 97) . ' = 0' if chance(0.3);
	push @sql, one_of('VACUUM', 'VACUUM (FREEZE)', 'ANALYZE', 'VACUUM (FREEZE, ANALYZE)') . " $name" if chance(0.7);
	return (\@sql, \@columns);
}

# --- statements ---

sub random_condition
{
	my ($columns, $depth) = @_;
	my ($name, $type) = @{ one_of(@$columns) };
	my $what = $depth > 0 ? rand : rand 0.8;
	return "$name IS " . one_of('', 'NOT ') . 'NULL' if $what < 0.1;
	if ($what < 0.15)
	{
		return "$name = ANY (ARRAY[" . join(', ', map { constant($type) } 1 .. 1 + rand 12) . '])';
	}
	return "$name " . one_of('', 'NOT ') . 'BETWEEN ' . constant($type) . ' AND ' . constant($type) if $what < 0.2;
	return 'id % ' . one_of(2, 3, 10) . ' = 1' if $what < 0.25;
	return "abs(id - 700) < " . int rand 900 if $what < 0.3;
	return "id < (SELECT " . int(rand 2000) . ')' if $what < 0.33;
	return "late_to_fail(id) > 0" if $what < 0.35;
	return 'id BETWEEN ' . int(rand 300) . ' AND ' . int rand 4000 if $what < 0.4;
	my $operator = one_of('<', '<=', '=', '>=', '>', '<>');
	return constant($type) . " $operator $name" if $what < 0.5;
	return "$name $operator " . constant($type) if $what < 0.8;
	return 'NOT (' . random_condition($columns, $depth - 1) . ')' if $what < 0.85;
	return '(' . random_condition($columns, $depth - 1) . one_of(' AND ', ' OR ')
	  . random_condition($columns, $depth - 1) . ')';
}

# An expression for an aggregate's column, and its type.
sub random_value
{
	my ($columns) = @_;
	my @fit = grep { is_number($_->[1]) || $_->[1] =~ /date|timestamp/ } @$columns;
	my ($name, $type) = @{ one_of(@fit) };
	return ($name, $type) if chance(0.75);
	return ("$name + '1 day'::interval", $type) if $type =~ /timestamp/;
	return ("$name + 1", $type) if $type eq 'date';
	return ("CASE WHEN id % 3 = 0 THEN $name END", $type) if chance(0.3);
	return ("coalesce($name, 3)::$type", $type) if chance(0.4);
	return ("(id % 100)::integer", 'integer') if chance(0.3);
	return ("7::integer", 'integer') if chance(0.2);
	return ("(id / 2.0)::double precision", 'double precision');
}

# The aggregates whose states are compared, and what follows a column and epsilon. @: a lower and an upper value.
my %aggregates = (
	idp_median => '', idp_quantile => '0.3', idp_min => '<', idp_max => '>', idp_kth_smallest => '3',
	idp_kth_largest => '70', idp_count_range => '@', dp_count_range => '@', idp_sum => '@', idp_avg => '@',
	idp_variance => '@', dp_sum => '@', dp_histogram => '@, 7', dp_count_distinct => '', dp_median => '@',
	dp_max => '@', idp_trimmed_avg => '0.1', idp_iqr => '',);
my %of_numbers = map { $_ => 1 } qw(idp_sum idp_avg idp_variance dp_sum idp_trimmed_avg idp_iqr);

sub bounds
{
	my ($type) = @_;
	return ("'2020-02-01'::$type", "'2020-11-01'::$type") if !is_number($type);
	return ("'0'::$type", "'1.5'::$type") if $type eq 'numeric(5,3)';
	return one_of([ "'-10'::$type", "'60'::$type" ], [ "'5'::$type", "'5'::$type" ],
		[ "'0'::$type", "'150'::$type" ])->@*;
}

sub random_aggregate
{
	my ($columns) = @_;
	my $filter = chance(0.25) ? ' FILTER (WHERE ' . random_condition($columns, 1) . ')' : '';
	return 'dp_count_state(0.5)' . $filter if chance(0.1);
	return one_of('count(*)', 'count(' . one_of(@$columns)->[0] . ')') . $filter if chance(0.1);
	my ($value, $type) = random_value($columns);
	my @fit = grep { is_number($type) || !$of_numbers{$_} } sort keys %aggregates;
	my $name = one_of(@fit);
	my ($lower, $upper) = bounds($type);
	my $more = $aggregates{$name} =~ s/@/$lower, $upper/r =~ s/^<$/$lower/r =~ s/^>$/$upper/r;
	return "${name}_state($value, 0.5" . ($more eq '' ? '' : ", $more") . ")$filter";
}

sub random_key
{
	my ($columns) = @_;
	my ($name, $type) = @{ one_of(@$columns) };
	return "date_trunc('month', $name)" if $type =~ /timestamp|date/ && chance(0.7);
	return "id % " . one_of(2, 10, 500) if chance(0.2);
	return "length($name)" if $type eq 'text' && chance(0.3);
	return "coalesce($name, NULL)" if chance(0.1);
	return $name;
}

# States of different values are in an order of their own.
sub shown
{
	my ($call, $canonical) = @_;
	return "($call)::text" if $call !~ /_state/;
	return ($canonical || $call =~ /distinct/ ? 'canonical' : 'plainly') . "($call)";
}

# A statement that gives rows of texts. canonical: whether the order of values does not matter.
sub random_statement
{
	my ($table, $columns, $canonical) = @_;
	my @keys = chance(0.5) ? () : map { random_key($columns) } 1 .. one_of(1, 1, 1, 2, 3);
	my @calls = map { random_aggregate($columns) } 1 .. one_of(1, 1, 2, 3, 5);
	unshift @calls, 'dp_count_state(0.5)' unless grep { /_state/ } @calls;
	my $where = chance(0.6) ? ' WHERE ' . join(' AND ', map { random_condition($columns, 2) } 1 .. one_of(1, 1, 2, 3))
	  : '';
	my $select = 'SELECT ' . join(', ', (map { "($_)::text" } @keys), map { shown($_, $canonical) } @calls)
	  . " FROM $table$where" . (@keys ? ' GROUP BY ' . join(', ', map { /^\d+$/ ? "($_)" : $_ } @keys) : '');
	return $select if !@keys && chance(0.8);
	my $count = @keys + @calls;
	return "SELECT * FROM ($select) r ORDER BY " . join(', ', 1 .. $count) if chance(0.8);
	return "SELECT x, r.* FROM generate_series(1, 3) x, LATERAL ("
	  . ($select =~ s/ FROM \Q$table\E/ FROM (SELECT * FROM $table WHERE id > x * 40 OFFSET 0) $table/r)
	  . ") r ORDER BY " . join(', ', 1 .. $count + 1) if chance(0.3);
	return "SELECT x, r.* FROM generate_series(1, 3) x, LATERAL ("
	  . ($where eq '' ? $select =~ s/ FROM \Q$table\E/ FROM $table WHERE id > x * 40/r
		  : $select =~ s/ WHERE / WHERE id > x * 40 AND /r)
	  . ") r ORDER BY " . join(', ', 1 .. $count + 1);
}

# Statements that make aggregates whose results are states, and functions that compare these.
sub state_aggregates
{
	my @sql = (<<'SQL');
DO $$
DECLARE f record;
BEGIN
  FOR f IN SELECT p.oid::regprocedure AS name, proname, proargtypes[1:] AS types FROM pg_proc p
    WHERE pronamespace = 'idp'::regnamespace AND proname LIKE '%\_accum' AND prorettype = 'idp_state'::regtype
      AND NOT 'text'::regtype = ANY (proargtypes[3:]) LOOP
    EXECUTE format('CREATE AGGREGATE %I(%s) (sfunc = idp.%I, stype = idp_state, initcond = ''empty'',
      combinefunc = idp.combine, parallel = safe)',
      replace(f.proname, '_accum', '_state'), (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY n)
        FROM unnest(f.types::oid[]) WITH ORDINALITY x (t, n)), f.proname);
  END LOOP;
END $$
SQL
	push @sql, <<'SQL';
CREATE FUNCTION plainly(s idp_state) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT s::text $$
SQL
	# The head of a state, and its words in order; they are followed by four bytes that depend on all others.
	push @sql, <<'SQL';
CREATE FUNCTION canonical(s idp_state) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE bytes bytea := s::text::bytea;
BEGIN
  RETURN (SELECT encode(substr(bytes, 1, 76), 'hex') || ' ' || md5(string_agg(word, '' ORDER BY word))
    FROM (SELECT substr(bytes, 77 + 8 * i, 8) AS word FROM generate_series(0, (length(bytes) - 80) / 8 - 1) i) w);
END $$
SQL
	push @sql, <<'SQL';
CREATE FUNCTION late_to_fail(i integer) RETURNS integer
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN RETURN 100 / (i - 77) + 200; END $$
SQL
	return @sql;
}

1;
