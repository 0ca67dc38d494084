# Every aggregate, in every shape of statement, over tables that have the same rows in different places: answered as
# over the first of them, and charged the same, or refused as there. Prints a matrix: a row for each shape, how many of
# its cells are answered for each table.
package AnswerMatrix;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Test::More;

our @EXPORT = qw(calls_of_all matrix_columns matrix_rows compare_tables);

# What tables have for it, beside a table region (g, name) that everybody may know.
sub matrix_columns { return 'd int, g int NOT NULL, x int' }
sub matrix_rows
{
	my ($first, $last) = @_;
	return "SELECT i % 3, i % 5, CASE WHEN i % 4 > 0 THEN i % 37 ELSE 3 END FROM generate_series($first, $last) i";
}

# Calls of all aggregates over a whole number, by the names of their arguments. With this epsilon noise is far below
# what is compared, but for mechanisms that choose one of several values; that of a smooth sensitivity, whose tail is
# long, shows once in 1e12 runs.
sub calls_of_all
{
	my ($super) = @_;
	my $calls = $super->value(<<'SQL');
SELECT string_agg(p.proname || '(' || (SELECT string_agg(v.value, ', ' ORDER BY a.n)
  FROM unnest(p.proargnames) WITH ORDINALITY a (name, n)
  LEFT JOIN (VALUES ('x', 'x'), ('epsilon', '1e15'), ('lower', '0'), ('upper', '36'), ('buckets', '5'),
    ('fraction', '0.3'), ('k', '3'), ('gamma', '2'), ('domain', 'ARRAY[0, 3, 36]'), ('delta', '0.0001')) v (name, value)
    USING (name)) || ')', ';' ORDER BY p.proname, p.pronargs)
FROM pg_proc p JOIN pg_aggregate g ON g.aggfnoid = p.oid
WHERE (p.proname ~ '^idp_' OR p.proname ~ '^dp_') AND p.proname !~ 'report|rappor|keep_group'
  AND (p.proargtypes[0] IN ('int'::regtype, 'float8'::regtype) OR p.proargtypes[0] = 'anyelement'::regtype)
  AND p.proargnames[1] IN ('x', 'epsilon') AND NOT p.proargnames && '{release,epsilons}'
  AND (p.proargnames[1] = 'epsilon' OR p.proargtypes[0] <> 'float8'::regtype)
SQL
	my @calls = split /;/, $calls;
	cmp_ok(scalar @calls, '>=', 30, scalar(@calls) . ' aggregates');
	return @calls;
}

my @shapes = (
	[ 'plain', 'SELECT %C FROM %T' ],
	[ 'GROUP BY a column', 'SELECT g, %C FROM %T GROUP BY g ORDER BY g' ],
	[ 'GROUP BY the distribution column',
		'SELECT d, %C FROM %T GROUP BY d HAVING dp_keep_group(1000, 0.0001) ORDER BY d' ],
	[ 'FILTER', 'SELECT %C FILTER (WHERE g < 3) FROM %T' ],
	[ 'one shard', 'SELECT %C FROM %T WHERE d = 1' ],
	[ 'subquery', 'SELECT %C FROM (SELECT x FROM %T WHERE g > 1) q' ],
	[ 'CTE', 'WITH q AS (SELECT x FROM %T) SELECT %C FROM q' ],
	[ 'materialized CTE', 'WITH q AS MATERIALIZED (SELECT x FROM %T) SELECT %C FROM q' ],
	[ 'prepared, custom plan', 'PREPARE q(int) AS SELECT %C FROM %T WHERE g < $1; EXECUTE q(3); DEALLOCATE q' ],
	[ 'prepared, generic plan', 'SET plan_cache_mode = force_generic_plan; PREPARE q(int) AS SELECT %C FROM %T '
		  . 'WHERE g < $1; EXECUTE q(3); DEALLOCATE q; RESET plan_cache_mode' ],
	[ 'INSERT … SELECT', 'CREATE TEMP TABLE kept AS SELECT %C AS n FROM %T LIMIT 0; '
		  . 'INSERT INTO kept SELECT %C FROM %T; SELECT * FROM kept; DROP TABLE kept' ],
	[ 'HAVING', 'SELECT %C FROM %T HAVING dp_count(1e6) > 10' ],
	[ 'scalar subquery', 'SELECT (SELECT %C FROM %T)' ],
	[ 'reference table', 'SELECT %C FROM %T t JOIN region r USING (g) WHERE r.name <> \'r3\'' ],
	[ 'release name', 'SELECT %N FROM %T' ],
	[ 'release name, by groups', 'SELECT g, %N FROM %T GROUP BY g ORDER BY g' ],
	[ 'no rows', 'SELECT %C FROM %T WHERE x > 1000' ],);

