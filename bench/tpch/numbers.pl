#!/usr/bin/perl
# What bench/tpch.sh runs while its server is up and its tables are loaded: counts and sums over one kind of unit, at the epsilon
# at which errors of another mechanism were published (R2T: Dong et al. 2022). That paper changed queries of TPC-H into one number
# each and prints no text of them: those asked here are our reading.
#
#   numbers.pl SCALE DRAWS QUERY...
#
# A query is a file: "-- title:", "-- published:" (percent), "-- unit:", then "-- plain" and "-- private" with SQL. Prints a table.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Measure;

my ($scale, $draws, @files) = @ARGV;

must($_) foreach split /;\n/, <<'SQL';
CREATE EXTENSION IF NOT EXISTS idp;
SELECT idp.protect('customer', 1e6, 'add_remove', unit => 'c_custkey');
SELECT idp.link('orders', 'o_custkey', 'customer');
SELECT idp.link('lineitem', 'l_orderkey', 'orders');
SELECT idp.protect('supplier', 1e6, 'add_remove', unit => 's_suppkey');
SELECT idp.link('partsupp', 'ps_suppkey', 'supplier');
SQL

print "One number of a query at epsilon 0.8, scale $scale, a unit may be added or removed; no bound is given. Median, and 9 of 10, of $draws draws.\n\n";
printf "%-3s %-29s %-9s %16s %9s %9s %10s\n", 'Q', 'title', 'unit', 'plain', 'error', '9 of 10', 'published';
for my $query (map { read_query($_) } @files) {
    my ($plain, undef, $error) = run_sql($query->{plain});
    die "Q$query->{number}, plain: $error\n" if defined $error;
    my $truth = $plain->[0][0];
    my @errors;
    for (1 .. $draws) {
        my ($answer, undef, $refused) = run_sql($query->{private});
        die "Q$query->{number}, private: $refused\n" if defined $refused;
        push @errors, 100 * abs($answer->[0][0] - $truth) / $truth;
    }
    @errors = sort { $a <=> $b } @errors;
    printf "%-3d %-29s %-9s %16s %7.3g %% %7.3g %% %8s %%\n", @$query{qw(number title unit)}, $truth, median(@errors),
        $errors[0.9 * $#errors], $query->{published};
}
