#!/usr/bin/perl
# Whether the documentation has a runnable example of each thing that users call, with what it prints: an SQL block with its
# name, and its result, or that of the block after it, which shows the effect of what prints nothing.
#
#   psql -XAtc 'SELECT DISTINCT kind, name FROM idp.help' | scripts/check-examples.pl DOCUMENT...    prints what has none, and fails then
use strict;
use warnings FATAL => 'all';

sub slurp { my ($file) = @_; open my $in, '<', $file or die "$file: $!\n"; local $/; return scalar <$in>; }

# The SQL whose result is shown, and that of the block before it.
my $shown = '';
foreach my $document (@ARGV)
{
	my @blocks;    # [ kind, text, whether it follows the one before it at once ]
	my ($text, $end) = (slurp($document), 0);
	while ($text =~ /^```(sql|text)\n(.*?)^```$/msg)
	{
		my @block = ($1, $2);
		my $between = substr $text, $end, $-[0] - $end;
		$end = $+[0];
		push @blocks, [ @block, scalar $between =~ /\A\n\n(?:One answer to it\b[^\n]*:\n\n)?\z/ ];
	}
	foreach my $i (grep { $blocks[$_][0] eq 'text' && $blocks[$_][1] =~ /^-{2,}[-+]*$/m && $blocks[$_][2] } 1 .. $#blocks)
	{
		my @before = grep { $blocks[$_][0] eq 'sql' } reverse 0 .. $i - 1;
		$shown .= $blocks[$_][1] foreach grep { defined } @before[ 0, 1 ];
	}
}

my ($named, $lacking) = (0, 0);
while (my $line = <STDIN>)
{
	chomp $line;
	my ($kind, $name) = split /\|/, $line;
	++$named;
	my $call = $kind eq 'function' || $kind eq 'aggregate' ? qr/\b\Q$name\E\s*\(/ : qr/\b\Q$name\E\b/;
	next if $shown =~ $call;
	print "no example with a result: $kind $name\n";
	++$lacking;
}
die "nothing to look for\n" if !$named;
exit($lacking > 0);
