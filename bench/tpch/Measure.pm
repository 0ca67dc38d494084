# What the two measurements of TPC-H share: a psql that is asked, and how far answers are from one another.
package Measure;

use strict;
use warnings;

use Exporter 'import';
use IPC::Open2;

our @EXPORT = qw(run_sql must median read_query errors);

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
sub median { my @sorted = sort { $a <=> $b } @_; return @sorted ? $sorted[$#sorted / 2] : undef }

sub read_query {
    my ($file) = @_;
    my (%query, $part);
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) {
        if (/^-- (title|answered|keys|note|published|unit): (.*)/) { $query{$1} = $2 }
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

1;
