#!/usr/bin/perl
# The SQL of a document, and whether it prints, or fails, as the document says.
#
#   document-sql.pl DOCUMENT           prints its blocks of SQL for psql, one after the other; what blocks of text show, the
#                                      result of the block of SQL right before them or statements and the error they end
#                                      with, is between marks on stderr
#   document-sql.pl DOCUMENT MESSAGES  compares that with what psql wrote to stderr; exits 1 if any differs. After the line
#                                      "One answer to it …:" the numbers are those of one draw: columns, rows and keys are
#                                      compared, and not the numbers
use strict;
use warnings FATAL => 'all';
use utf8;
use open qw(:std :encoding(UTF-8));

my ($document, $messages) = @ARGV;

sub text_of
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	local $/ = undef;
	return scalar <$in>;
}

# [ statements, result or error or undef, whether they fail, whether its numbers are drawn ]
my @blocks;
my $text = text_of($document);
my $end = 0;    # of the last block
while ($text =~ /^```(sql|text)\n(.*?)^```$/msg)
{
	my ($kind, $block) = ($1, $2);
	my $between = substr($text, $end, $-[0] - $end);
	my $is_drawn = $between =~ /\A\n\nOne answer to it\b[^\n]*:\n\n\z/;
	my $is_next = $between eq "\n\n" || $is_drawn;
	$end = $+[0];
	if ($kind eq 'sql') { push @blocks, [$block] }
	elsif ($block =~ /\A(.+?)^(ERROR:.*)/ms) { push @blocks, [ $1, $2, 1 ] }
	elsif ($is_next && $block =~ /^-{2,}[-+]*$/m) { @{ $blocks[-1] }[ 1, 3 ] = ($block, $is_drawn) }
}

if (!defined $messages)
{
	foreach my $block (@blocks)
	{
		my ($statements, $shown, $fails) = @$block;
		print !defined $shown ? $statements
		  : $fails ? "\\set ON_ERROR_STOP off\n\\warn {{{\n$statements\\warn }}}\nRESET ROLE;\n\\set ON_ERROR_STOP on\n"
		  : "\\warn {{{\n\\o | cat >&2\n$statements\\o\n\\warn }}}\n";
	}
	exit 0;
}

# What does not depend on the draw: numbers, and NULL, and with them the widths of columns, do.
sub form
{
	my ($result) = @_;
	return join "\n", map
	{
		join '|', map { /^-+$/ ? '-' : /^-?[\d.]*$/ ? '#' : $_ } map { s/^\s+|\s+$//gr } split /[|+]/, $_, -1
	} split /\n/, $result;
}

my @printed = text_of($messages) =~ /^\{\{\{\n(.*?)^\}\}\}$/msg;
my @compared = grep { defined $_->[1] } @blocks;
my @shown = map { $_->[1] } @compared;
s/^\n//mg foreach @printed;    # between results
@printed == @shown or die "$document shows " . @shown . " results and errors, and psql printed " . @printed . "\n";
my $differences = 0;
foreach my $i (0 .. $#shown)
{
	next if $printed[$i] eq $shown[$i];
	next if $compared[$i][3] && form($printed[$i]) eq form($shown[$i]);
	print "$document shows\n$shown[$i]and psql printed\n$printed[$i]";
	++$differences;
}
exit($differences > 0);
