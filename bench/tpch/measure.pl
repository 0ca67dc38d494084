#!/usr/bin/perl
# What bench/tpch.sh runs while its server is up and its tables are loaded.
#
#   measure.pl SCALE ROUNDS QUERY...
#
# A query is a file: lines "-- title:", "-- answered:", "-- keys:" (so many columns lead its rows and name
# them), "-- note:", then "-- plain" and SQL and, where the answer differs, "-- private" and SQL. Customers
# are the unit of the private ones. Prints a table.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Measure;

my ($scale, $rounds, @files) = @ARGV;

sub spent { must("SELECT sum(spent) FROM idp.budget")->[0][0] // 0 }

must("CREATE EXTENSION IF NOT EXISTS idp");
must("SELECT idp.protect('customer', 1e6, unit => 'c_custkey')");
must("SELECT idp.link('orders', 'o_custkey', 'customer')");
must("SELECT idp.link('lineitem', 'l_orderkey', 'orders')");

print "TPC-H's 22 queries at scale $scale, a customer as the unit; each answer has epsilon 1. Medians of $rounds rounds.\n",
    "Error: the median over all numbers of a query of |private - plain| / |plain|, of medians over rounds.\n\n";
printf "%-3s %-29s %-31s %6s %9s %9s %9s %6s  %s\n", 'Q', 'title', 'answered', 'cost', 'error', 'plain ms', 'priv. ms',
    'ratio', 'note';
for my $query (map { read_query($_) } @files) {
    my $private = $query->{private} // $query->{plain};
    if ($query->{answered} eq 'no') {
        printf "%-3d %-29s %-31s %6s %9s %9s %9s %6s  %s\n", @$query{qw(number title answered)}, ("") x 5, $query->{note};
        next;
    }
    my (@plain, @private, @errors, $cost);
    for my $round (0 .. $rounds) {
        my ($rows, $took, $error) = run_sql($query->{plain});
        die "Q$query->{number}, plain: $error\n" if defined $error;
        my $before = spent();
        my ($answers, $took_private, $refused) = run_sql($private);
        die "Q$query->{number}, private: $refused\n" if defined $refused;
        $cost = spent() - $before;
        next if !$round; # the first is to warm up
        push @plain, $took;
        push @private, $took_private;
        my @now = errors($query->{keys}, $rows, $answers);
        push @{ $errors[$_] }, $now[$_] for 0 .. $#now;
    }
    my $off = median(map { median(@$_) } @errors);
    printf "%-3d %-29s %-31s %6g %9s %9.0f %9.0f %6.2f  %s\n", @$query{qw(number title answered)}, $cost,
        defined $off ? sprintf('%.2g %%', 100 * $off) : '', median(@plain), median(@private),
        median(@private) / median(@plain), $query->{note} // '';
}