# The same call under a name: of groups by g one for each.
sub named
{
	my ($call, $shape, $number, $table) = @_;
	my $name = $shape =~ /groups/ ? "'n$number ' || g || ' of $table'" : "'n$number of $table'";
	return $call =~ s/\)\z/, $name)/r;
}

# Answers that agree up to a hundredth, and the same text otherwise. Of no rows any number may be the median.
sub are_alike
{
	my ($one, $other, $is_empty) = @_;
	return $one =~ s/[-\d.e+]*\d/#/gr eq $other =~ s/[-\d.e+]*\d/#/gr if $is_empty;
	my @one = split /([-\d.e+]*\d)/, $one;
	my @other = split /([-\d.e+]*\d)/, $other;
	return 0 if @one != @other;
	foreach my $i (0 .. $#one)
	{
		my ($a, $b) = ($one[$i], $other[$i]);
		next if $a eq $b;
		return 0 unless $i % 2 && abs($a - $b) <= 0.01 * (1 + abs $a);
	}
	return 1;
}

# What was spent of a table so far; nothing of one that is not protected.
sub spent_of
{
	my ($super, $table) = @_;
	return $super->value("SELECT spent, delta_left FROM idp.budget WHERE table_name = '$table'") || '0|';
}

sub charged
{
	my ($super, $table, $before) = @_;
	my ($spent, $delta) = map { [ split /\|/, $_, -1 ] } $before, spent_of($super, $table);
	return join '|', map { $_ ? $_ + 0 : 0 } $delta->[0] - $spent->[0], ($spent->[1] || 0) - ($delta->[1] || 0);
}

# Takes a record of ElsewhereTest.
sub compare_tables
{
	my ($given) = @_;
	my ($super, $sessions, @tables) = ($given->{super}, $given->{sessions}, @{ $given->{tables} });
	my ($first, @others) = @tables;
	my @calls = calls_of_all($super);
	my %answered;
	my ($cells, $free) = (0, 0);
	my $number = 0;
	foreach my $rows ('unprotected', 'visible', 'hidden')
	{
		foreach my $table ($rows eq 'unprotected' ? () : @tables)
		{
			$super->value("SELECT idp.protect('$table', 1e24, rows => '$rows', delta => 0.9), "
				  . "idp.set_domain('$table', 'g', ARRAY[0, 1, 2, 3, 4])");
		}
		foreach my $role ($rows eq 'hidden' ? 'analyst' : 'owner')
		{
			foreach my $shape (@shapes)
			{
				my ($name, $statement) = @$shape;
				my @different;
				foreach my $call (@calls)
				{
					my %got;
					++$number;
					foreach my $table (@tables)
					{
						my $before = spent_of($super, $table);
						my $named = named($call, $name, $number, $table);
						my $r =
						  $sessions->{$role}->run($statement =~ s/%C/$call/gr =~ s/%N/$named/gr =~ s/%T/$table/gr);
						$sessions->{$role}->run('DROP TABLE IF EXISTS kept; DEALLOCATE ALL; RESET plan_cache_mode')
						  if defined $r->{message};
						my $is_answered = !defined $r->{message};
						$got{$table} = [ ($r->{message} // $r->{out}) =~ s/\b$table(?:_\d)?\b/TABLE/gr,
							charged($super, $table, $before), $is_answered ];
						++$cells;
						$answered{"$rows, $role"}{$name}{$table} += $is_answered;
						$free += $is_answered && $got{$table}[1] eq '0|0' && $name ne 'no rows'
						  && $rows ne 'unprotected';
					}
					foreach my $table (@others)
					{
						# a worker that answers all of a query cannot know that nothing is charged: it refuses; and
						# states of no rows, put together by Citus, do not know what was asked: NULL
						next if $rows eq 'unprotected'
						  && (!$got{$table}[2] || ($name eq 'no rows' && $got{$table}[0] eq ''));
						my $is_same = $got{$table}[1] eq $got{$first}[1]
						  && are_alike($got{$first}[0], $got{$table}[0], $name eq 'no rows');
						push @different, "$table: $call: $got{$table}[0] for $got{$table}[1], "
						  . "not $got{$first}[0] for $got{$first}[1]" unless $is_same;
					}
				}
				is(join("\n", @different), '', "$rows rows, $role: $name");
			}
		}
	}
	is($free, 0, 'no answer that is free');
	foreach my $who (sort keys %answered)
	{
		diag sprintf '%-36s %s', "$who: of " . @calls, join ' ', map { sprintf '%10s', $_ } @tables;
		diag sprintf '%-36s %s', $_->[0], join ' ', map { sprintf '%10d', $_ } @{ $answered{$who}{ $_->[0] } }{@tables}
		  foreach @shapes;
	}
	note "$cells cells";
	return;
}

1;
