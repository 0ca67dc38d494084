# A table with enough rows for values near ranks to be looked for where they lie, and questions about it: columns of all
# types whose values are skewed, tied, all equal, in order, missing, infinite, or no number.
package RankRows;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Test::More;

our @EXPORT = qw($rank_columns $rank_rows rank_filling rank_questions repeated_questions exact_outcome);

our $rank_columns = 'id int, u float8, c int, w int, k bigint, z float8, n numeric(12,3), m numeric(30,4), p smallint, '
  . 'r real, d date, t timestamp, y timestamptz, o timestamp, e float8, a int';
our $rank_rows = 120000;

# u: as many different values as rows, over many orders of magnitude; c: one value; w: two; k: most between 1000 and
# 1010, others far away; z: NULL, NaN, both infinities, both zeros and others; o: in order; e: NULL; a:
# a hundred values.
sub rank_filling
{
	my ($from, $to) = @_;
	return
	  "SELECT i, exp(40 * (h - 0.5)), 7, CASE WHEN i % 10 < 3 THEN 5 ELSE -6 END, "
	  . "CASE WHEN i % 5 > 0 THEN 1000 + i % 11 ELSE ((h - 0.3) * 1e15)::bigint END, "
	  . "CASE i % 20 WHEN 0 THEN NULL WHEN 1 THEN NULL WHEN 2 THEN 'NaN' "
	  . "WHEN 3 THEN CASE WHEN i % 40 = 3 THEN '-Infinity'::float8 ELSE 'Infinity' END WHEN 4 THEN '-0' WHEN 5 THEN 0 "
	  . "ELSE tan(3.14159 * (h - 0.5)) END, "
	  . "CASE i % 50 WHEN 0 THEN 'NaN' ELSE (h * h * 1e6)::numeric(12,3) END, "
	  . "(h * 1e20)::numeric(30,4) - 30000000000000000000, (h * 30000)::smallint, (1 / (h - 0.50001))::real, "
	  . "CASE i % 30 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE date '2000-01-01' + (h * h * 100000)::int "
	  . "END, timestamp '2000-01-01' + h * h * interval '30 years', "
	  . "CASE i % 9 WHEN 0 THEN '-infinity' ELSE timestamptz '2000-01-01 00:00+00' + h * interval '30 years' END, "
	  . "timestamp '2024-01-01' + i * interval '1 second', NULL::float8, i % 100 "
	  . "FROM (SELECT i, ((i::bigint * 2654435761) % 4294967296) / 4294967296.0::float8 AS h "
	  . "FROM generate_series($from, $to) i) q";
}

my @plain = map { "idp_median($_, 1e30)" } qw(u c w k z n m p r d t y o e a);
my @ends = ('idp_min(u, 1e30, 0)', 'idp_max(u, 1e30, 1e10)', 'idp_max(z, 1e30, 1e300)',
	q[idp_min(o, 1e30, '2000-01-01')], q[idp_max(d, 1e30, '2300-01-01')], 'idp_min(n, 1e30, 0)',
	'idp_max(k, 1e30, 1000000000000000000)', 'idp_max(c, 1e30, 7)');

