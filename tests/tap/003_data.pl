# No data whatever raises an error: every aggregate answers, or is NULL, on the product of column
# types, extreme values, epsilons and bounds; and the answer is a value of its type.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('data');
my $s = session($node);
$s->value("SET timezone = 'UTC'");

# finite: the ends and neighbours of the type's range and ordinary values, in increasing order.
# exact: a huge epsilon gives the native answer, and so do ties (types whose grid holds every value).
my @columns = (
	{ type => 'smallint', exact => 1, finite => [qw(-32768 -32767 -1 0 7 32766 32767)] },
	{ type => 'integer', exact => 1, finite => [qw(-2147483648 -2147483647 -1 0 7 2147483646 2147483647)] },
	{
		type => 'bigint',
		exact => 1,
		finite => [
			qw(-9223372036854775808 -9223372036854775807 -1 0 7 9223372036854775806 9223372036854775807)]
	},
	{
		type => 'real',
		infinite => 1,
		nan => 1,
		finite => [qw(-3.4028235e38 -1.5 -1e-45 -0 0 1e-45 1.1754942e-38 0.1 3.4028233e38 3.4028235e38)]
	},
	{
		type => 'double precision',
		infinite => 1,
		nan => 1,
		finite => [
			qw(-1.7976931348623157e308 -1.5 -5e-324 -0 0 5e-324 2.225073858507201e-308 0.1
			  1.7976931348623155e308 1.7976931348623157e308)
		]
	},
	{
		type => 'numeric',
		infinite => 1,
		nan => 1,
		finite => [
			'-1e131071', '-1e1000', '-12345678901234567890.12345', '-1e-1000', '-1e-16383', '0',
			'1e-16383', '1e-17', '0.0001', '1', '99999999999999999999', '17014118346046923173.16',
			'1e1000', '9' x 1000 . '.' . '9' x 1000, '1e131071'
		]
	},
	{
		type => 'numeric(18,4)',
		nan => 1,
		exact => 1,
		finite => [ '-' . '9' x 14 . '.9999', '-0.0001', '0', '0.0001', '1', '9' x 14 . '.9999' ]
	},
	{
		type => 'numeric(38,10)',
		nan => 1,
		exact => 1,
		finite => [ '-' . '9' x 28 . '.9999999999', '-1e-10', '0', '1e-10', '1', '9' x 28 . '.9999999999' ]
	},
	# scales below 0 and beyond the precision: from PostgreSQL 15 on
	$major >= 15 ? { type => 'numeric(5,-2)', nan => 1, exact => 1, finite => [qw(-9999900 -100 0 100 12300 9999900)] }
	  : (),
	$major >= 15 ? { type => 'numeric(3,5)', nan => 1, exact => 1, finite => [qw(-0.00999 -0.00001 0 0.00001 0.00999)] }
	  : (),
	{
		type => 'numeric(1000,500)',
		nan => 1,
		finite => [ '-' . '9' x 500 . '.' . '9' x 500, '-1e-500', '0', '1e-500', '1', '1e499',
			'9' x 500 . '.' . '9' x 500 ]
	},
	{ type => 'numeric(1000,1000)', nan => 1, finite => [ '-1e-1000', '0', '1e-1000', '0.5', '0.' . '9' x 1000 ] },
	{
		type => 'date',
		infinite => 1,
		exact => 1,
		finite => [ '4714-11-24 BC', '4714-11-25 BC', '0001-12-31 BC', '2000-01-01', '2024-02-29', '5874897-12-30',
			'5874897-12-31' ]
	},
	map {
		{
			type => $_,
			infinite => 1,
			exact => 1,
			finite => [
				'4714-11-24 00:00:00 BC',
				'4714-11-24 00:00:00.000001 BC',
				'1999-12-31 23:59:59.999999',
				'2000-01-01 00:00:00',
				'2024-02-29 12:00:00',
				'294276-12-31 23:59:59.999998',
				'294276-12-31 23:59:59.999999'
			]
		}
	} qw(timestamp timestamptz));

