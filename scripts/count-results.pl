#!/usr/bin/perl
# Adds up what the programs that run tests left in a folder. Prints how many passed and how many
# failed; a skipped test did neither.
#
#   *.xml   JUnit, as ctest writes it
#   *.out   what pg_regress printed: TAP from version 16 on, before that a line for each test
#   others  TAP, as a test printed it
#
# Usage: count-results.pl FOLDER
use strict;
use warnings;

use File::Find;
use TAP::Parser;

my ($passed, $failed) = (0, 0);

sub count_junit
{
	my ($text) = @_;
	my ($suite) = $text =~ /<testsuite\b([^>]*)>/ or die "no test suite in JUnit's XML\n";
	my %number = $suite =~ /\b(\w+)="(\d+)"/g;
	$failed += $number{failures};
	$passed += $number{tests} - $number{failures} - $number{skipped} - $number{disabled};
}

sub count_tap
{
	my ($text) = @_;
	my $parser = TAP::Parser->new({ tap => $text });
	while (my $result = $parser->next)
	{
		next if !$result->is_test || $result->has_skip;
		$passed++ if $result->is_actual_ok;
		$failed++ if !$result->is_ok;    # one marked TODO has not failed
	}
	$failed++ if $parser->parse_errors;    # it died before its plan
}

sub count_regress
{
	my ($text) = @_;
	return count_tap($text) if $text =~ /^1\.\.\d+$/m;
	$passed += () = $text =~ / \.\.\. +ok\b/g;
	$failed += () = $text =~ / \.\.\. +FAILED\b/g;
}

find({ no_chdir => 1, wanted => sub {
	return unless -f;
	open my $file, '<', $_ or die "$_: $!\n";
	my $text = do { local $/; <$file> } // '';
	/\.xml$/ ? count_junit($text) : /\.out$/ ? count_regress($text) : count_tap($text);
} }, @ARGV);
print "$passed $failed\n";
