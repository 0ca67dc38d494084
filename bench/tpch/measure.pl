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
use IPC::Open2;

my ($scale, $rounds, @files) = @ARGV;
my $sentinel = 'end of answer';
my $settings = "\\set ON_ERROR_STOP off\n\\timing on\n\\pset null NULL\nSET max_parallel_workers_per_gather = 0;\n";

# rows of a statement or several (arrays of fields), the milliseconds they took, the first error
my $pid = open2(my $from, my $to, 'psql -XAtq 2>&1');
print {$to} $settings;

sub run_sql {
    my ($sql) = @_;
    print {$to} "$sql\n\\echo $sentinel\n";
    $to->flush;
    my ($milliseconds, @rows, $error) = (0);
    while (my $line = <$from>) {
        chomp $line;
        last if $line eq $sentinel;
        if ($line =~ /^Time: ([\d.]+) ms/) { $milliseconds += $1 }
        elsif ($line =~ /^(?:psql:\S+ )?ERROR:\s+(.*)/) { $error //= $1 }
        elsif ($line =~ /^(?:DETAIL|HINT|CONTEXT|LINE|WARNING|NOTICE)\b|^\s*\^/) { }
        else { push @rows, [split /\|/, $line, -1] }
    }
    return (\@rows, $milliseconds, $error);
}

sub must {
    my ($rows, undef, $error) = run_sql("$_[0];");
    die "$error\n$_[0]\n" if defined $error;
    return $rows;
}
sub spent { must("SELECT sum(spent) FROM idp.budget")->[0][0] // 0 }
sub median { my @sorted = sort { $a <=> $b } @_; return @sorted ? $sorted[$#sorted / 2] : undef }

sub read_query {
    my ($file) = @_;
    my (%query, $part);
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) {
        if (/^-- (title|answered|keys|note): (.*)/) { $query{$1} = $2 }
        elsif (/^-- (plain|private)$/) { $part = $1 }
        else { $query{$part} .= $_ }
    }
    ($query{number}) = $file =~ /q(\d+)\.sql$/;
    return \%query;
}

# how far numbers of the private rows are from those of the plain rows with the same keys, relatively
sub errors {
    my ($keys, $plain, $private) = @_;
    my %told = map { join("\t", @$_[0 .. $keys - 1]) => $_ } @$private;
    my @errors;
    for my $row (@$plain) {
        my $answer = $told{ join("\t", @$row[0 .. $keys - 1]) };
        for my $column ($keys .. $#$row) {
            next if $row->[$column] !~ /^-?[\d.]+$/ || $row->[$column] == 0;
            my $value = $answer ? $answer->[$column] : 'NULL';
            push @errors, $value eq 'NULL' ? 1 : abs($value - $row->[$column]) / abs($row->[$column]);
        }
    }
    return @errors;
}

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