# One aggregate on one data set: the answer is read as a value of its type again.
#   infinite_data  an infinity among the values may be the answer
#   native         what the answer must be at epsilon 1e300 unless it is NULL
$s->value(<<'SQL');
CREATE TABLE trouble (query text, data text, problem text);
CREATE TABLE tried (type text, aggregate text, data text, answered bool);
CREATE FUNCTION attempt(type text, aggregate text, arguments text, data text[], native text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  query text := format('SELECT %s(x, %s) FROM unnest($1::%s[]) x', aggregate, arguments, type);
  is_count bool := aggregate LIKE '%count%';
  is_sum bool := aggregate ~ '_(sum|avg|variance|stddev)$';  -- of another type than the column
  answer text;
  problem text;
  ok bool;
BEGIN
  -- the cast in unnest() drops a typmod, so it is said again for the column
  query := replace(query, '(x,', format('(x::%s,', type));
  BEGIN
    EXECUTE format('SELECT (%s)::text', query) INTO answer USING data;
    INSERT INTO tried VALUES (type, aggregate, data::text, answer IS NOT NULL);
    IF is_count THEN
      ok := answer::bigint IS NOT NULL;  -- the cast must work
    ELSIF is_sum THEN
      ok := answer::numeric BETWEEN '-1e400' AND '1e400' OR answer ~ '^-?\d+(\.\d+)?$';  -- a finite number, always
    ELSIF aggregate = 'dp_histogram' THEN
      ok := array_length(answer::bigint[], 1) = 3;
    ELSE
      -- the cast to the declared type changes nothing: the answer is one of its values
      EXECUTE format('SELECT coalesce($1::%s::text::%1$s = $1::%s, true)', type,
                     split_part(type, '(', 1)) INTO ok USING answer;
      IF answer LIKE '%nfinity' AND NOT data::text LIKE '%nfinity%' OR answer = 'NaN' THEN
        ok := false;
      END IF;
    END IF;
    IF NOT ok THEN problem := 'not a value of its type: ' || left(answer, 50); END IF;
    IF native IS NOT NULL AND answer IS NOT NULL THEN
      EXECUTE format('SELECT $1::%s = (%s)', CASE WHEN is_count THEN 'bigint' ELSE type END,
                     format(native, format('unnest($2::%s[]) x', type))) INTO ok USING answer, data;
      IF NOT ok THEN problem := 'not the native answer: ' || left(answer, 50); END IF;
    END IF;
  EXCEPTION WHEN OTHERS THEN
    problem := sqlstate || ' ' || sqlerrm;
  END;
  IF problem IS NOT NULL THEN
    INSERT INTO trouble VALUES (left(query, 300), left(data::text, 200), problem);
  END IF;
END $$;
SQL

sub array { return 'ARRAY[' . join(', ', map { defined $_ ? "'$_'" : 'NULL' } @_) . ']::text[]' }

my @epsilons = ('1', '1e300', '1e-9', '1e-18');
my $queries = 0;
foreach my $column (@columns)
{
	my ($type, @finite) = ($column->{type}, @{ $column->{finite} });
	my ($low, $high, $middle) = ($finite[0], $finite[-1], $finite[ @finite / 2 ]);
	my @infinite = $column->{infinite} ? ('-infinity', 'infinity') : ();
	my @odd = (@infinite, $column->{nan} ? 'NaN' : ());
	my @data = (
		[], [ (undef) x 5 ], (map { [$_] } @finite, @odd),
		(map { [ ($_) x 5 ] } @finite, @odd),
		[ $low, $high ], [ $low, $low ], [ $high, $high, undef ], [ $middle, $low ],
		[ $low, $middle, $high ], [@finite], [ reverse @finite, undef, @odd ], [ (@finite, @odd) x 40 ],
		(map { ([ $_, $finite[0], $finite[1] ], [ $finite[-1], $finite[-2], $_ ], [ $_, $_, $middle, $middle, $_ ]) }
			  @odd),
		[ (@infinite) x 3 ]);

	my @calls;    # name, parameters, native answer
	push @calls, [ 'idp_median', '',
		$column->{exact} && 'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM %s' ];
	push @calls, map { [ 'idp_quantile', ", $_",
		$column->{exact} && "SELECT percentile_disc($_) WITHIN GROUP (ORDER BY x) FROM %s" ] } ('0', '1', '0.75', '0.3',
			'5e-324');
	push @calls, map { [ 'idp_min', ", '$_'::$type" ], [ 'idp_max', ", '$_'::$type" ] } ($low, $middle, $high);
	push @calls, map { [ 'idp_kth_smallest', ", $_" ], [ 'idp_kth_largest', ", $_" ] } (1, 2, 3, 2147483647);
	push @calls, map {
		my ($lower, $upper) = @$_;
		my $bounds = "'$lower'::$type, '$upper'::$type";
		([ 'idp_count_range', ", $bounds", "SELECT count(*) FROM %s WHERE x BETWEEN '$lower' AND '$upper'" ],
		 [ 'dp_count_range', ", $bounds", "SELECT count(*) FROM %s WHERE x BETWEEN '$lower' AND '$upper'" ])
	} ([ $low, $high ], [ $middle, $middle ], [ $low, $low ], [ $high, $high ], @infinite ? [@infinite] : ());
	my $older = @calls;    # those after them take the extremes of epsilon only
	push @calls, map {
		my $bounds = ", '$_->[0]'::$type, '$_->[1]'::$type";
		(
			($type =~ /date|time/ ? () : map { ([ "idp_$_", $bounds ], [ "dp_$_", $bounds ]) } qw(sum avg variance
				stddev)),
			[ 'dp_histogram', "$bounds, 3" ], [ 'dp_median', $bounds ], [ 'dp_median_smooth', $bounds ],
			[ 'dp_quantile_smooth', "$bounds, 0.3, 2" ], [ 'dp_max_smooth', "$bounds, 4" ],
			[ 'dp_max_global', $bounds ])
	} ([ $low, $high ], $type =~ /numeric/ ? [ 0, $high ] : [ $middle, $middle ]);
	push @calls, [ 'dp_count_distinct', '', "SELECT count(DISTINCT x) FILTER (WHERE x::text <> 'NaN') FROM %s" ];

	my @statements;
	foreach my $epsilon (@epsilons)
	{
		foreach my $call ($epsilon =~ /^1e300|e-18/ ? @calls : @calls[ 0 .. $older - 1 ])
		{
			my ($name, $parameters, $native) = @$call;
			# percentile_disc does not skip NaN
			foreach my $data (@data)
			{
				my $known = $native && $epsilon eq '1e300'
				  && !($name !~ /count/ && grep { defined $_ && $_ eq 'NaN' } @$data);
				push @statements, sprintf "PERFORM attempt('%s', '%s', %s, %s, %s);",
				  $type, $name, quoted("$epsilon$parameters"), array(@$data), $known ? quoted($native) : 'NULL';
				$queries++;
			}
		}
	}
	# in pieces: a DO block of all of them would be large
	while (my @some = splice @statements, 0, 500)
	{
		$s->value("DO \$\$ BEGIN\n" . join("\n", @some) . "\nEND \$\$");
	}
	is($s->value("SELECT count(*) FROM trouble"), 0, "$type: every aggregate answers or is NULL")
	  or diag($s->value("SELECT problem, query, data FROM trouble LIMIT 20"));
	$s->value('TRUNCATE trouble');
}
sub quoted { return "'" . $_[0] =~ s/'/''/gr . "'" }

is($s->value('SELECT count(*) FROM tried'), $queries, "$queries combinations tried");
is( $s->value("SELECT count(*) FROM (VALUES ('idp_median'), ('idp_quantile'), ('idp_min'), ('idp_max'), "
		  . "('idp_kth_smallest'), ('idp_kth_largest')) a (aggregate) CROSS JOIN (SELECT DISTINCT type FROM tried) t "
		  . "WHERE NOT EXISTS (SELECT FROM tried "
		  . "WHERE tried.aggregate = a.aggregate AND tried.type = t.type AND answered)"),
	0, 'each aggregate answered something for each type');

# --- What is missing is NULL ---------------------------------------------------------------------

foreach my $type (map { $_->{sql} } @types)
{
	my $values = join ', ', map { "$_" } $type =~ /date|time/ ? ("'2000-01-01'", "'2000-01-02'") : (1, 2);
	my ($lower, $upper) = $type =~ /date|time/ ? ("'1999-01-01'", "'2001-01-01'") : (0, 3);
	my $calls = join ', ', map { "$_ IS NULL" } ("idp_median(x, 1)", "idp_quantile(x, 1, 0.9)",
		"idp_kth_largest(x, 1, 2)", "idp_kth_smallest(x, 1, 2)", "idp_kth_smallest(x, 1, 3)");
	is($s->value("SELECT $calls FROM unnest(ARRAY[$values]::$type\[]) x"),
		't|t|t|t|t', "$type, two rows: a neighbour is missing");
	is($s->value("SELECT idp_min(x, 1, $lower) IS NOT NULL, idp_max(x, 1, $upper) IS NOT NULL "
		  . "FROM unnest(ARRAY[$values]::$type\[]) x"),
		't|t', "$type, two rows: a bound stands in");
	is($s->value("SELECT idp_min(x, 1, $lower) IS NULL, idp_max(x, 1, $upper) IS NULL "
		  . "FROM unnest(ARRAY[$values]::$type\[]) x WHERE x IS NULL"),
		't|t', "$type, no rows: NULL");
	# NULL and NaN do not count as rows
	my $nan = $type =~ /real|double|numeric/ ? ", 'NaN', 'NaN'" : '';
	is($s->value("SELECT idp_median(x, 1) IS NULL, idp_kth_largest(x, 1, 2) IS NULL "
		  . "FROM unnest(ARRAY[$values, NULL, NULL$nan]::$type\[]) x"),
		't|t', "$type: NULL and NaN are skipped");
}

# clamping: a value outside the bound counts as the bound
is($s->value("SELECT idp_max(x, 1, 5) FROM unnest(ARRAY[9, 9, 9]) x"), '5', 'values above upper count as upper');
is($s->value("SELECT idp_min(x, 1, 5) FROM unnest(ARRAY[1, 1, 1]) x"), '5', 'values below lower count as lower');
is($s->value("SELECT idp_max(x, 1, 5) FROM unnest(ARRAY['infinity', 'infinity']::float8[]) x"), '5',
	'infinity is clamped');
is($s->value("SELECT idp_min(x, 1, 5) FROM unnest(ARRAY['-infinity', '-infinity']::numeric[]) x"), '5',
	'-infinity is clamped');

# the truncated count is within one of the true one whatever epsilon is
foreach my $epsilon ('1e-18', '1e-9', '0.1', '1')
{
	is( $s->value("SELECT max(abs(c - 25)) <= 1 FROM (SELECT g, idp_count_range(x, $epsilon, 10, 34) AS c "
			  . "FROM generate_series(1, 200) g, generate_series(1, 100) x GROUP BY g) s"),
		't', "idp_count_range at epsilon $epsilon");
}
# ... and at the least epsilon a count saturates, about once in a hundred, instead of wrapping or failing
is( $s->value("SELECT count(*) FILTER (WHERE c = 9223372036854775807) > 0, "
		  . "count(*) FILTER (WHERE c = -9223372036854775808) > 0, count(*) "
		  . "FROM unnest((SELECT dp_histogram(x, 1e-18, 0, 10000, 10000) FROM generate_series(1, 100) x)) c"),
	't|t|10000', 'counts at the least epsilon saturate');

$s->alive('after all data');
$s->quit;
$node->stop;
done_testing();
