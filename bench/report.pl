#!/usr/bin/perl
# Makes tables, chart data and results.json of the records of bench/measure.sh and bench/memory.sh
# and the output of the micro-benchmarks, and prints what the wanted parts found.
#
#   report.pl DIRECTORY TABLES RECORDS MICRO NAME=VALUE...
#
# DIRECTORY is that of the page, of results.json and of the data of charts; the tables of the page
# are written to TABLES.
#
# Parts that did not run now keep what DIRECTORY/results.json says of them, if that is of the same
# machine and the same size. A ratio is that of two medians; its spread is the range of the ratios
# of the single rounds, or of the middle half of them if there are more than ten.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use JSON::PP;
use POSIX ();
use List::Util qw(min max);

my ($directory, $tables, $records, $micro, @about) = @ARGV;
my %about = map { utf8::decode(my $pair = $_); split /=/, $pair, 2 } @about;
my $json = JSON::PP->new->utf8->canonical->pretty;

my @order = qw(columns counts groups distinct peers shapes scaling memory plans micro);
my (%now, %comparison);

sub median { my @v = sort { $a <=> $b } @_; my $n = @v; ($v[($n - 1) / 2] + $v[$n / 2]) / 2 }

sub spread {
  my @v = sort { $a <=> $b } @_;
  my $cut = @v > 10 ? int(@v / 4) : 0;
  return @v[ $cut, $#v - $cut ];
}

sub significant {    # to three digits, without an exponent
  my ($x) = @_;
  return '0' if $x == 0;
  my $digits = 2 - int(POSIX::floor(log(abs $x) / log 10));
  return sprintf '%.*f', max($digits, 0), $x;
}

# --- reading -------------------------------------------------------------------------------------

sub slurp { my ($file) = @_; open my $in, '<:raw', $file or return; local $/; return <$in>; }

if (open my $in, '<', $records) {
  while (<$in>) {
    chomp;
    my ($kind, @f) = split /\t/, $_, -1;
    if ($kind eq 'P') { $now{ $f[0] } = { title => $f[1] } }
    elsif ($kind eq 'N') { push @{ $now{ $f[0] }{remarks} }, $f[1] }
    elsif ($kind eq 'C') {
      $comparison{ $f[0] } = { title => $f[2] =~ s/(\d{4,})/thousands($1)/er, settings => $f[3], queries => [], ratios => [] };
      push @{ $now{ $f[1] }{comparisons} }, $comparison{ $f[0] };
    }
    elsif ($kind eq 'A') { @{ $comparison{ $f[0] } }{qw(axis at)} = ($f[1], $f[2] + 0) }
    elsif ($kind eq 'Q') { push @{ $comparison{ $f[0] }{queries} }, { name => $f[1], sql => $f[2], rounds => [] } }
    elsif ($kind eq 'T') {
      my ($query) = grep { $_->{name} eq $f[2] } @{ $comparison{ $f[0] }{queries} };
      $query->{rounds}[ $f[1] - 1 ] = $f[3] + 0;
    }
    elsif ($kind eq 'G') {
      push @{ $comparison{ $f[0] }{ratios} },
        { kind => $f[1], ours => $f[3], other => $f[4], $f[2] eq '-' ? () : (goal => $f[2] + 0) };
    }
    elsif ($kind eq 'H') {
      push @{ $now{memory}{peaks} },
        { rows => $f[0] + 0, query => $f[1], work_mem => $f[2], kilobytes => $f[3] + 0 };
    }
  }
}

for my $comparison (values %comparison) {
  my %of = map { $_->{name} => $_ } @{ $comparison->{queries} };
  for my $query (values %of) {
    my @ms = @{ $query->{rounds} };
    @$query{qw(median_ms fastest_ms slowest_ms)} = (median(@ms), spread(@ms));
  }
  for my $ratio (@{ $comparison->{ratios} }) {
    my ($top, $bottom) = @of{ @$ratio{qw(ours other)} };
    ($top, $bottom) = ($bottom, $top) if $ratio->{kind} eq 'faster';
    my @each = map { $top->{rounds}[$_] / $bottom->{rounds}[$_] } 0 .. $#{ $top->{rounds} };
    $ratio->{ratio} = $top->{median_ms} / $bottom->{median_ms};
    @$ratio{qw(lowest highest)} = spread(@each);
    next unless defined $ratio->{goal};
    my $sign = $ratio->{kind} eq 'faster' ? -1 : 1;
    $ratio->{met} = $sign * $ratio->{ratio} <= $sign * $ratio->{goal} ? JSON::PP::true : JSON::PP::false;
  }
}

# "relax/milliepsilon:500/sensitivity:1" for people
sub micro_name {
  my ($name, @arguments) = split m{/}, $_[0];
  my @said;
  for (@arguments) {
    my ($what, $value) = split /:/;
    if ($what eq 'milliepsilon') { push @said, 'ε = ' . $value / 1000 }
    elsif ($what eq 'sensitivity') { push @said, 'sensitivity ' . ($value == 2**40 ? '2⁴⁰' : $value) }
    elsif ($what eq 'different') { push @said, $value ? "$value values" : 'all different' }
    else { push @said, thousands($value) . " $what" }
  }
  return "$name (" . join(', ', @said) . ')';
}

# Of the repetitions of each benchmark.
if (-s $micro) {
  my (%runs, @names);
  my @runs = grep { $_->{run_type} eq 'iteration' } @{ $json->decode(slurp($micro))->{benchmarks} };
  for my $run (sort { $a->{family_index} <=> $b->{family_index}    # they ran in random order
      || $a->{per_family_instance_index} <=> $b->{per_family_instance_index} } @runs) {
    my $name = micro_name($run->{run_name});
    push @names, $name unless $runs{$name};
    my $unit = { ns => 1, us => 1e3, ms => 1e6 }->{ $run->{time_unit} };
    push @{ $runs{$name}{ns} }, $run->{cpu_time} * $unit;
    @{ $runs{$name} }{qw(goal_ns items)} = @$run{qw(goal_ns items)};
  }
  $now{micro} = { title => 'The core', benchmarks => [] };
  for my $name (@names) {
    my $run = $runs{$name};
    my $ns = median(@{ $run->{ns} });
    my $result = { name => $name, ns => $ns, fastest_ns => min(@{ $run->{ns} }), slowest_ns => max(@{ $run->{ns} }) };
    $result->{items} = $run->{items} if $run->{items};
    if ($run->{goal_ns}) {
      $result->{goal_ns} = $run->{goal_ns};
      $result->{met} = $ns <= $run->{goal_ns} ? JSON::PP::true : JSON::PP::false;
    }
    push @{ $now{micro}{benchmarks} }, $result;
  }
}

my %parts;
my $before = slurp("$directory/results.json");
if (defined $before) {
  $before = $json->decode($before);
  if (!grep { ($before->{$_} // '') ne ($about{$_} // '') } qw(processor cores mode)) {
    %parts = %{ $before->{parts} };
  }
}
for my $name (keys %now) {
  $parts{$name} = { %{ $now{$name} }, map { $_ => $about{$_} } qw(when revision) };
}
{
  open my $out, '>:raw', "$directory/results.json" or die "$directory/results.json: $!";
  print $out $json->encode({ %about, parts => \%parts });
}

# --- tables --------------------------------------------------------------------------------------

sub thousands { my ($n) = @_; 1 while $n =~ s/^(\d+)(\d{3})/$1 $2/; return $n }
sub cell { my $text = join '', @_; $text =~ s/\|/\\|/g; return $text }
sub row { return '| ' . join(' | ', map { cell($_) } @_) . " |\n" }
sub code { return "`$_[0]`" }
sub range { return significant($_[0]) . ' – ' . significant($_[1]) }

sub verdict {
  my ($r, $goal, $lowest, $highest) = @_;
  return '' unless defined $r->{$goal};
  my $close = $r->{$lowest} <= $r->{$goal} && $r->{$goal} <= $r->{$highest} ? ' (within the spread)' : '';
  return ($r->{met} ? 'met' : '**missed**') . $close;
}
sub goal_of {
  my ($r) = @_;
  return '' unless defined $r->{goal};
  return ($r->{kind} eq 'faster' ? '≥ ' : '≤ ') . $r->{goal};
}
sub name_of {
  my ($r) = @_;
  my ($top, $bottom) = @$r{qw(ours other)};
  ($top, $bottom) = ($bottom, $top) if $r->{kind} eq 'faster';
  return code($top) . ' / ' . code($bottom);
}

sub into {
  my ($file, @lines) = @_;
  my $path = ($file =~ /\.md$/ ? $tables : $directory) . "/$file";
  open my $out, '>', $path or die "$path: $!";
  print $out @lines;
}

sub stamp {
  my ($part) = @_;
  return join('', map { "$_\n" } @{ $part->{remarks} // [] }) . ($part->{remarks} ? "\n" : '');
}

my (@goals, @ratio_rows);
for my $name (grep { $parts{$_} } @order) {
  my $part = $parts{$name};
  for my $comparison (@{ $part->{comparisons} // [] }) {
    for my $ratio (@{ $comparison->{ratios} }) {
      next unless defined $ratio->{goal};
      push @goals, { %$ratio, where => $comparison->{title} };
    }
  }
  for my $run (@{ $part->{benchmarks} // [] }) {
    push @goals, { %$run, micro => 1 } if $run->{goal_ns};
  }
}

sub comparisons_table {
  my ($part) = @_;
  my @lines = ("| comparison | ratio of times | measured | spread | goal | |\n", "|---|---|---|---|---|---|\n");
  my @times = ("| comparison | query | median ms | spread |\n", "|---|---|---|---|\n");
  for my $comparison (@{ $part->{comparisons} // [] }) {
    push @lines, row($comparison->{title}, name_of($_), significant($_->{ratio}),
      range(@$_{qw(lowest highest)}), goal_of($_), verdict($_, qw(goal lowest highest)))
      for @{ $comparison->{ratios} };
    push @times, row($comparison->{title}, code($_->{name}), significant($_->{median_ms}),
      range(@$_{qw(fastest_ms slowest_ms)}))
      for @{ $comparison->{queries} };
  }
  my $details = "<details><summary>Times</summary>\n\n";
  return (stamp($part), @lines, "\n", $details, @times, "\n</details>\n");
}
into("$_.md", "Not measured yet.\n") for 'slopes', grep { !$parts{$_} } @order;
for my $name (grep { $parts{$_}{comparisons} || $parts{$_}{remarks} } grep { $parts{$_} } @order) {
  into("$name.md", comparisons_table($parts{$name}));
}

# Straight lines through the times of each query, by least squares of relative errors: ms = a + b n;
# and how the time grows, by those of a million rows and more: time ~ n^e.
sub slopes {
  my (%points, @names);
  for my $comparison (@{ $_[0]{comparisons} }) {
    for my $query (@{ $comparison->{queries} }) {
      push @names, $query->{name} unless $points{ $query->{name} };
      push @{ $points{ $query->{name} } }, [ $comparison->{at}, $query->{median_ms} ];
    }
  }
  my @lines = ("| query | ns for each row | fixed ms | exponent, from a million rows on |\n", "|---|---|---|---|\n");
  for my $name (@names) {
    my ($w, $wx, $wy, $wxx, $wxy) = (0) x 5;
    my ($m, $lx, $ly, $lxx, $lxy) = (0) x 5;
    for my $point (@{ $points{$name} }) {
      my ($x, $y) = @$point;
      my $weight = 1 / $y**2;
      $w += $weight; $wx += $weight * $x; $wy += $weight * $y; $wxx += $weight * $x**2; $wxy += $weight * $x * $y;
      next if $x < 1e6;
      my ($u, $v) = (log $x, log $y);
      $m++; $lx += $u; $ly += $v; $lxx += $u**2; $lxy += $u * $v;
    }
    my $d = $w * $wxx - $wx**2;
    next unless $d > 0;
    my $slope = ($w * $wxy - $wx * $wy) / $d;
    my $e = $m > 1 ? sprintf('%.2f', ($m * $lxy - $lx * $ly) / ($m * $lxx - $lx**2)) : '';
    push @lines, row(code($name), significant($slope * 1e6), significant(($wy - $slope * $wx) / $w), $e);
  }
  return @lines;
}
into('slopes.md', slopes($parts{scaling})) if $parts{scaling} && $parts{scaling}{comparisons};

if ($parts{memory} && $parts{memory}{peaks}) {
  my @peaks = @{ $parts{memory}{peaks} };
  my ($idle) = map { $_->{kilobytes} } grep { $_->{rows} == 0 } @peaks;
  my (@names, %of, %rows);
  for my $peak (grep { $_->{rows} } @peaks) {
    my $name = code($peak->{query}) . ", $peak->{work_mem}";
    push @names, $name unless $of{$name};
    $of{$name}{ $peak->{rows} } = $peak->{kilobytes};
    $rows{ $peak->{rows} } = 1;
  }
  my @rows = sort { $a <=> $b } keys %rows;
  into('memory.md', stamp($parts{memory}), sprintf("MB (10⁶ bytes); an idle backend: %.0f.\n\n", $idle * 1.024e-3),
    row('rows', @names), '|' . '---|' x (@names + 1) . "\n",
    map { my $n = $_; row(thousands($n), map { defined $of{$_}{$n} ? sprintf('%.0f', $of{$_}{$n} * 1.024e-3) : '' } @names) } @rows);
  my @plain = map { s/`//gr =~ s/, (.*)/ ($1)/r } @names;
  into('memory.csv', join(',', 'rows', 'idle', @plain) . "\n",
    map { my $n = $_; join(',', $n, map { $_ * 1.024e-3 } $idle, map { $of{$_}{$n} } @names) . "\n" } @rows);
}

if ($parts{micro}) {
  my @lines = ("| benchmark | time | spread | for each row | goal | |\n", "|---|---|---|---|---|---|\n");
  for my $run (@{ $parts{micro}{benchmarks} }) {
    my ($scale, $unit) = $run->{ns} < 1e4 ? (1, 'ns') : $run->{ns} < 1e6 ? (1e3, 'µs') : (1e6, 'ms');
    push @lines, row($run->{name}, significant($run->{ns} / $scale) . " $unit",
      range(map { $_ / $scale } @$run{qw(fastest_ns slowest_ns)}),
      $run->{items} ? significant($run->{ns} / $run->{items}) . ' ns' : '',
      $run->{goal_ns} ? '≤ ' . $run->{goal_ns} . ' ns' : '', verdict($run, qw(goal_ns fastest_ns slowest_ns)));
  }
  into('micro.md', @lines);
}

{
  my @missed = grep { !$_->{met} } @goals;
  my @lines = (sprintf("%d of %d goals met.", @goals - @missed, scalar @goals));
  push @lines, @missed ? " Missed:\n\n" : "\n";
  for my $goal (@missed) {
    push @lines, $goal->{micro}
      ? "- $goal->{name}: " . significant($goal->{ns}) . " ns, goal ≤ $goal->{goal_ns} ns\n"
      : "- $goal->{where}: " . name_of($goal) . ' = ' . significant($goal->{ratio}) . ' ('
        . range(@$goal{qw(lowest highest)}) . '), goal ' . goal_of($goal) . "\n";
  }
  into('goals.md', @lines);
}

my @machine = (
  [ 'processor', "$about{processor}, $about{cores} cores" ], [ 'memory', $about{memory} ], [ 'system', $about{system} ],
  [ 'server', "$about{server}, shared_buffers = $about{shared_buffers}" ], [ 'compiler', $about{compiler} ],
  [ 'size', thousands($about{rows}) . " rows, $about{rounds} rounds after one to warm up" ]);
into('machine.md', "| | |\n|---|---|\n", map { row(@$_) } @machine);
into('when.md', "| part | when | revision |\n|---|---|---|\n",
  map { row($parts{$_}{title}, $parts{$_}{when}, $parts{$_}{revision}) } grep { $parts{$_} } @order);

# --- data of the charts --------------------------------------------------------------------------

# A chart of what is no longer among the results would contradict the tables.
for my $chart (qw(rows groups ratios_within ratios_faster), $parts{memory} ? () : 'memory') {
  unlink map { "$directory/$chart.$_" } qw(csv svg);
}

for my $axis (qw(rows groups)) {
  my (@names, %of);
  for my $part (values %parts) {
    for my $comparison (grep { ($_->{axis} // '') eq $axis } @{ $part->{comparisons} // [] }) {
      for my $query (@{ $comparison->{queries} }) {
        push @names, $query->{name} unless grep { $_ eq $query->{name} } @names;
        $of{ $comparison->{at} }{ $query->{name} } = $query->{median_ms};
      }
    }
  }
  next unless @names;
  into("$axis.csv", join(',', $axis, @names) . "\n",
    map { my $at = $_; join(',', $at, map { $of{$at}{$_} // '' } @names) . "\n" } sort { $a <=> $b } keys %of);
}
for my $kind (qw(within faster)) {
  my @bars = grep { !$_->{micro} && $_->{kind} eq $kind } @goals;
  next unless @bars;
  my $line = 0;
  into("ratios_$kind.csv", "line,label,ratio,lowest,highest,goal,met\n",
    map { join(',', $line++, '"' . name_of($_) =~ s/`//gr . ' — ' . $_->{where} =~ s/ \(.*?\)(?=,)//r . '"', @$_{qw(ratio lowest highest goal)},
        $_->{met} ? 1 : 0) . "\n" } @bars);
}

# --- what is printed -----------------------------------------------------------------------------

for my $name (grep { $now{$_} } @order) {
  my $part = $parts{$name};
  print "\n$part->{title}\n";
  print "  $_\n" for @{ $part->{remarks} // [] };
  for my $comparison (@{ $part->{comparisons} // [] }) {
    print "  $comparison->{title}\n";
    printf "    %-52s %7s   %-15s %-8s %s\n", name_of($_) =~ s/`//gr, significant($_->{ratio}),
      range(@$_{qw(lowest highest)}), goal_of($_), verdict($_, qw(goal lowest highest)) =~ s/\*\*//gr
      for @{ $comparison->{ratios} };
    printf "    %-52s %7s ms\n", $_->{name}, significant($_->{median_ms})
      for @{ $comparison->{ratios} } ? () : @{ $comparison->{queries} };
  }
  if ($name eq 'scaling') { print map { "  $_" } slopes($part) }
  if ($name eq 'memory') { print map { "  $_" } split /^/, slurped("memory.md") }
  for my $run (@{ $part->{benchmarks} // [] }) {
    printf "    %-66s %9s ns   %-8s %s\n", $run->{name}, thousands(significant($run->{ns})),
      $run->{goal_ns} ? "≤ $run->{goal_ns}" : '', verdict($run, qw(goal_ns fastest_ns slowest_ns)) =~ s/\*\*//gr;
  }
}
sub slurped { open my $in, '<', "$tables/$_[0]" or return ''; local $/; return <$in> }
printf "\n%s", slurped('goals.md') =~ s/`//gr;
