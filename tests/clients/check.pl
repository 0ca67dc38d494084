#!/usr/bin/perl
# Judges one client: it asks the same questions over the same rows where nothing is hidden, and where they are. Prints TAP.
#
#   check.pl CLIENT COMMAND...
#
# The command is a program that reads names of questions from standard input, a line each, and answers each by a line of JSON:
# {"rows": [[[type, text], ...], ...]}, {"text": ...} or {"error": what the client shows}. It logs in as PGUSER says, to database
# plain or hidden. The questions' names are those below; a client that has no way to ask one says {"absent": why}.
use strict;
use warnings FATAL => 'all';

use IPC::Open2;
use JSON::PP;
use Test::More;

our $TODO;

my ($name, @command) = @ARGV;
my $tolerance = 0.005;    # relative: epsilon is 1000, and the noise of a sum of thousands below a millionth

# What is free: the catalog, the values of a domain, and plans.
my @free = qw(tables columns choices probe explain);
my @charged = qw(count by_category by_month average bins top persons parameters cursor);

# What a client cannot have, as it reads rows for that.
my %refused = (django => { columns => 'looks at the columns of a row' });

# --- clients ---

my $json = JSON::PP->new->utf8;

sub started
{
	my ($database) = @_;
	local $ENV{PGDATABASE} = $database;
	local $ENV{PGUSER} = 'analyst';
	local $ENV{PGAPPNAME} = $name;
	my $pid = open2(my $out, my $in, @command);
	return { pid => $pid, in => $in, out => $out };
}

sub ask
{
	my ($client, $question) = @_;
	my $line = eval {
		local $SIG{ALRM} = sub { die "no answer\n" };
		local $SIG{PIPE} = 'IGNORE';
		alarm 60;
		print { $client->{in} } "$question\n";
		$client->{in}->flush;
		my $read = readline $client->{out};
		alarm 0;
		$read;
	};
	return { error => $@ || 'the client has ended' } unless defined $line;
	return eval { $json->decode($line) } // { error => "not an answer: $line" };
}

sub finish
{
	my ($client) = @_;
	close $client->{in};
	local $SIG{ALRM} = sub { kill 'KILL', $client->{pid} };
	alarm 20;
	waitpid $client->{pid}, 0;
	alarm 0;
	return;
}

sub spent
{
	my $spent = qx(psql -XAtq -d hidden -c "SELECT spent FROM idp.budget WHERE table_name = 'customers'");
	die "psql failed\n" if $?;
	chomp $spent;
	return $spent;
}

# --- answers ---

my $number = qr/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

sub is_near
{
	my ($expected, $got) = @_;
	return 1 if $expected eq $got;
	return 0 unless $expected =~ $number && $got =~ $number;
	return abs($expected - $got) <= $tolerance * (abs $expected > 1 ? abs $expected : 1);
}

# What differs between a plain answer and a private one; empty if only numbers do, by little. Rows come in the order asked for.
sub difference
{
	my ($plain, $private) = @_;
	foreach my $answer ($plain, $private)
	{
		return "error: $answer->{error}" if defined $answer->{error};
	}
	return '' if defined $plain->{text} && $plain->{text} eq ($private->{text} // '');
	my ($expected, $got) = map { $_->{rows} // [] } $plain, $private;
	return 'no rows at all' unless @$expected;
	return @$expected . ' rows against ' . @$got unless @$expected == @$got;
	foreach my $i (0 .. $#$expected)
	{
		return "row $i has other columns" unless @{ $expected->[$i] } == @{ $got->[$i] };
		foreach my $j (0 .. $#{ $expected->[$i] })
		{
			my ($type, $text) = @{ $expected->[$i][$j] };
			my ($its_type, $its_text) = @{ $got->[$i][$j] };
			return "row $i: type $type against $its_type" unless $type eq $its_type;
			return "row $i: $text against $its_text" unless is_near($text, $its_text);
		}
	}
	return '';
}

my $way_out = qr/rows of table "orders" are hidden from role "analyst": ask for aggregates, such as count\(\*\), by "status", /;
my ($plain, $hidden) = map { started($_) } 'plain', 'hidden';
diag $name . ': ' . (ask($plain, 'version')->{text} // 'version unknown');
ask($hidden, 'version');
qx(psql -XAtq -d hidden -c "SELECT idp.forget_answers('customers')");

my %first;
foreach my $question (@free, @charged)
{
	my $expected = ask($plain, $question);
	my $before = spent();
	my $answer = $first{$question} = ask($hidden, $question);
	my $cost = spent() - $before;
	SKIP:
	{
		skip "$name has no way to ask $question: $expected->{absent}", 1 if defined $expected->{absent};
		my $is_free = grep { $_ eq $question } @free;
		if (my $why = $refused{$name}{$question})
		{
			like($answer->{error}, $way_out, "$name: $question is refused, as it $why");
			next;
		}
		my $problem = difference($expected, $answer);
		$problem ||= "costs $cost" if $is_free ? $cost != 0 : $cost <= 0;
		is($problem, '', "$name: $question" . ($is_free ? ', free' : ''));
	}
}

my $before = spent();
my $expected = ask($plain, 'rows');
is(scalar @{ $expected->{rows} // [] }, 10, "$name: reads rows where they are not hidden") or diag $expected->{error} // '';
my $refusal = ask($hidden, 'rows');
my @lines = split /\n/, $refusal->{error} // 'rows were shown';
like(join("\n", grep { defined } @lines[ 0 .. 3 ]), $way_out, "$name: the error says the way out at once");
is(ask($hidden, 'by_category')->{error}, undef, "$name: is answered after an error");
is(spent(), $before, "$name: a refusal costs nothing");
finish($_) foreach $plain, $hidden;

my $again = started('hidden');
foreach my $question (grep { !defined $first{$_}{absent} && !defined $first{$_}{error} } @charged)
{
	is_deeply(ask($again, $question), $first{$question}, "$name: $question has the same answer again");
}
is(spent(), $before, "$name: asking again from a new connection costs nothing");
finish($again);

done_testing();
