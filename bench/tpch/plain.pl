#!/usr/bin/perl
# What bench/tpch.sh runs while its server is up and its tables are loaded: the 22 queries as they stand in the specification,
# asked by a role from which customers, their orders and the lines of these are hidden.
#
#   plain.pl SCALE ROUNDS QUERY...
#
# A query costs epsilon 1 altogether, whatever it has of answers: idp.cost says how many. Prints a table.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use Measure;

my ($scale, $rounds, @files) = @ARGV;

must($_) foreach split /;\n/, <<'SQL';
CREATE EXTENSION IF NOT EXISTS idp;
CREATE ROLE analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst;
SELECT idp.protect('customer', 1e9, 'add_remove', unit => 'c_custkey', delta => 0.5, rows => 'hidden');
SELECT idp.link('orders', 'o_custkey', 'customer', max_rows => 30);
SELECT idp.link('lineitem', 'l_orderkey', 'orders', max_rows => 120);
SELECT idp.set_domain('customer', 'c_acctbal', -1000, 10000);
SELECT idp.set_domain('customer', 'c_mktsegment', '{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}'::text[]);
SELECT idp.set_domain('orders', 'o_orderdate', '1992-01-01', '1998-08-02');
SELECT idp.set_domain('orders', 'o_orderpriority', '{1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW}'::text[]);
SELECT idp.set_domain('lineitem', 'l_returnflag', '{A,N,R}'::text[]);
SELECT idp.set_domain('lineitem', 'l_linestatus', '{F,O}'::text[]);
SELECT idp.set_domain('lineitem', 'l_shipmode', '{REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB}'::text[]);
SELECT idp.set_domain('lineitem', 'l_shipdate', '1992-01-01', '1998-12-01');
SELECT idp.set_domain('lineitem', 'l_quantity', 0, 50);
SELECT idp.set_domain('lineitem', 'l_extendedprice', 0, 105000);
SELECT idp.set_domain('lineitem', 'l_discount', 0, 0.1);
SELECT idp.set_domain('lineitem', 'l_tax', 0, 0.08);
SELECT idp.set_domain('partsupp', 'ps_supplycost', 0, 1000);
SQL

print "TPC-H's 22 queries as they stand, at scale $scale, a customer as the unit; each query costs epsilon 1. Medians of $rounds rounds.\n",
    "Error: the median over all numbers of a query of |private - plain| / |plain|, of medians over rounds.\n\n";
printf "%-3s %-34s %7s %9s %9s %9s %6s  %s\n", 'Q', 'title', 'numbers', 'error', 'plain ms', 'priv. ms', 'ratio', 'refused';
my $answered = 0;
for my $query (map { read_query($_) } @files) {
    my $asks = "SET ROLE analyst; SET idp.epsilon = %s; SET idp.delta = 1e-9;";
    (my $sql = $query->{plain}) =~ s/;\s*\z//;
    must('SET ROLE analyst; SET idp.epsilon = 1');
    my ($cost, undef, $refused) = run_sql("SELECT coalesce(sum(epsilon), 0) FROM idp.cost(\$query\$$sql\$query\$);");
    must('RESET ROLE');
    my (@plain, @private, @errors);
    for my $round (0 .. $rounds) {
        last if defined $refused;
        my ($rows, $took, $error) = run_sql("$sql;");
        die "Q$query->{number}, plain: $error\n" if defined $error;
        must('SET ROLE analyst; SET idp.epsilon = ' . ($cost->[0][0] > 0 ? 1 / $cost->[0][0] : 1));
        my ($answers, $took_private, $error_of_private) = run_sql("$sql;");
        must('RESET ROLE; RESET idp.epsilon');
        $refused = $error_of_private;
        last if defined $refused;
        next if !$round;    # the first is to warm up
        push @plain, $took;
        push @private, $took_private;
        my @now = errors($query->{keys}, $rows, $answers);
        push @{ $errors[$_] }, $now[$_] for 0 .. $#now;
    }
    if (defined $refused) {
        printf "%-3d %-34s %7s %9s %9s %9s %6s  %s\n", @$query{qw(number title)}, ('') x 5, $refused;
        next;
    }
    $answered++;
    my $off = median(map { median(@$_) } @errors);
    printf "%-3d %-34s %7g %9s %9.0f %9.0f %6.2f\n", @$query{qw(number title)}, $cost->[0][0],
        defined $off ? sprintf('%.2g %%', 100 * $off) : '', median(@plain), median(@private), median(@private) / median(@plain);
}
print "\n$answered of ", scalar @files, " are answered.\n";