# %T stands for the table. Noise is far below what is compared; but a distance of two reals may lie half way
# between two reals.
sub rank_questions
{
	my ($seed, $count) = @_;
	my $state = $seed;
	my $choose = sub { $state = ($state * 1103515245 + 12345) % 2**31; return $_[ ($state >> 8) % @_ ] };
	my $call = sub {
		my $column = $choose->(qw(u u c w k k z z n m p r d t y o e a));
		my $fraction = $choose->(0, 0.00001, 0.001, 0.01, 0.25, 0.3, 0.5, 0.61803, 0.75, 0.9, 0.99, 0.9999, 1);
		my $k = $choose->(2, 3, 10, 100, 5000);
		my $iqr = $column =~ /[uwkznmpa]/ ? "idp_iqr($column, 1e30)" : "idp_median($column, 1e30)";
		return ($column, $choose->("idp_median($column, 1e30)", "idp_quantile($column, 1e30, $fraction)",
			"idp_quantile($column, 1e30, $fraction)", "idp_kth_smallest($column, 1e30, $k)",
			"idp_kth_largest($column, 1e30, $k)",
				$iqr, "idp_median($column, ARRAY[1e30, 1e30, 1e30]::float8[])"));
	};
	my @random = map {
		my ($column, $first) = $call->();
		my @calls = ($first);
		foreach (1 .. $choose->(0, 0, 1, 2))
		{
			my ($other, $next) = $call->();
			push @calls, $next if $other eq $column;
		}
		push @calls, 'dp_count(1e30)' if $choose->(0, 1);
		my $where = $choose->('', '', '', " WHERE $column IS NOT NULL", " WHERE $column > " . ($column =~ /[dtyo]/
			  ? "'2001-01-01'" : 3), " WHERE $column < " . ($column =~ /[dtyo]/ ? "'2024-01-01 20:00'" : 1005),
			' WHERE id <= 90000', ' WHERE id > 5000', ' WHERE a <> 17');
		'SELECT ' . join(', ', @calls) . " FROM %T$where";
	} 1 .. $count;
	return (
		(map { "SELECT $_ FROM %T" } @plain, @ends),
		'SELECT dp_count(1e30), idp_median(z, 1e30), idp_quantile(z, 1e30, 0.1), idp_quantile(z, 1e30, 0.9), '
		  . 'idp_iqr(z, 1e30) FROM %T',
		'SELECT idp_quantile(u, 1e30, 0.2), idp_quantile(u, 1e30, 0.4), idp_quantile(u, 1e30, 0.6), '
		  . 'idp_quantile(u, 1e30, 0.8), idp_quantile(u, 1e30, 0.999), dp_count(1e30) FROM %T',
		'SELECT dp_median_global(u, 1e30, 0, 1000), dp_max_global(u, 1e30, 0, 1000) FROM %T',
		'SELECT idp_median(u, 1e30) + 1, dp_count(1e30) > 5 FROM %T HAVING dp_count(1e30) > 10',
		'SELECT idp_median(v, 1e30) FROM (SELECT u AS v FROM %T WHERE id > 7) q',
		'SELECT idp_median(z, 1e30), dp_count(1e30) FILTER (WHERE z IS NOT NULL), dp_count(1e30) FROM %T',
		'SELECT idp_median(z, 1e30) FILTER (WHERE z IS NULL), idp_quantile(z, 1e30, 0.3) FILTER (WHERE z IS NOT NULL), '
		  . 'dp_count(1e30) FILTER (WHERE z IS NULL) FROM %T',
		'SELECT idp_median(u + 1, 1e30) FROM %T',
		'SELECT idp_median(u, 1e30) FILTER (WHERE a < 50), dp_count(1e30) FROM %T',
		'SELECT idp_median(u, 1e30), idp_median(k, 1e30) FROM %T',
		'SELECT idp_median(k, 1e30), dp_sum(k, 1e30, 0, 1000) FROM %T',
		'SELECT idp_median(k, 1e30), dp_count_distinct(k, 1e30) FROM %T',
		'SELECT idp_median(u, 1e30) FROM %T WHERE u * 2 > 1',
		'PREPARE q(float8) AS SELECT idp_median(u, 1e30) FROM %T WHERE u > $1; EXECUTE q(0.5); '
		  . 'EXECUTE q(0.25); DEALLOCATE q',
		'SELECT idp_median(u, 1e30) FROM %T WHERE id < 0', 'SELECT idp_median(u, 1e30) FROM %T WHERE id = 5',
		'SELECT idp_median(u, 1e30), dp_count(1e30) FROM %T WHERE id IN (5, 77)',
		@random);
}

# Questions about values that come a thousand times and more, so that as many are taken at once. Of a group without
# rows dp_max is drawn at random.
sub repeated_questions
{
	my @calls = ('idp_sum(a, 1e30, -6, 50)', 'idp_avg(a, 1e30, -50, 100)', 'idp_variance(a, 1e30, -6, 100)',
		'idp_stddev(a, 1e30, 0, 99)', 'dp_sum(a, 1e30, -3, 98)', 'dp_avg(a, 1e30, 0, 100)',
		'dp_variance(a, 1e30, -6, 100)', 'idp_trimmed_avg(a, 1e30, 0.2)', 'dp_histogram(a, 1e30, -6, 90, 7)',
		'dp_count_range(a, 1e30, 0, 50)', 'dp_count_distinct(a, 1e30)', 'idp_mode(a, 1e30)',
		'idp_median(a, 1e30)', 'dp_max(a, 1e30, 0, 1000)', 'idp_kth_largest(a, 1e30, 2000)');
	return (
		(map { "SELECT $_ FROM %T" } @calls, map { s/[(]a,/(w,/r } @calls),
		(map { "SELECT w, $_ FROM %T GROUP BY w ORDER BY w" } grep { !/dp_max/ } @calls),
		(map { "SELECT dp_count(1e30), $_, idp_median(w, 1e30), dp_count(1e30) FILTER (WHERE w = 5) FROM %T "
			. 'WHERE a < 60' } @calls));
}

# What a statement gives of a table, to all digits but the last ones of floats.
sub exact_outcome
{
	my ($session, $question, $table) = @_;
	my $r = $session->run($question =~ s/%T/$table/gr);
	my $out = $r->{message} // $r->{out};
	$out =~ s/\b$table\b/TABLE/g;
	$out =~ s/(-?\d+\.\d{9}\d*(?:e[-+]\d+)?|-?\d\.\d+e[-+]\d+)/sprintf '%.13g', $1/ge;
	return $out;
}

1;
