#!/usr/bin/perl
# The SQL of a document, and whether it fails as the document says.
#
#   document-sql.pl DOCUMENT           prints its blocks of SQL for psql, one after the other; blocks of text that
#                                      show statements and the error they end with are between marks on stderr
#   document-sql.pl DOCUMENT MESSAGES  compares these errors with what psql wrote to stderr; exits 1 if any differs
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

# [ statements, error or undef ]
my @blocks;
my $text = text_of($document);
while ($text =~ /^```(sql|text)\n(.*?)^```$/msg)
{
	my ($kind, $block) = ($1, $2);
	if ($kind eq 'sql') { push @blocks, [$block] }
	elsif ($block =~ /\A(.+?)^(ERROR:.*)/ms) { push @blocks, [ $1, $2 ] }
}

if (!defined $messages)
{
	foreach my $block (@blocks)
	{
		my ($statements, $error) = @$block;
		print defined $error ? "\\set ON_ERROR_STOP off\n\\warn {{{\n$statements\\warn }}}\nRESET ROLE;\n\\set ON_ERROR_STOP on\n" : $statements;
	}
	exit 0;
}

my @printed = text_of($messages) =~ /^\{\{\{\n(.*?)^\}\}\}$/msg;
my @shown = map { $_->[1] // () } @blocks;
@printed == @shown or die "$document shows " . @shown . " errors, and psql printed " . @printed . "\n";
my $differences = 0;
foreach my $i (0 .. $#shown)
{
	next if $printed[$i] eq $shown[$i];
	print "$document shows\n$shown[$i]and psql printed\n$printed[$i]";
	++$differences;
}
exit($differences > 0);
